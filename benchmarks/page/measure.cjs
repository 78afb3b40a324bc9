// How long large pages take in Chromium: benchmarks/page/run starts it.
//
//   NODE_PATH=NODE_MODULES node measure.cjs ADDRESS FOLDER TURNS
//
// Prints a row for each page, medians in milliseconds:
//   server       from the request to the first byte of its answer; the first time, and then again
//   content      from that byte until something is painted
//   interactive  from that byte until the scripts are done, and pictures are drawn
const { Visit } = require("../../tests/page/visit.cjs");

const [address, folder, turns] = process.argv.slice(2);

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// One view in a browser that has the scripts and styles already, as a second visit has.
async function view(page, url, picture) {
  await page.goto("about:blank");
  await page.goto(url, { waitUntil: "load" });
  if (picture !== "") await page.locator(picture).waitFor({ state: "attached" });
  return page.evaluate(async () => {
    // Whatever was to be done on the page's own thread comes before this.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const isPainted = () => performance.getEntriesByName("first-contentful-paint").length > 0;
    while (!isPainted()) await new Promise((resolve) => setTimeout(resolve, 10));
    const [navigation] = performance.getEntriesByType("navigation");
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const drawn = performance.getEntriesByName("drawn")[0]?.startTime ?? 0;
    return {
      server: navigation.responseStart - navigation.requestStart,
      content: paint.startTime - navigation.responseStart,
      interactive: Math.max(navigation.domContentLoadedEventEnd, drawn) - navigation.responseStart,
      bytes: navigation.transferSize,
    };
  });
}

// How many frames the server sends for a flame graph: it leaves out what has nearly no time.
async function framesOf(api, address) {
  const { root } = await api(`/projects/${address}`);
  let frames = 0;
  for (const open = [root]; open.length > 0; ++frames) open.push(...(open.pop().children ?? []));
  return frames;
}

(async () => {
  const visit = new Visit(address, folder);
  await visit.start();
  const api = async (path) => (await fetch(visit.url(`/api/v1${path}`))).json();
  const newest = async (project) => (await api(`/projects/${project}/runs?limit=1`)).runs[0].run_id;
  const frames = `/p/frames/runs/${await newest("frames")}`;
  const pages = [
    ["licences, for comparison", "/licences", ""],
    ["a run of 1,000 targets", `/p/targets/runs/${await newest("targets")}`, ""],
    ["a comparison with 500 findings", `/p/findings/compare/${await newest("findings")}`, ""],
    ["a flame graph of 50,000 frames",
     `${frames}/flame?target=${encodeURIComponent("//tree:frames_test")}`, "#flame[data-drawn]"],
    ["a trend over 10,000 runs",
     "/p/runs/function?name=_ZN2db6Memory4SizeEPKv&limit=10000", "#trend[data-drawn]"],
  ];
  console.log("| page | server, first | server, again | content | interactive | kB sent |");
  console.log("|---|---:|---:|---:|---:|---:|");
  for (const [name, path, picture] of pages) {
    const page = await visit.page({ viewport: { width: 1200, height: 900 } });
    const seen = [];
    for (let turn = 0; turn <= Number(turns); ++turn) {
      seen.push(await view(page, visit.url(path), picture));
    }
    const again = seen.slice(1);
    const of = (what) => Math.round(median(again.map((one) => one[what])));
    console.log(`| ${name} | ${Math.round(seen[0].server)} | ${of("server")} | ${of("content")} ` +
                `| ${of("interactive")} | ${Math.round(again[0].bytes / 1000)} |`);
    await page.context().close();
  }
  // What is measured is as large as it is said to be. Asked for last: the first view finds nothing
  // that the server has kept.
  const sent = await framesOf(api, `${frames.replace("/p/", "")}/stacks`);
  if (sent < 50000) {
    visit.errors.push(`the flame graph has ${sent} frames only: remove the store that run keeps`);
  }
  for (const error of visit.errors) console.error(error);
  await visit.browser.close();
  process.exitCode = visit.errors.length === 0 ? 0 : 1;
})();
