// Pictures of pages, compared with those of pictures/. Edges of letters may differ a little from one
// version of the browser to the next: a pixel counts where a colour is far off, and a picture is
// another one where more than 1 of 100 pixels count.
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const FAR = 64; // of 255
const MOST = 0.01;

const KEPT = join(__dirname, "pictures");
const WIDE = { viewport: { width: 1200, height: 800 }, colorScheme: "light" };
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: "dark" };
const PICTURES = [
  ["run", "run", WIDE], ["comparison", "comparison", WIDE],
  ["comparison-narrow", "comparison", NARROW],
  ["finding-narrow", "finding 0", NARROW], ["function", "function _ZN2db6Memory4SizeEPKv", WIDE],
  ["call-graph", "graph around a function", WIDE], ["flame", "flame graph 1", WIDE],
  ["flame-of-two", "flame graph of two runs", NARROW], ["drawn", "drawn 1", WIDE],
];

// The share of pixels that differ; 1 where the sizes do. `page` is any page of no policy.
async function difference(page, a, b) {
  const urls = [a, b].map((bytes) => `data:image/png;base64,${bytes.toString("base64")}`);
  return page.evaluate(async ([far, ...sources]) => {
    const pixels = [];
    for (const source of sources) {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      pixels.push(context.getImageData(0, 0, image.width, image.height));
    }
    const [one, other] = pixels;
    if (one.width !== other.width || one.height !== other.height) return 1;
    let count = 0;
    for (let i = 0; i < one.data.length; i += 4) {
      for (let c = 0; c < 3; ++c) {
        if (Math.abs(one.data[i + c] - other.data[i + c]) > far) {
          ++count;
          break;
        }
      }
    }
    return count / (one.data.length / 4);
  }, [FAR, ...urls]);
}

// Takes all pictures. `into`: a folder that they are written to; empty: none.
async function checkPictures(visit, pages, into) {
  const blank = await (await visit.browser.newContext()).newPage();
  if (into !== "") mkdirSync(into, { recursive: true });
  for (const [name, of, options] of PICTURES) {
    await visit.attempt(`the picture ${name} is as it was`, async () => {
      const page = await visit.page(options);
      await visit.open(page, pages[of]);
      const picture = page.locator("#flame, #drawn, #trend");
      if ((await picture.count()) > 0) await page.locator("[data-drawn]").waitFor();
      const taken = await page.screenshot({ animations: "disabled", caret: "hide" });
      if (into !== "") writeFileSync(join(into, `${name}.png`), taken);
      const kept = join(KEPT, `${name}.png`);
      if (!existsSync(kept)) throw new Error(`there is no ${kept}; tests/page/pictures.sh makes it`);
      const share = await difference(blank, readFileSync(kept), taken);
      visit.want(page, share <= MOST,
                 `${(share * 100).toFixed(1)}% of the pixels differ; look, then run tests/page/pictures.sh`);
      await page.context().close();
    });
  }
}

// Takes whole pages, at both widths in light and dark, for people to look at.
async function takeAll(visit, pages, into) {
  mkdirSync(into, { recursive: true });
  for (const width of [1400, 390]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await visit.page({ viewport: { width, height: 900 }, colorScheme });
      for (const [name, path] of Object.entries(pages)) {
        await visit.attempt(`${name}, ${width} pixels, ${colorScheme}`, async () => {
          await visit.open(page, path);
          const file = `${name.replaceAll(/[^\w-]+/g, "-")}-${width}-${colorScheme}.png`;
          await page.screenshot({ path: join(into, file), fullPage: true, animations: "disabled" });
        });
      }
      await page.context().close();
    }
  }
}

module.exports = { checkPictures, takeAll };
