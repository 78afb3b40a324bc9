// What a person does with the pages, in Chromium. page_test.sh starts it.
//
//   NODE_PATH=NODE_MODULES node browse.cjs ADDRESS FOLDER
const { chromium } = require("playwright-core");

const [address, folder] = process.argv.slice(2);
let failures = 0;

function check(name, errors) {
  console.log(`${errors.length === 0 ? "PASS" : "FAIL"}: ${name}`);
  for (const error of errors) console.log(`    ${error}`);
  failures += errors.length === 0 ? 0 : 1;
}

async function main() {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    // Its own sandbox does not work for root.
    args: ["--no-sandbox", "--disable-gpu"],
    env: { ...process.env, HOME: folder },
  });
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  page.setDefaultTimeout(60000);
  let errors = [];
  // A violation of the policy is an error of the console, too.
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith("data:") && !url.startsWith("blob:")) {
      errors.push(`${page.url()}: asks for ${url}`);
    }
  });
  page.on("response", (response) => {
    if (response.status() >= 400) errors.push(`${response.url()}: ${response.status()}`);
  });
  const open = async (path) => {
    await page.goto(new URL(path, address).href, { waitUntil: "load" });
    await page.waitForLoadState("networkidle");
  };
  const attempt = async (name, steps) => {
    errors = [];
    try {
      await steps();
    } catch (error) {
      errors.push(String(error));
    }
    check(name, errors);
  };
  const want = (holds, words) => {
    if (!holds) errors.push(`${page.url()}: ${words}`);
  };

  const api = async (path) => (await fetch(new URL(`/api/v1${path}`, address))).json();
  const project = (await api("/projects")).projects[0];
  const runs = (await api(`/projects/${project}/runs`)).runs;
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

  const pages = {
    home: "/", project: `/p/${project}`, runs: `/p/${project}/runs`, run: place,
    comparison: `/p/${project}/compare/${run}`, function: `/p/${project}/function`,
    "call graph": `${place}/graph?target=${target}`,
    "drawn call graph": `${place}/drawn?target=${target}`,
    "flame graph": `${place}/flame?target=${target}`,
    listing: `${place}/listing?target=${target}`,
    files: `${place}/download?target=${target}`,
    changes: `/p/${project}/changes`, gate: `/p/${project}/gate`, licences: "/licences",
  };
  for (const [name, path] of Object.entries(pages)) {
    await attempt(`the page ${name} has no errors`, async () => {
      await open(path);
      want((await page.locator("h1").count()) === 1, "has no heading");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      want(wide <= 0, `is ${wide} pixels wider than a telephone`);
    });
  }
  await attempt("the drawn graph and the flame graph are drawn", async () => {
    await open(pages["drawn call graph"]);
    await page.locator("svg g.node").first().waitFor();
    await open(pages["flame graph"]);
    await page.locator("svg g.frame").first().waitFor();
  });
  await attempt("from the comment's link to a finding and to its line", async () => {
    await open(pages.comparison);
    // What is folded is opened. Of a group of functions there is no line.
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    const links = page.locator(`a[href^="/p/${project}/compare/${run}/"]:visible`);
    let at = 0;
    for (const link of await links.all()) {
      const text = await (await fetch(new URL(await link.getAttribute("href"), address))).text();
      if (text.includes("https://forge.example/sqlite/blob/")) break;
      ++at;
    }
    await links.nth(at).click();
    await page.waitForURL((url) => url.pathname.split("/").length === 6);
    await page.waitForLoadState("networkidle");
    const line = page.locator('a[href^="https://forge.example/sqlite/blob/"]:visible').first();
    want(/#L[1-9]/.test((await line.getAttribute("href")) ?? ""), "has no link to a line");
  });
  await attempt("from a function to its trend and to a run", async () => {
    await open(pages.function);
    await page.locator(`main a[href^="/p/${project}/function?"]:visible`).first().click();
    await page.locator("canvas, .u-wrap").first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.locator(`main table a[href^="/p/${project}/"]:visible`).first().click();
    await page.waitForLoadState("networkidle");
    want((await page.locator("h1").count()) === 1, "leads nowhere");
  });
  await attempt("without scripts the pages can be read", async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const reader = await plain.newPage();
    for (const path of [pages.comparison, pages["flame graph"], pages["drawn call graph"]]) {
      await reader.goto(new URL(path, address).href);
      want((await reader.locator("main table tr, main li").count()) > 0, `${path}: has no table`);
    }
    await plain.close();
  });
  await browser.close();
  process.exitCode = failures === 0 ? 0 : 1;
}

main().catch((error) => {
  check(`the pages can be opened: ${error}`, [String(error)]);
  process.exitCode = 1;
});
