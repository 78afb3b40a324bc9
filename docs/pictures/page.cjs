// One picture of a comparison's page. docs/pictures/page starts it.
//
//   NODE_PATH=NODE_MODULES node page.cjs ADDRESS FOLDER PICTURE
const { visiting } = require("../../tests/page/visit.cjs");

visiting(async (visit) => {
  const page = await visit.page({ viewport: { width: 1000, height: 760 }, colorScheme: "light" });
  await visit.attempt("the picture is taken", async () => {
    await visit.open(page, "/p/demo/compare/latest");
    visit.want(page, (await page.locator(".verdict").count()) === 1, "says no verdict");
    await page.screenshot({ path: process.argv[4], animations: "disabled", caret: "hide" });
  });
});
