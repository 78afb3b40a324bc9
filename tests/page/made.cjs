// The pages of runs that are made up (made_store.h): what holds of each page in light and dark, names
// of attackers, keys, an API that is slow or fails, and pictures. made_pages_test.sh starts it.
//
//   NODE_PATH=NODE_MODULES node made.cjs ADDRESS FOLDER KEY_FILE [PICTURES]
const { checkFlame } = require("./flame.cjs");
const { visiting } = require("./visit.cjs");
const { checkCards, checkGraph, checkRuns, checkSearch, checkTrend } = require("./lists.cjs");
const { checkPictures, takeAll } = require("./pictures.cjs");
const { checkLog, checkSource, openAll } = require("./source_and_logs.cjs");
const { checkTrendPictures } = require("./trend_pictures.cjs");

const TARGET = encodeURIComponent("//db:query_test");
const PARSE = encodeURIComponent("_ZN2db10JsonWriter6AppendEc");

async function pagesOf(visit, project) {
  const api = async (path) => (await fetch(visit.url(`/api/v1/projects/${project}${path}`))).json();
  const run = (await api("/runs")).runs[0].run_id;
  const place = `/p/${project}/runs/${run}`;
  const pages = {
    home: "/", project: `/p/${project}`, runs: `/p/${project}/runs`, run: place,
    comparison: `/p/${project}/compare/${run}`, changes: `/p/${project}/changes`,
    gate: `/p/${project}/gate`, "list of functions": `/p/${project}/function`,
    invocations: `/p/${project}/invocations`, search: `/p/${project}/search?q=a`,
    "runs without a match": `/p/${project}/runs?branch=none`,
  };
  (await api(`/runs/${run}`)).targets.forEach(({ label }, i) => {
    const of = `?target=${encodeURIComponent(label)}`;
    pages[`call graph ${i}`] = `${place}/graph${of}`;
    pages[`drawn ${i}`] = `${place}/drawn${of}`;
    pages[`flame graph ${i}`] = `${place}/flame${of}`;
    pages[`ordering ${i}`] = `${place}/ordering${of}`;
    pages[`files ${i}`] = `${place}/download${of}`;
    for (const kind of ["flat", "graph", "lines", "lines-graph", "source", "source-all", "counts",
                        "lines-counts"]) {
      pages[`listing ${kind} ${i}`] = `${place}/listing${of}&kind=${kind}`;
    }
  });
  const { findings } = await api(`/runs/${run}/comparison`);
  const names = new Set(findings.map((finding) => finding.function));
  for (const name of [...names].slice(0, 12)) {
    pages[`function ${name}`] = `/p/${project}/function?name=${encodeURIComponent(name)}`;
  }
  return { project, pages, run, place, findings };
}

// The addresses of all findings of a comparison.
async function findingsOf(visit, page, comparison) {
  await visit.open(page, comparison);
  const links = await page.locator(`main a[href^="${comparison}/"]`).all();
  const found = new Set();
  for (const link of links) found.add(await link.getAttribute("href"));
  return [...found];
}

async function checkAll(visit, pages, options, title) {
  const page = await visit.page(options);
  for (const [name, path] of Object.entries(pages)) {
    await visit.attempt(`${title}: ${name}`, async () => {
      await visit.open(page, path);
      await visit.checkPage(page);
      if (/^(finding|run|invocation)/.test(name) && (await openAll(page))) await visit.checkPage(page);
      const made = await page.locator("main img, main script, main iframe, main [onerror]").count();
      visit.want(page, made === 0, "has an element that only a name can have made");
      visit.want(page, !/javascript:/i.test((await page.locator("main a").evaluateAll(
        (all) => all.map((one) => one.getAttribute("href")).join("\n")))), "links to a script");
    });
  }
  await page.context().close();
}

async function checkKeys(visit, comparison) {
  const page = await visit.page();
  await visit.attempt("keys: / searches, j and k walk, Enter opens, u goes up, ? lists", async () => {
    await visit.open(page, comparison);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const here = async () => page.locator(".walk.here").evaluateAll((all) => all.map((one) => one.id));
    const second = await here();
    visit.want(page, second.length === 1, "j marks no row");
    await page.keyboard.press("k");
    const first = await here();
    visit.want(page, first.length === 1 && first[0] !== second[0], "k does not go back");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname.startsWith(`${comparison}/`));
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("u");
    await page.waitForURL((url) => url.pathname === comparison);
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("?");
    visit.want(page, await page.locator("dialog[open]").isVisible(), "? shows no list");
    await page.keyboard.press("Escape");
    visit.want(page, (await page.locator("dialog[open]").count()) === 0, "Escape does not close it");
    await page.keyboard.press("/");
    await page.keyboard.type("JsonWriter");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname.endsWith("/search"));
    visit.want(page, (await page.locator("h1").count()) === 1, "the search leads nowhere");
  });
  await page.context().close();
}

async function checkApi(visit, place) {
  const page = await visit.page();
  await visit.attempt("while the API is slow the table is there, and the picture comes", async () => {
    let answer;
    await page.route("**/api/v1/**", async (route) => {
      await new Promise((resolve) => (answer = resolve));
      await route.continue();
    });
    await page.goto(visit.url(`${place}/flame?target=${TARGET}`), { waitUntil: "load" });
    await page.getByRole("status").getByText("Loading").waitFor();
    visit.want(page, (await page.locator("main table tr").count()) > 1, "has no table meanwhile");
    answer();
    await page.locator("svg g.frame").first().waitFor();
    await page.unroute("**/api/v1/**");
  });
  for (const [name, answer] of Object.entries({
    "says an error": { status: 503, contentType: "application/json",
                       body: '{"error": {"code": "unavailable", "message": "the <b>store</b> is away"}}' },
    "sends no JSON": { status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" },
    "breaks off": null,
  })) {
    for (const kind of ["flame", "drawn"]) {
      await visit.attempt(`when the API ${name} the page ${kind} says so, and has its table`, async () => {
        visit.wanted = new Set([502, 503]);
        await page.route("**/api/v1/**", (route) => (answer === null ? route.abort() : route.fulfill(answer)));
        await visit.open(page, `${place}/${kind}?target=${TARGET}`);
        const note = page.getByRole("status").getByText("cannot be drawn");
        await note.waitFor();
        if (answer?.status === 503) {
          visit.want(page, (await note.textContent()).includes("the <b>store</b> is away"),
                     "does not say why");
        }
        visit.want(page, (await page.locator("main table tr").count()) > 1, "has no table");
        await visit.checkPage(page);
        await page.unroute("**/api/v1/**");
      });
    }
  }
  await page.context().close();
}

// The server's page, as it was a moment earlier; then the server is away; then the page as it is.
async function checkLive(visit, place) {
  const page = await visit.page();
  await visit.attempt("what goes on is shown as it goes on, until it has ended", async () => {
    visit.wanted = new Set([503]);
    await page.clock.install();
    let asked = 0;
    await page.route(visit.url(place), async (route) => {
      ++asked;
      if (asked === 2) {
        await route.fulfill({ status: 503, body: "" });
        return;
      }
      const response = await route.fetch();
      let body = await response.text();
      if (asked === 1) {
        body = body.replace('<div id="live">', '<div id="live" data-live="true"><p id="earlier">Earlier</p>');
      }
      await route.fulfill({ response, body });
    });
    await visit.open(page, place);
    visit.want(page, await page.locator("#earlier").isVisible(), "is not as it was earlier");
    // Time is the test's: however slow the machine is, nothing is missed.
    for (let i = 0; i < 1000 && asked < 3; ++i) await page.clock.runFor(1000);
    await page.locator("#earlier").waitFor({ state: "detached" });
    visit.want(page, (await page.locator("#live table tr").count()) > 1, "has lost its table");
    visit.want(page, (await page.locator("#live th button, #live th[aria-sort]").count()) > 0,
               "the table cannot be sorted any more");
    await page.clock.runFor(600000);
    visit.want(page, asked === 3, `asks again though it has ended: ${asked} times`);
  });
  await page.context().close();
}

async function checkListings(visit, place) {
  const page = await visit.page();
  await visit.attempt("the API has the listings of the pages, and the profile for other programs", async () => {
    const api = (query) =>
      fetch(visit.url(`/api/v1${place.replace("/p/", "/projects/")}/listing?target=${TARGET}&${query}`));
    for (const [kind, query] of Object.entries({
      flat: "brief=1", graph: "kind=graph&brief=1", lines: "kind=flat&lines=1&brief=1",
      "lines-graph": "kind=graph&lines=1&brief=1", counts: "kind=counts",
      "lines-counts": "kind=counts&lines=1",
    })) {
      await visit.open(page, `${place}/listing?target=${TARGET}&kind=${kind}`);
      const answer = await api(query);
      visit.want(page, answer.headers.get("content-type").startsWith("text/plain"), "is no text");
      // The browser turns form feeds of listings into nothing else.
      visit.want(page, (await page.locator("pre.listing").textContent()) === (await answer.text()),
                 `the API has another listing ${kind}`);
    }
    const json = await (await api("format=json&kind=counts")).json();
    visit.want(page, json.executions?.length > 0, "JSON has no execution counts");
    const gmon = Buffer.from(await (await api("format=gmon")).arrayBuffer());
    visit.want(page, gmon.subarray(0, 4).toString() === "gmon", "gmon is none");
    const described = await (await fetch(visit.url("/api/v1/openapi.json"))).json();
    const about = described.paths["/projects/{project}/runs/{run}/listing"].get;
    const types = Object.keys(about.responses["200"].content);
    for (const query of ["brief=1", "format=json", "format=pprof"]) {
      const type = (await api(query)).headers.get("content-type");
      visit.want(page, types.includes(type), `the description does not have ${type}`);
    }
  });
  await page.context().close();
}

async function checkActing(visit, finding) {
  const page = await visit.page();
  await visit.attempt("a finding is acknowledged, and that is taken back", async () => {
    await visit.open(page, finding);
    await page.getByLabel("Your name").fill("bob");
    await page.getByLabel("Reason").fill("wanted <b>so</b>");
    await page.getByLabel("False alarm").check();
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByText("Marked as a false alarm by bob: wanted <b>so</b>").first().waitFor();
    await page.waitForLoadState("networkidle");
    await visit.open(page, "/p/acme/gate");
    const row = page.locator("tr", { hasText: "wanted <b>so</b>" });
    await row.getByRole("button", { name: "Take back" }).click();
    await page.waitForLoadState("networkidle");
    visit.want(page, (await row.count()) === 0, "it is still there");
  });
  await page.context().close();
}

async function checkPlain(visit, paths) {
  const page = await visit.page({ javaScriptEnabled: false });
  await visit.attempt("without scripts the pages can be read", async () => {
    for (const path of paths) {
      await page.goto(visit.url(path));
      visit.want(page, (await page.locator("main table tr, main li").count()) > 0, "has no table");
    }
  });
  await page.context().close();
}

visiting(async (visit) => {
  const all = process.env.GPROFHUB_ALL_PICTURES ?? "";
  const acme = await pagesOf(visit, "acme");
  const hostile = await pagesOf(visit, "hostile");
  const sourced = await pagesOf(visit, "sourced");
  const page = await visit.page();
  const { comparison } = acme.pages;
  const findings = await findingsOf(visit, page, comparison);
  findings.slice(0, 3).forEach((path, i) => (acme.pages[`finding ${i}`] = path));
  (await findingsOf(visit, page, hostile.pages.comparison)).forEach(
    (path, i) => (hostile.pages[`finding ${i}`] = path));
  (await findingsOf(visit, page, sourced.pages.comparison)).forEach(
    (path, i) => (sourced.pages[`finding ${i}`] = path));
  for (const project of [acme, hostile]) {
    await visit.open(page, project.pages.invocations);
    const link = page.locator(`main a[href^="${project.pages.invocations}/"]`).first();
    project.pages.invocation = await link.getAttribute("href");
  }
  await page.context().close();
  acme.pages["graph around a function"] = `${acme.place}/graph?target=${TARGET}&function=${PARSE}`;
  acme.pages["flame graph of two runs"] = `${acme.place}/flame?target=${TARGET}&base=40`;

  if (all !== "") return takeAll(visit, acme.pages, all);

  const wide = { viewport: { width: 1200, height: 900 } };
  await checkAll(visit, acme.pages, { colorScheme: "dark" }, "390 pixels, dark");
  await checkAll(visit, acme.pages, { ...wide, colorScheme: "light" }, "1200 pixels, light");
  await checkAll(visit, hostile.pages, {}, "names of attackers");
  await checkAll(visit, sourced.pages, { colorScheme: "dark" }, "with source, dark");
  await checkAll(visit, sourced.pages, { ...wide, colorScheme: "light" }, "with source, light");
  await checkSource(visit, sourced, TARGET);
  await checkLog(visit, acme, "index_test: 3 != 4");
  await checkLog(visit, hostile, "</pre><script>alert(1)</script>");
  await checkKeys(visit, comparison);
  await checkFlame(visit, acme.place, TARGET);
  await checkApi(visit, acme.place);
  await checkLive(visit, acme.place);
  await checkListings(visit, acme.place);
  await checkActing(visit, findings[0]);
  await checkPlain(visit, [comparison, findings[0], `${acme.place}/flame?target=${TARGET}`,
                           `${acme.place}/drawn?target=${TARGET}`]);
  await checkSearch(visit, acme);
  await checkRuns(visit, acme);
  await checkCards(visit, acme);
  await checkTrend(visit, acme.pages["function _ZN2db6Memory4SizeEPKv"]);
  await checkGraph(visit, acme.pages["drawn 1"]);
  await checkTrendPictures(visit, process.argv[4], [acme, hostile]);
  await checkPictures(visit, acme.pages, process.argv[5] ?? "");
});
