// The pages below a path of another server, in Chromium: through a proxy that keeps the path, and
// through one that strips it. below_test.sh starts it.
//
//   NODE_PATH=NODE_MODULES node below.cjs ADDRESS FOLDER PATH TOKEN_FILE KEY_FILE
const http = require("node:http");
const { readFileSync } = require("node:fs");
const { addressOf } = require("./trend_pictures.cjs");
const { visiting } = require("./visit.cjs");

const [prefix, tokenFile, keyFile] = process.argv.slice(4);

// Listens, and knows nothing but what is below the path.
function startProxy(address, keepsPath) {
  const { hostname, port } = new URL(address);
  const proxy = http.createServer((request, response) => {
    if (!request.url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const path = keepsPath ? request.url : request.url.slice(prefix.length);
    const headers = { ...request.headers, connection: "close" };
    const forwarded = http.request({ hostname, port, path, headers, method: request.method, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
    forwarded.on("error", () => response.destroy());
    request.pipe(forwarded);
  });
  return new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(proxy)));
}

const at = (page, path) => page.waitForURL((url) => url.pathname === `${prefix}/${path}`);

async function logIn(visit, page) {
  await page.goto(visit.url("p/acme/runs"));
  await at(page, "login");
  await page.getByLabel("Token").fill(readFileSync(tokenFile, "utf8").trim());
  await page.getByRole("button", { name: "Log in" }).click();
  await at(page, "p/acme/runs");
  const cookies = await page.context().cookies();
  visit.want(page, cookies.length === 1 && cookies[0].path === prefix,
             `cookies are of ${cookies.map((one) => one.path)}`);
}

// Which page it is; of each kind one is visited.
function kindOf(url) {
  const segments = url.pathname.slice(prefix.length).split("/").slice(1);
  if (segments.length > 3) segments[3] = "*";
  if (segments[2] === "compare" && segments.length > 4) segments[4] = "*";
  return segments.join("/") + (url.searchParams.has("kind") ? `?kind=${url.searchParams.get("kind")}` : "");
}

// Follows links from the projects on. Visit.page notes each request that leaves the path.
async function followLinks(visit, page) {
  const seen = new Map();
  const queue = [visit.url("")];
  seen.set(kindOf(new URL(queue[0])), queue[0]);
  while (queue.length > 0) {
    await visit.open(page, queue.shift());
    const paths = await page.locator("[href], [src], [action], [data-url], [data-entry], [data-compare], [data-verdict]")
      .evaluateAll((all) => all.flatMap((one) => [...one.attributes].map((a) => a.value)));
    for (const path of paths.filter((text) => /^\/[^/]/.test(text))) {
      visit.want(page, path.startsWith(`${prefix}/`), `has the address ${path}`);
    }
    for (const place of await page.locator("#flame, #drawn, #trend").all()) {
      visit.want(page, (await place.getAttribute("data-drawn")) === "true", "has a picture that is not drawn");
    }
    visit.want(page, (await page.getByText("not known:").count()) === 0, "has a verdict that is not known");
    for (const href of await page.locator("a[href]").evaluateAll((all) => all.map((one) => one.href))) {
      const url = new URL(href);
      if (!href.startsWith(visit.address) || seen.has(kindOf(url))) continue;
      // Files are downloaded, not shown.
      if (url.searchParams.has("format")) continue;
      seen.set(kindOf(url), href);
      // The API's description is not a page.
      if (!/json$/.test(url.pathname)) queue.push(href);
    }
  }
  for (const kind of ["p/acme", "p/acme/gate", "p/acme/function", "p/acme/runs/*", "p/acme/runs/*/flame",
                      "p/acme/runs/*/drawn", "p/acme/runs/*/graph", "p/acme/runs/*/listing?kind=flat",
                      "p/acme/compare/*", "p/acme/compare/*/*", "licences", "api/v1/openapi.json"]) {
    visit.want(page, seen.has(kind), `no link leads to ${kind}, only to ${[...seen.keys()]}`);
  }
  return seen;
}

async function act(visit, page, finding) {
  await visit.open(page, finding);
  await page.getByLabel("Reason").fill("below a path");
  await page.getByRole("button", { name: "Accept" }).click();
  await page.getByText("below a path").first().waitFor();
  visit.want(page, page.url().startsWith(finding.split("?")[0]), "is not the finding's page");
  await page.getByRole("link", { name: "Gate" }).click();
  const row = page.locator("tr", { hasText: "below a path" });
  await row.getByRole("button", { name: "Take back" }).click();
  await row.waitFor({ state: "detached" });
  await at(page, "p/acme/gate");
}

async function goByScripts(visit, page, drawn) {
  await visit.open(page, drawn);
  await page.locator("#node-0").click();
  await page.waitForURL((url) => kindOf(url) === "p/acme/runs/*/graph" && url.searchParams.has("function"));
  await visit.open(page, visit.url("p/acme"));
  await page.keyboard.press("/");
  await page.keyboard.type("JsonWriter");
  await page.keyboard.press("Enter");
  await at(page, "p/acme/search");
  await page.locator("main").getByRole("link", { name: "JsonWriter" }).first().click();
  await at(page, "p/acme/function");
}

async function fetchOthers(visit, page, run) {
  const api = await (await page.request.get(visit.url("api/v1/openapi.json"))).json();
  visit.want(page, api.servers[0].url === `${prefix}/api/v1`, `the API is at ${api.servers[0].url}`);
  const name = "_ZN2db10JsonWriter6AppendEc";
  const picture = addressOf(readFileSync(keyFile), "acme", run, name, "//db:query_test", "calls");
  const answer = await fetch(visit.url(picture.slice(1)));
  visit.want(page, answer.status === 200, `a signed picture is answered with ${answer.status}`);
}

async function logOut(visit, page) {
  await visit.open(page, visit.url("p/acme"));
  await page.getByRole("button", { name: "Log out" }).click();
  await at(page, "");
  await page.goto(visit.url("p/acme"));
  await at(page, "login");
}

visiting(async (visit) => {
  const server = visit.address;
  for (const keepsPath of [true, false]) {
    const proxy = await startProxy(server, keepsPath);
    visit.address = `http://127.0.0.1:${proxy.address().port}${prefix}/`;
    const page = await visit.page();
    const attempt = (name, steps) =>
      visit.attempt(`a proxy that ${keepsPath ? "keeps" : "strips"} the path: ${name}`, steps);
    let seen = new Map();
    await attempt("people log in, and come to their page", () => logIn(visit, page));
    await attempt("each link leads to a page", async () => (seen = await followLinks(visit, page)));
    await attempt("a finding is acknowledged, and that is taken back", () =>
      act(visit, page, seen.get("p/acme/compare/*/*")));
    await attempt("scripts lead to pages", () => goByScripts(visit, page, seen.get("p/acme/runs/*/drawn")));
    await attempt("the API and a comment's picture", async () => {
      const { runs } = await (await page.request.get(visit.url("api/v1/projects/acme/runs"))).json();
      await fetchOthers(visit, page, runs[0].run_id);
    });
    await attempt("people log out", () => logOut(visit, page));
    await page.context().close();
    proxy.close();
  }
});
