// How long each tool takes, on standard input and output and over HTTP: benchmarks/agents/run starts
// it. Prints a row for each tool: the median and the longest of TURNS calls, in milliseconds, and the
// bytes of the answer. Usage: node measure.mjs GPROFHUB SERVER PAGES TURNS
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [gprofhub, server, pages, turns] = process.argv.slice(2);

async function connect(transport) {
  const client = new Client({ name: "measure", version: "1" });
  await client.connect(transport);
  return client;
}

const byCommand = (project) =>
  connect(new StdioClientTransport({ command: gprofhub, args: ["mcp", "--server", server, "--project", project] }));
const byHttp = (project) =>
  connect(new StreamableHTTPClientTransport(new URL(`mcp?project=${project}`, pages)));

// One call that counts for nothing, then TURNS.
async function timed(call) {
  const times = [];
  let bytes = 0;
  for (let turn = 0; turn <= turns; ++turn) {
    const began = performance.now();
    const answer = await call();
    if (turn > 0) times.push(performance.now() - began);
    if (answer.isError) throw new Error(answer.content[0].text);
    bytes = JSON.stringify(answer).length;
  }
  times.sort((a, b) => a - b);
  const shown = (time) => time.toFixed(time < 10 ? 1 : 0);
  return { median: shown(times[times.length >> 1]), longest: shown(times.at(-1)), bytes };
}

async function asked(client, name, args = {}) {
  const answer = await client.callTool({ name, arguments: args });
  if (answer.isError) throw new Error(`${name}: ${answer.content[0].text}`);
  return answer.structuredContent;
}

// {what: [project, tool, arguments]}, with the names that the store has.
async function questions() {
  const clients = {};
  for (const project of ["runs", "targets", "findings"]) clients[project] = await byHttp(project);
  const { findings } = await asked(clients.findings, "compare");
  const calls = findings.find((finding) => finding.caller_display) ?? findings[0];
  const runs = await asked(clients.runs, "list_runs", { limit: 1 });
  const hottest = await asked(clients.runs, "hottest_functions", { limit: 1 });
  for (const client of Object.values(clients)) await client.close();
  return {
    "`list_runs`, 1,000 runs": ["runs", "list_runs", {}],
    "`compare`, newest of 1,000 runs": ["runs", "compare", {}],
    "`function_trend`, 1,000 runs": ["runs", "function_trend", { function: hottest.functions[0].function, limit: runs.total ?? 1000 }],
    "`hottest_functions`, 1,000 runs": ["runs", "hottest_functions", {}],
    "`compare`, 1,000 targets": ["targets", "compare", {}],
    "`compare`, 500 findings": ["findings", "compare", {}],
    "`explain`, 500 findings": ["findings", "explain", { finding: calls.id }],
    "`callers_and_callees`, 500 findings": ["findings", "callers_and_callees", { function: calls.function_display, target: calls.target }],
  };
}

const asking = await questions();
console.log("| answer | command: median, longest ms | HTTP: median, longest ms | bytes |");
console.log("|---|---:|---:|---:|");
const ways = [byCommand, byHttp];
const pings = [];
for (const way of ways) {
  const client = await way("runs");
  pings.push(await timed(() => client.ping()));
  await client.close();
}
const row = (what, [command, http]) =>
  console.log(`| ${what} | ${command.median}, ${command.longest} | ${http.median}, ${http.longest} | ${http.bytes} |`);
row("`ping`, for comparison", pings);
for (const [what, [project, tool, args]] of Object.entries(asking)) {
  const taken = [];
  for (const way of ways) {
    const client = await way(project);
    taken.push(await timed(() => client.callTool({ name: tool, arguments: args })));
    await client.close();
  }
  row(what, taken);
}
