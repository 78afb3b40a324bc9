// What all tests of the pages in Chromium share: a browser, pages that note whatever goes wrong on
// them, and the checks that every page has to pass.
const { chromium } = require("playwright-core");
const { readFileSync } = require("node:fs");

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

class Visit {
  // `address` is the server's; `folder` may be written to.
  constructor(address, folder) {
    this.address = address;
    this.folder = folder;
    this.failures = 0;
    this.errors = [];
    this.wanted = new Set(); // codes of answers that a test asks for
  }

  async start() {
    this.browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      // Its own sandbox does not work for root. One scale, one set of fonts' edges: pictures.
      args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--disable-lcd-text",
             "--font-render-hinting=none"],
      env: { ...process.env, HOME: this.folder },
    });
  }

  url(path) {
    return new URL(path, this.address).href;
  }

  // A page that notes errors, violations of the policy, requests for elsewhere and failed answers.
  async page(options = {}) {
    const context = await this.browser.newContext({
      viewport: { width: 390, height: 844 }, reducedMotion: "reduce", ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    const note = (words) => this.errors.push(`${page.url()}: ${words}`);
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`against the policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
    page.on("console", (message) => {
      if (message.type() !== "error") return;
      // The console, too, has the answers that failed.
      if (this.wanted.size > 0 && message.text().startsWith("Failed to load resource")) return;
      note(message.text());
    });
    page.on("pageerror", (error) => note(error));
    page.on("dialog", (dialog) => {
      note(`opens a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(this.address) && !/^(data|blob):/.test(url)) note(`asks for ${url}`);
    });
    page.on("response", (response) => {
      const code = response.status();
      if (code >= 400 && !this.wanted.has(code)) note(`${response.url()} is answered with ${code}`);
    });
    return page;
  }

  async open(page, path) {
    await page.goto(this.url(path), { waitUntil: "load" });
    await page.waitForLoadState("networkidle");
  }

  want(page, holds, words) {
    if (!holds) this.errors.push(`${page.url()}: ${words}`);
  }

  // Runs the steps, and prints whether anything was wrong meanwhile.
  async attempt(name, steps) {
    this.errors = [];
    this.wanted = new Set();
    try {
      await steps();
    } catch (error) {
      this.errors.push(String(error));
    }
    console.log(`${this.errors.length === 0 ? "PASS" : "FAIL"}: ${name}`);
    for (const error of this.errors) console.log(`    ${error}`);
    this.failures += this.errors.length === 0 ? 0 : 1;
  }

  // What holds of every page: one heading, no wider than the window, nothing that keeps people out.
  async checkPage(page) {
    this.want(page, (await page.locator("h1").count()) === 1, "has not one heading");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    this.want(page, wide <= 0, `is ${wide} pixels wider than the window`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() =>
      globalThis.axe.run(document, { resultTypes: ["violations"] }));
    for (const one of violations) {
      const place = one.nodes[0].target.join(" ");
      this.want(page, !["serious", "critical"].includes(one.impact),
                `axe: ${one.id}, ${one.impact}: ${one.help}: ${place} ${one.nodes[0].failureSummary}`);
    }
  }

  async end() {
    await this.browser.close();
    process.exitCode = this.failures === 0 ? 0 : 1;
  }
}

// Runs `tests` on a visit of the server that the command line names.
function visiting(tests) {
  const [address, folder] = process.argv.slice(2);
  const visit = new Visit(address, folder);
  (async () => {
    await visit.start();
    await tests(visit);
    await visit.end();
  })().catch((error) => {
    console.log(`FAIL: the pages can be opened\n    ${error.stack}`);
    process.exit(1);
  });
}

module.exports = { Visit, visiting };
