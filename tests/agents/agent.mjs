// An agent's questions about the demo's pull request, by the official client. Each answer is printed
// as PASS or FAIL and a name. Usage: node agent.mjs GPROFHUB SERVER PAGES
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [gprofhub, server, pages] = process.argv.slice(2);
const client = new Client({ name: "agents-test", version: "1" });
await client.connect(
  new StdioClientTransport({
    command: gprofhub,
    args: ["mcp", "--server", server, "--project", "demo"],
    stderr: "inherit",
  }),
);

let failures = 0;
async function check(name, test) {
  let wrong;
  try {
    wrong = await test();
  } catch (error) {
    wrong = String(error);
  }
  console.log(wrong ? `${wrong}\nFAIL: ${name}` : `PASS: ${name}`);
  failures += wrong ? 1 : 0;
}

const MOST_BYTES = 8500;
async function ask(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  if (JSON.stringify(result).length > MOST_BYTES) throw new Error(`${name}: a long answer`);
  return { text: result.content[0].text, data: result.structuredContent };
}

await check("the client lists read-only tools", async () => {
  const { tools } = await client.listTools();
  return tools.length >= 7 && tools.every((tool) => tool.annotations.readOnlyHint)
    ? ""
    : JSON.stringify(tools);
});

let finding;
await check("an agent finds the call that the demo's pull request added", async () => {
  const { data } = await ask("compare");
  finding = data.findings.find((one) => one.verdict === "regressed" && one.material);
  return finding && finding.metric === "calls" && finding.confidence === "exact" && finding.site.line > 0
    ? ""
    : JSON.stringify(data.findings);
});
await check("a finding is explained with a command that verifies a repair", async () => {
  const { text, data } = await ask("explain", { finding: finding.id });
  return text.includes(`gprofhub verify ${finding.id}`) && data.head.path.length > 0 ? "" : text;
});
await check("callers and callees have the finding's counts", async () => {
  const { data } = await ask("callers_and_callees", {
    function: finding.caller_display,
    target: finding.target,
  });
  // One row for each call site.
  const sites = data.arcs.filter(
    (arc) => arc.kind === "callee" && arc.function === finding.function_display,
  );
  const calls = sites.reduce((sum, arc) => sum + arc.calls, 0);
  return calls === finding.after && sites.some((arc) => arc.site.line === finding.site.line)
    ? ""
    : JSON.stringify([finding, data]);
});
await check("the hottest functions are ranked", async () => {
  const { data } = await ask("hottest_functions", { target: finding.target, limit: 5 });
  const shares = data.functions.map((one) => one.self);
  return shares.length === 5 && shares.every((share, i) => i === 0 || share <= shares[i - 1])
    ? ""
    : JSON.stringify(data);
});
await check("runs and a trend are listed", async () => {
  const runs = await ask("list_runs");
  const trend = await ask("function_trend", { function: finding.function_display });
  return runs.data.runs.length > 1 && trend.data.points.length > 0 ? "" : JSON.stringify(trend.data);
});
await check("a resource is the comparison", async () => {
  const { resources } = await client.listResources();
  const read = await client.readResource({ uri: resources[0].uri });
  return read.contents[0].text.includes(finding.id) ? "" : read.contents[0].text;
});
await check("a wrong argument is an error that names it", async () => {
  const result = await client.callTool({ name: "compare", arguments: { runs: "7" } });
  return result.isError && result.content[0].text.includes("runs") ? "" : JSON.stringify(result);
});
await client.close();

await check("over HTTP the answers are the same", async () => {
  const remote = new Client({ name: "agents-test", version: "1" });
  await remote.connect(new StreamableHTTPClientTransport(new URL("mcp?project=demo", pages)));
  const { structuredContent } = await remote.callTool({ name: "compare", arguments: {} });
  await remote.close();
  return structuredContent.findings.some((one) => one.id === finding.id)
    ? ""
    : JSON.stringify(structuredContent);
});
process.exit(failures ? 1 : 0);
