// The hottest part of the call graph, drawn by Graphviz. At scale 1 its texts have 14 pixels; the box
// scrolls, also with the arrow keys.
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
    const label = `${short(node.display)}\n${percent(node.share)} (self ${percent(node.self_share)})`;
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
    node [shape=box style="filled,rounded" color="${colour("line")}" fontcolor="${ink}" fontname="Helvetica" fontsize=14 margin="0.3,0.08"];
    edge [color="${colour("quiet")}" fontcolor="${colour("quiet")}" fontname="Helvetica" fontsize=14];
    ${lines.join("\n")}\n${edges.join("\n")} }`;
}

// ---- Zoom and pan ----

const [smallest, largest, step] = [0.2, 3, 1.25];

// The point of the box at (x, y) stays where it is. `width` is the drawing's at scale 1.
class Zoom {
  private scale = 1;
  private svg: SVGElement | undefined;
  private width = 0;

  constructor(private readonly box: HTMLElement) {
    box.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at = box.getBoundingClientRect();
      this.by(event.deltaY < 0 ? step : 1 / step, event.clientX - at.left, event.clientY - at.top);
    }, { passive: false });
    box.addEventListener("keydown", (event) => {
      const action = { "+": () => this.by(step), "=": () => this.by(step), "-": () => this.by(1 / step),
                       "0": () => this.to(1) }[event.key];
      if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
    box.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || (event.target as Element).closest(".node") !== null) return;
      const [left, top] = [box.scrollLeft + event.clientX, box.scrollTop + event.clientY];
      const move = (moved: PointerEvent): void => box.scrollTo(left - moved.clientX, top - moved.clientY);
      box.addEventListener("pointermove", move);
      box.setPointerCapture(event.pointerId);
      box.addEventListener("pointerup", () => box.removeEventListener("pointermove", move), { once: true });
    });
  }

  show(svg: SVGElement, width: number): void {
    this.svg = svg;
    this.width = width;
    this.resize();
    this.box.scrollLeft = (this.box.scrollWidth - this.box.clientWidth) / 2;
  }

  by(factor: number, x = this.box.clientWidth / 2, y = this.box.clientHeight / 2): void {
    this.to(this.scale * factor, x, y);
  }

  fit(): void {
    this.to((this.box.clientWidth - 16) / this.width);
  }

  to(scale: number, x = this.box.clientWidth / 2, y = this.box.clientHeight / 2): void {
    const before = this.scale;
    this.scale = Math.min(largest, Math.max(smallest, scale));
    const factor = this.scale / before;
    const [left, top] = [(this.box.scrollLeft + x) * factor - x, (this.box.scrollTop + y) * factor - y];
    this.resize();
    this.box.scrollTo(left, top);
  }

  private resize(): void {
    this.svg?.setAttribute("width", String(Math.round(this.width * this.scale)));
  }
}

function toolbar(zoom: Zoom): HTMLElement {
  const bar = document.createElement("p");
  bar.className = "toolbar";
  bar.id = "drawn-zoom";
  const buttons: [string, string, () => void][] = [
    ["+", "Zoom in", () => zoom.by(step)],
    ["−", "Zoom out", () => zoom.by(1 / step)],
    ["1:1", "1:1, original size", () => zoom.to(1)],
    ["Fit", "Fit the width", () => zoom.fit()],
  ];
  for (const [text, label, action] of buttons) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", action);
    bar.append(button);
  }
  const hint = document.createElement("span");
  hint.className = "about";
  hint.textContent = "Drag to move; Ctrl and the wheel, or + and −, zoom. Click a function to open it.";
  bar.append(hint);
  return bar;
}

async function show(at: HTMLElement): Promise<void> {
  const graph = await load<Graph>(at);
  if (graph === null) return;
  const { Graphviz } = await import("./graphviz");
  const graphviz = await Graphviz.load();
  const zoom = new Zoom(at);
  at.before(toolbar(zoom));
  const draw = (): void => {
    const text = graphviz.layout(dotOf(graph), "svg", "dot");
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const svg = document.importNode(parsed, true) as unknown as SVGSVGElement;
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "Call graph; the table below has the same");
    at.replaceChildren(svg);
    zoom.show(svg, svg.viewBox.baseVal.width);
    graph.nodes.forEach((node, i) => {
      const shape = at.querySelector(`#node-${i}`);
      if (shape === null) return;
      const open = (): void => {
        const url = new URL(at.dataset["entry"]!, location.href);
        url.searchParams.set("function", node.name);
        location.href = url.href;
      };
      shape.setAttribute("tabindex", "0");
      shape.setAttribute("role", "link");
      shape.querySelector("title")?.remove(); // "n7": the texts name it
      shape.addEventListener("click", open);
      shape.addEventListener("keydown", (event) => {
        if ((event as KeyboardEvent).key === "Enter") open();
      });
    });
    drawn(at);
  };
  draw();
  dark.addEventListener("change", draw);
}

if (place !== null) void show(place);
