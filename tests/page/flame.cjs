// The flame graph in Chromium: search, keyboard, the address, the differential graph, the forms.
// made.cjs calls it.

const COMPARE = "db::Key::Compare(db::Key const&)";

const flameOf = (place, target, rest = "") => `${place}/flame?target=${target}${rest}`;

async function openFlame(visit, page, path) {
  // A change of the fragment alone would not load the page.
  await page.goto("about:blank");
  await visit.open(page, path);
  await page.locator("#flame[data-drawn]").waitFor();
}

// The share of the graph's width that the frame has.
const widthOf = (page, name) =>
  page.locator(`#flame .frame[aria-label^="${name}:"] rect`).first().evaluate((rect) =>
    Number(rect.getAttribute("width")) / Number(rect.ownerSVGElement.getAttribute("width")));
const fragment = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
const frame = (page, name) => page.locator(`#flame .frame[aria-label^="${name}:"]`);

async function checkSearch(visit, page, place, target) {
  await openFlame(visit, page, flameOf(place, target));
  await page.keyboard.press("/");
  await page.keyboard.type("jsonwriter");
  const found = await page.locator("#flame .frame.found").count();
  const words = await page.locator("#flame-found").textContent();
  visit.want(page, found === 3, `${found} frames are highlighted`);
  visit.want(page, words.startsWith("3 frames, "), `says "${words}"`);
  visit.want(page, fragment(page).get("search") === "jsonwriter", "the address has no search");
  await page.keyboard.type("none");
  visit.want(page, (await page.locator("#flame-found").textContent()) === "No frame matches",
             "says not that no frame matches");
  visit.want(page, (await page.locator("#flame .frame.found").count()) === 0, "highlights a frame");
}

async function checkKeyboard(visit, page, place, target) {
  await openFlame(visit, page, flameOf(place, target));
  await page.locator("#flame-collapse").focus();
  await page.keyboard.press("Tab");
  const label = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? "");
  visit.want(page, (await label()).startsWith("all:"), `Tab leads to "${await label()}"`);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  visit.want(page, (await label()).startsWith("db::Tree::Walk"), `arrows lead to "${await label()}"`);
  await page.keyboard.press("Enter");
  visit.want(page, (await label()).startsWith("db::Tree::Walk"), "Enter loses the focus");
  visit.want(page, (await widthOf(page, "db::Tree::Walk(db::Node const&)")) > 0.99, "Enter does not zoom");
  visit.want(page, fragment(page).getAll("at").length === 3, "the address has no zoom");
  visit.want(page, await page.locator("#flame canvas").isVisible(), "has no map");
  await page.keyboard.press("ArrowUp");
  visit.want(page, (await label()).startsWith("db::Query::Run"), "ArrowUp does not lead to the caller");
  await page.keyboard.press("Escape");
  visit.want(page, (await widthOf(page, "db::Tree::Walk(db::Node const&)")) < 0.6, "Escape does not reset");
  visit.want(page, new URL(page.url()).hash === "", "the address keeps the zoom");
  await visit.checkPage(page);
}

async function checkAddress(visit, page, place, target) {
  await openFlame(visit, page, flameOf(place, target));
  const name = "db::Tree::Walk(db::Node const&)";
  await frame(page, name).click();
  const zoomed = page.url();
  visit.want(page, (await widthOf(page, name)) > 0.99, "a click does not zoom");
  await page.goBack();
  visit.want(page, (await widthOf(page, name)) < 0.6, "Back does not undo the zoom");
  await page.goForward();
  visit.want(page, (await widthOf(page, name)) > 0.99, "Forward does not zoom again");
  await openFlame(visit, page, `${zoomed}&search=compare`);
  visit.want(page, (await widthOf(page, name)) > 0.99, "the address does not restore the zoom");
  visit.want(page, (await page.locator("#filter").inputValue()) === "compare", "nor the search");
  visit.want(page, (await page.locator("#flame .frame.found").count()) === 1, "nor its highlight");
}

async function checkAround(visit, page, place, target) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await openFlame(visit, page, flameOf(place, target));
  visit.want(page, await page.locator("#flame-copy").isDisabled(), "copies nothing");
  await frame(page, COMPARE).first().hover();
  await page.locator("#flame-copy").click();
  visit.want(page, (await page.evaluate(() => navigator.clipboard.readText())) === COMPARE, "copies no name");
  await page.locator("#flame-around").click();
  const trees = page.getByRole("tree");
  visit.want(page, (await trees.count()) === 2, "has not two trees");
  const callers = trees.first().locator(".frame");
  const labels = await callers.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label").split(":").slice(0, -1).join(":")));
  visit.want(page, labels[0] === COMPARE && labels[1] === "db::Tree::Visit(db::Node const&)" &&
             labels.at(-1) === "main", `the callers are ${labels}`);
  const top = async (i) => (await callers.nth(i).boundingBox()).y;
  visit.want(page, (await top(0)) > (await top(1)), "callers are not above");
  visit.want(page, fragment(page).get("around") === COMPARE, "the address has not the function");
  await visit.checkPage(page);
  await page.getByRole("button", { name: "Whole" }).click();
  visit.want(page, (await trees.count()) === 1, "does not return");
}

async function checkRecursion(visit, page, place, target) {
  const leaf = (name, value, children = []) => ({ name, value, before: 0, delta: value, children });
  const stacks = { measured: true, unit: 1, root: leaf("all", 10, [
    leaf("f", 10, [leaf("g", 8, [leaf("f", 6, [leaf("h", 1), leaf("g", 4)])]), leaf("h", 1)]),
  ]) };
  await page.route("**/api/v1/**/stacks?*", (route) => route.fulfill({ json: stacks }));
  await openFlame(visit, page, flameOf(place, target));
  visit.want(page, (await page.locator("#flame .frame").count()) === 7, "has not all frames");
  await page.getByRole("button", { name: "Collapse recursion" }).click();
  const labels = await page.locator("#flame .frame").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  visit.want(page, labels.join("; ") === "all: 10.0 s, 100.0%; f: 10.0 s, 100.0%; g: 6.00 s, 60.0%; h: 2.00 s, 20.0%",
             `collapsed it has ${labels.join("; ")}`);
  await page.unroute("**/api/v1/**/stacks?*");
}

// Run 41 has a cache, run 40 has none.
async function checkDifferential(visit, page, place, target) {
  const earlier = place.replace(/41$/, "40");
  const cache = "db::JsonCache::Get(db::Key const&)";
  await openFlame(visit, page, flameOf(earlier, target, "&base=41"));
  const label = await page.locator("#flame .frame.vanished").first().getAttribute("aria-label");
  visit.want(page, label.startsWith(`${cache}:`) && label.includes("vanished"), `vanished is ${label}`);
  visit.want(page, (await widthOf(page, cache)) > 0.01, "a vanished frame has no width");
  const widths = page.locator("#flame-of-head");
  visit.want(page, (await widths.textContent()).startsWith("Widths are times in run 40; vanished"), "says other widths");
  await page.getByRole("button", { name: "Widths of run 41" }).click();
  visit.want(page, (await page.locator("#flame-of-base").textContent()).startsWith("Widths are times in run 41; new"),
             "says not that the widths are the base's");
  visit.want(page, await page.locator("#flame-of-head").isHidden(), "says both widths");
  visit.want(page, (await page.locator(".legend li").count()) === 5, "has no legend");
  const rows = await page.locator("main table tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].slice(1, 3).map((cell) => cell.textContent)));
  const changes = rows.map(([, change]) => Math.abs(parseFloat(change)));
  visit.want(page, changes.slice(0, 3).every((change, i) => i === 0 || change <= changes[i - 1]),
             `the table is not sorted by change: ${changes}`);
  visit.want(page, ["slower", "faster", "vanished"].every((word) => rows.some(([one]) => one === word)),
             "the table has not each class");
  await visit.checkPage(page);
  await openFlame(visit, page, flameOf(place, target, "&base=40"));
  visit.want(page, (await page.locator("#flame .frame.new").count()) > 0, "has no new frame");
}

async function checkFlame(visit, place, target) {
  const page = await visit.page({ viewport: { width: 1200, height: 900 } });
  const attempt = (name, check) =>
    visit.attempt(`flame graph: ${name}`, () => check(visit, page, place, target));
  await attempt("/ searches, and says how many frames it highlights", checkSearch);
  await attempt("arrows walk, Enter zooms, Escape resets", checkKeyboard);
  await attempt("the address restores zoom and search, and Back undoes the zoom", checkAddress);
  await attempt("callers and callees of a function, and its name", checkAround);
  await attempt("recursion is collapsed, and its time is kept", checkRecursion);
  await attempt("of two runs: vanished and new frames, and a table by change", checkDifferential);
  await page.context().close();
  const plain = await visit.page({ javaScriptEnabled: false });
  await visit.attempt("flame graph: without scripts the forms lead to other runs and targets", async () => {
    await plain.goto(visit.url(flameOf(place, target)));
    const form = plain.locator("#flame-choice");
    visit.want(plain, await plain.locator("#flame-tools").isHidden(), "has tools that do nothing");
    await form.getByLabel("Target").selectOption("//db:index_test");
    await form.getByLabel("Run").selectOption("39");
    await form.getByLabel("Compare with").selectOption("38");
    await form.getByRole("button", { name: "Show" }).click();
    const url = new URL(plain.url());
    visit.want(plain, url.pathname.endsWith("/runs/39/flame"), "leads to another page");
    visit.want(plain, url.searchParams.get("target") === "//db:index_test" && url.searchParams.get("base") === "38",
               "loses the choice");
    visit.want(plain, (await plain.locator("main table tr").count()) > 1, "has no table");
  });
  await plain.context().close();
}

module.exports = { checkFlame };
