// Lists, search, trend and call graph, as people use them. made.cjs calls it.

async function checkSearch(visit, { project, place }) {
  const page = await visit.page({ viewport: { width: 1200, height: 900 } });
  await visit.attempt(`search of ${project}: suggestions come while typing, and keys choose one`, async () => {
    await visit.open(page, place);
    await page.keyboard.press("/");
    const field = page.getByRole("combobox", { name: "Search" });
    visit.want(page, await field.evaluate((one) => one === document.activeElement), "/ does not focus it");
    await page.keyboard.type("jsonw");
    const options = page.getByRole("option");
    await options.first().waitFor();
    visit.want(page, (await field.getAttribute("aria-expanded")) === "true", "is not expanded");
    visit.want(page, (await options.first().textContent()).includes("JsonWriter"), "suggests another name");
    await visit.checkPage(page);
    await page.keyboard.press("ArrowDown");
    const chosen = page.locator('[role=option][aria-selected="true"]');
    visit.want(page, (await chosen.count()) === 1, "ArrowDown chooses none");
    visit.want(page, (await field.getAttribute("aria-activedescendant")) === (await chosen.getAttribute("id")),
               "the choice is not announced");
    await page.keyboard.press("Escape");
    visit.want(page, (await options.count()) === 0, "Escape leaves the list");
    await page.keyboard.type("r");
    await options.first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname.endsWith("/function"));
  });
  await visit.attempt(`search of ${project}: Enter leads to all results, by kind`, async () => {
    for (const [text, heading] of [["query_test", "Targets"], ["json", "Functions"], ["#41", "Pull requests"],
                                   ["faster", "Branches"], ["0000", "Commits"], ["41", "Runs"]]) {
      await visit.open(page, place);
      await page.locator("#search").fill(text);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === `/p/${project}/search`);
      await page.waitForLoadState("networkidle");
      visit.want(page, (await page.getByRole("heading", { name: heading }).count()) === 1,
                 `${text} finds no ${heading}`);
      await visit.checkPage(page);
    }
  });
  await visit.attempt(`search of ${project}: no text is markup or a wildcard`, async () => {
    for (const text of ["<img src=x onerror=alert(1)>", "%", "' OR 1=1 --"]) {
      await visit.open(page, `/p/${project}/search?q=${encodeURIComponent(text)}`);
      visit.want(page, (await page.locator("main .plain li").count()) === 0, `${text} finds something`);
      visit.want(page, (await page.locator("main img").count()) === 0, "the text is markup");
    }
  });
  await page.context().close();
}

async function checkRuns(visit, { project, pages }) {
  const page = await visit.page();
  await visit.attempt("any two runs are compared by clicks; a third choice replaces the first", async () => {
    await visit.open(page, pages.runs);
    const boxes = page.getByRole("checkbox");
    const button = page.getByRole("button", { name: "Compare two runs" });
    visit.want(page, await button.isDisabled(), "compares without a choice");
    const names = [];
    for (const i of [0, 3, 5]) {
      await boxes.nth(i).check();
      names.push((await boxes.nth(i).getAttribute("name")).slice("run-".length));
    }
    visit.want(page, !(await boxes.nth(0).isChecked()), "three runs are chosen");
    await button.click();
    await page.waitForURL((url) => url.pathname === `/p/${project}/compare/${names[1]}` &&
                                   url.searchParams.get("base") === names[2]);
    await page.waitForLoadState("networkidle");
  });
  await visit.attempt("the list of runs has verdicts, and times that sort", async () => {
    await page.setViewportSize({ width: 1200, height: 900 });
    await visit.open(page, pages.runs);
    await page.locator("a[data-verdict] .badge").first().waitFor();
    const times = () => page.locator("main td time").evaluateAll((all) => all.map((one) => one.dateTime));
    await page.getByRole("button", { name: "Received" }).click();
    await page.getByRole("button", { name: "Received" }).click();
    const sorted = await times();
    visit.want(page, String(sorted) === String([...sorted].sort()), "the times are not sorted");
    visit.want(page, /UTC/.test(await page.locator("main td time").first().getAttribute("title")),
               "has no absolute time");
  });
  await page.context().close();
  const plain = await visit.page({ javaScriptEnabled: false });
  await visit.attempt("without scripts runs are filtered, found and compared", async () => {
    await plain.goto(visit.url(pages.runs));
    await plain.getByLabel("Branch").fill("JSON");
    await plain.getByRole("button", { name: "Filter" }).click();
    visit.want(plain, (await plain.getByRole("checkbox").count()) === 1, "the filter is another one");
    await plain.goto(visit.url(pages.runs));
    await plain.getByRole("checkbox").nth(0).check();
    await plain.getByRole("checkbox").nth(1).check();
    await plain.getByRole("button", { name: "Compare two runs" }).click();
    visit.want(plain, /compare\/\d+\?base=\d+$/.test(plain.url()), "compares nothing");
    await plain.locator("#search").fill("json");
    await plain.keyboard.press("Enter");
    await plain.waitForURL((url) => url.pathname.endsWith("/search"));
    visit.want(plain, (await plain.locator("main .plain a").count()) > 1, "finds nothing");
  });
  await plain.context().close();
}

// Rows are cards: everything of a row is in view, under the names of the columns.
async function checkCards(visit, { pages }) {
  const page = await visit.page();
  await visit.attempt("on a phone the verdict and the links of each run are in view", async () => {
    for (const path of [pages.runs, pages.project]) {
      await visit.open(page, path);
      const outside = await page.locator("main td a, main td .badge").evaluateAll(
        (all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length);
      visit.want(page, outside === 0, `${outside} links are out of view`);
      const label = await page.locator("main td a[data-verdict]").first().evaluate(
        (one) => getComputedStyle(one.closest("td"), "::before").content);
      visit.want(page, label === '"Verdict"', `the verdict's label is ${label}`);
    }
  });
  await page.context().close();
}

async function checkTrend(visit, path) {
  const page = await visit.page({ viewport: { width: 1200, height: 900 } });
  await visit.attempt("a trend is zoomed by dragging, and the address keeps it", async () => {
    await visit.open(page, path);
    const chart = page.locator("#trend .u-over");
    await chart.waitFor();
    const box = await chart.boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.25, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL((url) => /^#zoom=\d+-\d+$/.test(url.hash));
    const zoomed = page.url();
    await page.goto("about:blank");
    await page.goto(zoomed);
    await chart.waitFor();
    visit.want(page, page.url() === zoomed, "the address is another one");
    await chart.dblclick();
    await page.waitForURL((url) => url.hash === "");
    await chart.click({ position: { x: box.width / 2, y: 20 } });
    await page.waitForURL((url) => /\/compare\/\d+$/.test(url.pathname) && url.search.startsWith("?base="));
  });
  await page.context().close();
}

async function checkGraph(visit, path) {
  const page = await visit.page({ viewport: { width: 1200, height: 900 } });
  await visit.attempt("the drawn call graph has readable texts, and zooms by buttons and keys", async () => {
    await visit.open(page, path);
    const text = page.locator("#drawn .node text").first();
    await text.waitFor();
    const size = () => text.evaluate((one) =>
      parseFloat(one.getAttribute("font-size")) * one.getScreenCTM().a);
    const before = await size();
    visit.want(page, before >= 13.9, `texts have ${before} pixels`);
    await page.getByRole("button", { name: "Zoom in" }).click();
    visit.want(page, (await size()) > before * 1.2, "the button does not zoom");
    await page.locator("#drawn").focus();
    await page.keyboard.press("0");
    visit.want(page, Math.abs((await size()) - before) < 0.2, "0 does not go back");
    await page.keyboard.press("-");
    visit.want(page, (await size()) < before, "- does not zoom");
    await page.locator("#drawn .node").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname.endsWith("/graph") && url.searchParams.has("function"));
  });
  await page.context().close();
}

module.exports = { checkCards, checkGraph, checkRuns, checkSearch, checkTrend };
