// Flame graph and icicle graph; with a base, the differential flame graph.
import { select } from "d3-selection";
import flamegraph from "d3-flame-graph";
import { dark } from "./colours";
import { drawn, load } from "./load";

interface Frame {
  name: string;
  value: number;
  before: number;
  delta: number;
  children?: Frame[];
}
interface Stacks {
  measured: boolean;
  unit: number;
  root: Frame;
}
interface Node {
  data: Frame;
}

const place = document.querySelector<HTMLElement>("#flame");

// The colour has no meaning; it is derived from the name, so that a function always has the same
// one.
function plain(name: string): string {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return dark.matches
    ? `hsl(${25 + (hash % 30)} ${45 + (hash % 23)}% ${34 + (hash % 11)}%)`
    : `hsl(${25 + (hash % 30)} ${65 + (hash % 23)}% ${68 + (hash % 13)}%)`;
}

// Red: costs more than before. Blue: less. Distinguishable with any kind of colour vision.
function differential(frame: Frame): string {
  const most = Math.max(frame.value, frame.before);
  const change = most > 0 ? frame.delta / most : 0;
  const strength = Math.min(1, Math.abs(change));
  const light = dark.matches ? 26 + 24 * strength : 92 - 38 * strength;
  if (strength < 0.02) return dark.matches ? "hsl(0 0% 26%)" : "hsl(0 0% 90%)";
  return change > 0 ? `hsl(8 78% ${light}%)` : `hsl(214 78% ${light}%)`;
}

const time = (seconds: number): string =>
  seconds >= 1 ? `${seconds.toPrecision(3)} s`
  : seconds >= 1e-3 ? `${(seconds * 1e3).toPrecision(3)} ms`
  : `${(seconds * 1e6).toPrecision(3)} µs`;

// The same tree with the widths of the base, without new functions.
function turned(frame: Frame): Frame {
  return {
    name: frame.name,
    value: frame.before,
    before: frame.value,
    delta: -frame.delta,
    children: (frame.children ?? []).filter((child) => child.before > 0).map(turned),
  };
}
function present(frame: Frame): Frame {
  return { ...frame, children: (frame.children ?? []).filter((child) => child.value > 0).map(present) };
}

function press(id: string, action: (pressed: boolean) => void): void {
  const button = document.querySelector<HTMLButtonElement>(id);
  button?.addEventListener("click", () => {
    const pressed = button.getAttribute("aria-pressed") !== "true";
    if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", String(pressed));
    action(pressed);
  });
}

async function show(at: HTMLElement): Promise<void> {
  const stacks = await load<Stacks>(at);
  if (stacks === null) return;
  const isDifferential = stacks.root.before > 0;
  const details = document.querySelector<HTMLElement>("#flame-details");
  const words = (frame: Frame): string => {
    const share = ((frame.value / (stacks.root.value || 1)) * 100).toFixed(1);
    const now = `${frame.name}: ${time(frame.value / stacks.unit)}, ${share}%`;
    return isDifferential ? `${now}; other side ${time(frame.before / stacks.unit)}` : now;
  };
  let isIcicle = false;
  let ofBefore = false;
  let chart: ReturnType<typeof flamegraph>;
  const draw = (): void => {
    at.replaceChildren();
    chart = flamegraph()
      .width(at.clientWidth)
      .cellHeight(18)
      .minFrameSize(1)
      .transitionDuration(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 250)
      .inverted(isIcicle)
      .sort(true)
      .title("")
      .setColorMapper((node: Node) =>
        isDifferential ? differential(ofBefore ? turned({ ...node.data, children: [] }) : node.data)
                       : plain(node.data.name))
      .setLabelHandler((node: Node) => words(node.data))
      .setDetailsHandler((text: string | null) => {
        if (details !== null) details.textContent = text ?? "";
      });
    select(at).datum(ofBefore ? turned(stacks.root) : present(stacks.root)).call(chart);
    drawn(at);
  };
  draw();
  press("#flame-turn", (pressed) => {
    isIcicle = pressed;
    draw();
  });
  press("#flame-sides", (pressed) => {
    ofBefore = pressed;
    draw();
  });
  press("#flame-reset", () => {
    chart.clear();
    chart.resetZoom();
  });
  const field = document.querySelector<HTMLInputElement>("#flame-search");
  field?.addEventListener("input", () => {
    if (field.value === "") chart.clear();
    // d3-flame-graph expects a regular expression; the input is plain text.
    else chart.search(field.value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  });
  dark.addEventListener("change", draw);
  let width = at.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(at.clientWidth - width) < 2) return;
    width = at.clientWidth;
    draw();
  }).observe(at);
}

if (place !== null) void show(place);
