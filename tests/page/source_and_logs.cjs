// What pages have of a checkout and of logs: annotated source, the lines that changed, what a test that
// failed said last. made.cjs calls it.

// Opens whatever is folded; says whether anything was.
const openAll = (page) => page.evaluate(() => {
  const folded = [...document.querySelectorAll("main details:not([open])")];
  for (const one of folded) one.open = true;
  return folded.length > 0;
});

// The page of a run leads to the log of a test that failed, which is folded.
async function checkLog(visit, { project, pages }, words) {
  const page = await visit.page();
  await visit.attempt(`from a run of ${project} to what a test said last`, async () => {
    await visit.open(page, pages.run);
    const attempts = page.locator("td details.executions").first();
    visit.want(page, !(await attempts.locator("li").first().isVisible()), "attempts are not folded");
    await attempts.locator("summary").click();
    visit.want(page, (await attempts.locator("li:visible").count()) === 2, "attempts are not listed");
    await page.getByRole("link", { name: "Log", exact: true }).first().click();
    await page.waitForURL((url) => url.pathname.startsWith(`/p/${project}/invocations/`));
    await page.waitForLoadState("networkidle");
    const log = page.locator("pre.listing:visible");
    visit.want(page, (await log.count()) === 1, "the log is folded");
    visit.want(page, (await log.textContent()).includes(words), "the log has other words");
    await visit.checkPage(page);
  });
  await page.context().close();
}

// What the checkout has (checkout.sh): annotated source, and the lines that changed.
async function checkSource(visit, { pages, place }, target) {
  const page = await visit.page();
  const hostile = "<script>alert(";
  await visit.attempt("annotated source has the lines of the commit, as text", async () => {
    for (const kind of ["source", "source-all"]) {
      await visit.open(page, `${place}/listing?target=${target}&kind=${kind}`);
      const text = await page.locator("pre.listing").textContent();
      visit.want(page, text.includes("*** File db/json.cc:"), "has no file db/json.cc");
      visit.want(page, / 239477 -> .*\n/.test(text), "has no counts");
      visit.want(page, text.includes(hostile), "has not the attacker's lines");
    }
  });
  await visit.attempt("a finding's page has the lines that changed, as text", async () => {
    let changed = 0, others = 0;
    for (const path of Object.entries(pages).filter(([name]) => /^finding/.test(name)).map((one) => one[1])) {
      await visit.open(page, path);
      const diff = page.locator(".diff").first();
      if ((await diff.count()) === 0) continue;
      await openAll(page);
      changed += await page.locator(".diff tr.added").count();
      visit.want(page, (await page.locator(".diff tr.removed").count()) > 0 ||
                       (await page.locator(".diff tr.added").count()) > 0, "no line changed");
      visit.want(page, (await page.locator(".diff script, .diff img").count()) === 0, "a line is markup");
      others += await page.locator("details .diff").count();
    }
    visit.want(page, changed > 0, "no finding has changed lines");
    visit.want(page, others > 0, "no finding has changed lines of the rest of a file");
  });
  await page.context().close();
}

module.exports = { checkLog, checkSource, openAll };
