// What a person does with the pages of a real program. page_test.sh starts it.
//
//   NODE_PATH=NODE_MODULES node demo.cjs ADDRESS FOLDER
const { visiting } = require("./visit.cjs");

visiting(async (visit) => {
  const page = await visit.page();
  const api = async (path) => (await fetch(visit.url(`/api/v1${path}`))).json();
  const project = (await api("/projects")).projects[0];
  const { runs } = await api(`/projects/${project}/runs`);
  // The newest run that changed something.
  let run;
  for (const { run_id } of runs) {
    const { findings } = await api(`/projects/${project}/runs/${run_id}/comparison?limit=1`);
    if (run === undefined && (findings ?? []).length > 0) run = run_id;
  }
  if (run === undefined) throw new Error("no run has findings");
  const whole = await api(`/projects/${project}/runs/${run}`);
  const target = encodeURIComponent(whole.targets[0].label);
  const place = `/p/${project}/runs/${run}`;
  const comparison = `/p/${project}/compare/${run}`;

  const pages = {
    home: "/", project: `/p/${project}`, runs: `/p/${project}/runs`, run: place, comparison,
    function: `/p/${project}/function`,
    "call graph": `${place}/graph?target=${target}`,
    "drawn call graph": `${place}/drawn?target=${target}`,
    "flame graph": `${place}/flame?target=${target}`,
    listing: `${place}/listing?target=${target}`,
    ordering: `${place}/ordering?target=${target}`,
    files: `${place}/download?target=${target}`,
    changes: `/p/${project}/changes`, gate: `/p/${project}/gate`, licences: "/licences",
  };
  for (const [name, path] of Object.entries(pages)) {
    await visit.attempt(`the page ${name} of a real program has no errors`, async () => {
      await visit.open(page, path);
      await visit.checkPage(page);
    });
  }
  await visit.attempt("the drawn graph and the flame graph are drawn", async () => {
    await visit.open(page, pages["drawn call graph"]);
    await page.locator("svg g.node").first().waitFor();
    await visit.open(page, pages["flame graph"]);
    await page.locator("svg g.frame").first().waitFor();
  });
  await visit.attempt("from the comment's link to a finding and to its line", async () => {
    await visit.open(page, comparison);
    // What is folded is opened. Of a group of functions there is no line.
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    const links = page.locator(`a[href^="${comparison}/"]:visible`);
    let at = 0;
    for (const link of await links.all()) {
      const text = await (await fetch(visit.url(await link.getAttribute("href")))).text();
      if (text.includes("https://forge.example/sqlite/blob/")) break;
      ++at;
    }
    await links.nth(at).click();
    await page.waitForURL((url) => url.pathname.split("/").length === 6);
    await page.waitForLoadState("networkidle");
    await visit.checkPage(page);
    const line = page.locator('a[href^="https://forge.example/sqlite/blob/"]:visible').first();
    visit.want(page, /#L[1-9]/.test((await line.getAttribute("href")) ?? ""), "has no link to a line");
  });
  await visit.attempt("from a function to its trend, to a commit and to the comparison", async () => {
    await visit.open(page, pages.function);
    await page.locator(`main a[href^="/p/${project}/function?"]:visible`).first().click();
    await page.locator("canvas, .u-wrap").first().waitFor();
    await page.waitForLoadState("networkidle");
    await visit.checkPage(page);
    await page.locator(`#trend-table a[href^="/p/${project}/compare/"]:visible`).first().click();
    await page.waitForURL((url) => url.pathname.startsWith(`/p/${project}/compare/`));
    visit.want(page, (await page.locator(".verdict").count()) === 1, "says no verdict");
  });
});
