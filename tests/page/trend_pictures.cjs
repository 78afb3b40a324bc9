// The pictures of comments, as a browser takes them: as XML, and as an image of another page. The
// addresses are signed here as reporter/posting/post_report.cc signs them.
const { createHmac } = require("node:crypto");
const { readFileSync } = require("node:fs");

// The far end of the year 2100.
const UNTIL = 4133980799;
const [WIDTH, HEIGHT] = [640, 170];

// All but unreserved characters (RFC 3986, 2.3).
const coded = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function addressOf(key, project, run, name, target, what) {
  const query = `project=${coded(project)}&run=${run}&base=${"a".repeat(40)}&function=${coded(name)}` +
    `&target=${coded(target)}&what=${what}&until=${UNTIL}`;
  const sign = createHmac("sha256", key).update(`gprofhub picture 1\n${query}`).digest("hex");
  return `/picture/trend.svg?${query}&sign=${sign}`;
}

// What an XML parser makes of it.
const parsed = (page, text) => page.evaluate((svg) => {
  const document = new DOMParser().parseFromString(svg, "image/svg+xml");
  const all = [...document.querySelectorAll("*")];
  return {
    error: document.querySelector("parsererror")?.textContent ?? "",
    root: `${document.documentElement.namespaceURI} ${document.documentElement.localName}`,
    names: [...new Set(all.map((one) => one.localName))],
    attributes: [...new Set(all.flatMap((one) => [...one.attributes].map((a) => a.name)))],
    text: document.documentElement.textContent,
  };
}, text);

const ELEMENTS = new Set(["svg", "g", "title", "desc", "text", "tspan", "rect", "path", "line",
                          "circle", "polyline"]);

async function checkOne(visit, page, address) {
  const answer = await fetch(visit.url(address));
  visit.want(page, answer.status === 200, `${address} is answered with ${answer.status}`);
  const picture = await parsed(page, await answer.text());
  visit.want(page, picture.error === "", `${address} is not well-formed: ${picture.error}`);
  visit.want(page, picture.root === "http://www.w3.org/2000/svg svg", `${address} is ${picture.root}`);
  for (const name of picture.names) {
    visit.want(page, ELEMENTS.has(name), `${address} has an element ${name}`);
  }
  for (const name of picture.attributes) {
    visit.want(page, !/^on|href|^src$|^style$/.test(name), `${address} has an attribute ${name}`);
  }
  const size = await page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  }, visit.url(address));
  visit.want(page, String(size) === String([WIDTH, HEIGHT]), `${address} is ${size} pixels large`);
  return picture;
}

// `keyFile` is the server's; each run is of a project, with the functions and the targets that it
// has findings of.
async function checkTrendPictures(visit, keyFile, runs) {
  const key = readFileSync(keyFile);
  const page = await visit.page();
  for (const { project, run, findings } of runs) {
    await visit.attempt(`pictures of ${project} for comments are XML, and images`, async () => {
      visit.want(page, findings.length > 0, `${project} has no findings`);
      for (const { function: name, function_display: display, target } of findings) {
        for (const what of ["calls", "time"]) {
          const picture = await checkOne(visit, page, addressOf(key, project, run, name, target, what));
          // Short names that print stand there whole.
          if (/^[\w:() ]{1,30}$/.test(display)) {
            visit.want(page, picture.text.includes(display), `has no name ${display}`);
          }
        }
      }
    });
  }
  await page.context().close();
}

module.exports = { addressOf, checkTrendPictures };
