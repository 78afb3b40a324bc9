// Builds the scripts and styles of the pages: bundles them, compresses each file, and writes all of
// them as one C++ file (server/http/function_page.h).
//
//   node bundle.mjs NODE_MODULES SOURCES OUT.cc
//
// Run by Bazel (web/BUILD.bazel). Reads the packages and writes the file, without other effects.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const [packages, sources, out] = process.argv.slice(2).map((path) => resolve(path));
const esbuild = createRequire(join(packages, "/"))("esbuild");

// Packages in the bundles or next to them.
const USED = ["uplot", "@hpcc-js/wasm-graphviz"];

const TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const bundled = await esbuild.build({
  entryPoints: ["app.ts", "chart.ts", "flame.ts", "graph.ts", "style.css"].map((name) => join(sources, name)),
  bundle: true,
  splitting: true,
  format: "esm",
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  outdir: "/out",
  chunkNames: "[name]-[hash]",
  nodePaths: [packages],
  preserveSymlinks: true,
  tsconfigRaw: {},
  write: false,
  logLevel: "warning",
});

// style.css already contains the required styles of packages.
const wanted = bundled.outputFiles.filter((file) => !file.path.endsWith(".css") || file.path.endsWith("/style.css"));
const files = new Map(wanted.map((file) => [file.path.split("/").pop(), Buffer.from(file.contents)]));
files.set("icon.svg", readFileSync(join(sources, "icon.svg")));

const literal = (bytes) => {
  // Three-digit octal escapes: a following digit cannot extend them.
  let text = "";
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
    text += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  }
  // Compilers limit the length of a literal, not that of concatenated ones.
  return `absl::string_view("${text.replace(/((?:\\[0-7]{3}|[^\\]){4000})/g, '$1"\n"')}", ${bytes.length})`;
};

const digest = createHash("sha256");
const assets = [];
for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const type = TYPES[name.split(".").pop()];
  if (type === undefined) throw new Error(`${name}: of no known type`);
  digest.update(name).update("\0").update(bytes).update("\0");
  assets.push(`    {"${name}", "${type}",\n${literal(gzipSync(bytes, { level: 9 }))}},`);
}

const licences = USED.map((name) => {
  const about = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
  const file = readdirSync(join(packages, name)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? Buffer.from("") : readFileSync(join(packages, name, file));
  const field = (value) => literal(Buffer.from(String(value)));
  return `    {${field(about.name)}, ${field(about.version)}, ${field(about.license)},\n${literal(text)}},`;
});

writeFileSync(out, `// Made by web/bundle.mjs.
#include "server/http/function_page.h"

namespace gprofhub::server {
namespace {

constexpr Asset kAssets[] = {
${assets.join("\n")}
};

}  // namespace

absl::string_view AssetsVersion() { return "${digest.digest("hex").slice(0, 16)}"; }

absl::Span<const Asset> AllAssets() { return kAssets; }

const Asset* FindAsset(absl::string_view name) {
  for (const Asset& asset : kAssets) {
    if (asset.name == name) return &asset;
  }
  return nullptr;
}

const std::vector<AssetLicence>& AssetLicences() {
  static const auto* const licences = new std::vector<AssetLicence>{
${licences.join("\n")}
  };
  return *licences;
}

}  // namespace gprofhub::server
`);
