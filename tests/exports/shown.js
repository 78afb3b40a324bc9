// Compares what a viewer shows with the profile as our JSON has it.
//
//     node shown.js PROFILE.json kcachegrind GRAPH
//     node shown.js PROFILE.json speedscope PAGE
//
// Every function with its times and, in KCachegrind, every call with its count
// and time must be shown, and nothing else. Names are assumed to be distinct.
'use strict';
const fs = require('fs');

const profile = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const shown = fs.readFileSync(process.argv[4], 'utf8');
const nameOf = new Map(profile.functions.map((f) => [f.id, f.name]));
const problems = [];

// Both have what was found under a name; times in seconds.
function compare(what, found, expected, tolerance) {
  for (const [name, value] of expected) {
    const other = found.get(name);
    if (other === undefined) {
      problems.push(`${what} ${name} is not shown`);
    } else if (value.some((part, i) => !(Math.abs(part - other[i]) <= tolerance(part, i)))) {
      problems.push(`${what} ${name} is shown with ${other}, not ${value}`);
    }
  }
  for (const name of found.keys()) {
    if (!expected.has(name)) problems.push(`${what} ${name} is shown, but not in the profile`);
  }
}

// The labels keep room for names and numbers: "** main____ **\n**\n70 116", and at a call
// "35 058 (10x)"; costs are whole microseconds, summed up from rounded ones.
function compareKCachegrind() {
  const names = new Map();
  const functions = new Map();
  const calls = new Map();
  for (const line of shown.split('\n')) {
    const node = /^\s*(F\w+) \[.*label="\*\* (.*?)_* \*\*\\n\*\*\\n([\d ]+)"/.exec(line);
    if (node) {
      names.set(node[1], node[2]);
      functions.set(node[2], [Number(node[3].replaceAll(' ', '')) / 1e6]);
    }
    const edge = /^\s*(F\w+) -> (F\w+) \[.*label="([\d ]+) \(([\d ]+)x\)"/.exec(line);
    if (edge) {
      calls.set(`${names.get(edge[1])} -> ${names.get(edge[2])}`,
                [edge[3], edge[4]].map((text) => Number(text.replaceAll(' ', ''))));
    }
  }
  compare('function', functions,
          new Map(profile.functions.filter((f) => f.self + f.children > 0)
                      .map((f) => [f.name, [f.self + f.children]])), () => 2.1e-6);
  // A function's calls of itself have no arrow.
  compare('call', calls,
          new Map(profile.calls.filter((c) => c.caller !== c.callee).map((c) => [
            `${nameOf.get(c.caller)} -> ${nameOf.get(c.callee)}`,
            [(c.self + c.children) * 1e6, c.count],
          ])), (_, i) => (i === 0 ? 1 : 0));
}

// A row of the table: total, own time, name; four digits of each.
function compareSpeedscope() {
  const title = /<title>(.*?)<\/title>/.exec(shown);
  if (!title || title[1] !== `${profile.image} - speedscope`) {
    problems.push(`the page's title is ${title && title[1]}`);
  }
  const units = {ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1};
  const cells = /<tr[^>]*><td[^>]*>([\d.]+)(\S+) .*?<td[^>]*>([\d.]+)(\S+) .*?<\/span>([^<]*)<\/td>/g;
  const functions = new Map();
  for (const [, total, totalUnit, self, selfUnit, name] of shown.matchAll(cells)) {
    functions.set(name, [total * units[totalUnit], self * units[selfUnit]]);
  }
  compare('function', functions,
          new Map(profile.functions.filter((f) => f.self + f.children > 0)
                      .map((f) => [f.name, [f.self + f.children, f.self]])),
          (seconds) => 0.005 * seconds + 1e-9);
}

({kcachegrind: compareKCachegrind, speedscope: compareSpeedscope})[process.argv[3]]();
if (problems.length > 0) {
  console.log(problems.join('\n'));
  console.log(shown);
  process.exit(1);
}
