// The hottest part of the call graph, drawn by Graphviz.
import { colour, dark } from "./colours";
import { drawn, load } from "./load";

interface Graph {
  nodes: { name: string; display: string; self_share: number; share: number; calls: number }[];
  edges: { from: number; to: number; calls: number; share: number }[];
}

const place = document.querySelector<HTMLElement>("#drawn");
const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

// A quoted DOT string, escaped.
const quoted = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " ")}"`;
const short = (name: string): string => (name.length > 44 ? `${name.slice(0, 28)}…${name.slice(-14)}` : name);

function dotOf(graph: Graph): string {
  const ink = colour("ink");
  const lines = graph.nodes.map((node, i) => {
    const label = `${short(node.display)}\n${percent(node.share)} (own ${percent(node.self_share)})`;
    const text = quoted(label.replaceAll("\n", "\u0001")).replaceAll("\u0001", "\\n");
    const strength = Math.min(1, Math.sqrt(node.share));
    const fill = dark.matches ? `0.07 ${(0.65 * strength).toFixed(3)} ${(0.2 + 0.25 * strength).toFixed(3)}`
                              : `0.07 ${(0.55 * strength).toFixed(3)} 0.98`;
    return `n${i} [id="node-${i}" label=${text} fillcolor="${fill}"]`;
  });
  const edges = graph.edges.map(
    (edge) =>
      `n${edge.from} -> n${edge.to} [label="${count.format(edge.calls)}" ` +
      `penwidth=${(1 + 4 * Math.sqrt(Math.min(1, edge.share))).toFixed(2)}]`,
  );
  return `digraph { bgcolor="transparent"; rankdir=TB;
    node [shape=box style="filled,rounded" color="${colour("line")}" fontcolor="${ink}" fontname="Helvetica" fontsize=11 margin="0.2,0.06"];
    edge [color="${colour("quiet")}" fontcolor="${colour("quiet")}" fontname="Helvetica" fontsize=10];
    ${lines.join("\n")}\n${edges.join("\n")} }`;
}

async function show(at: HTMLElement): Promise<void> {
  const graph = await load<Graph>(at);
  if (graph === null) return;
  const { Graphviz } = await import("./graphviz");
  const graphviz = await Graphviz.load();
  const draw = (): void => {
    const text = graphviz.layout(dotOf(graph), "svg", "dot");
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Call graph; the table below has the same");
    at.replaceChildren(document.importNode(svg, true));
    graph.nodes.forEach((node, i) => {
      const shape = at.querySelector(`#node-${i}`);
      shape?.addEventListener("click", () => {
        const url = new URL(at.dataset["entry"]!, location.href);
        url.searchParams.set("function", node.name);
        location.href = url.href;
      });
    });
    drawn(at);
  };
  draw();
  dark.addEventListener("change", draw);
}

if (place !== null) void show(place);
