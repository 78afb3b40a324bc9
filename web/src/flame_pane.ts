// One tree of frames as SVG: drawn, highlighted, and walked by keyboard.
import { dark } from "./colours";
import { matches, type Frame } from "./flame_tree";

const SVG = "http://www.w3.org/2000/svg";
const row = 19; // pixels
const least = 1; // width of a frame that is drawn
const letter = 6.7; // width of a character of the labels

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

// The colour has no meaning; it is derived from the name, so that a function always has the same
// one.
function plain(name: string): string {
  if (name.startsWith("[")) return dark.matches ? "hsl(210 8% 34%)" : "hsl(210 10% 82%)";
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return dark.matches
    ? `hsl(${25 + (hash % 30)} ${45 + (hash % 23)}% ${28 + (hash % 9)}%)`
    : `hsl(${25 + (hash % 30)} ${65 + (hash % 23)}% ${68 + (hash % 13)}%)`;
}

// What became of a frame since the base.
export type Change = "slower" | "faster" | "same" | "new" | "vanished";

export function changeOf(frame: { value: number; before: number }): Change {
  if (frame.before === 0) return "new";
  if (frame.value === 0) return "vanished";
  const change = (frame.value - frame.before) / Math.max(frame.value, frame.before);
  return Math.abs(change) < 0.02 ? "same" : change > 0 ? "slower" : "faster";
}

// Red: slower than the base. Blue: faster. Distinguishable with any kind of colour vision; new and
// vanished frames have a pattern, too.
function differential(frame: Frame, change: Change): string {
  const most = Math.max(frame.value, frame.before);
  const strength = most > 0 ? Math.min(1, Math.abs(frame.value - frame.before) / most) : 0;
  const light = dark.matches ? 26 + 14 * strength : 92 - 24 * strength;
  switch (change) {
    case "same":
      return dark.matches ? "hsl(0 0% 26%)" : "hsl(0 0% 90%)";
    case "new":
      return "url(#flame-new)";
    case "vanished":
      return "url(#flame-vanished)";
    default:
      return `hsl(${change === "slower" ? 8 : 214} 72% ${light}%)`;
  }
}

// Stripes for new frames and dots for vanished ones; the style sheet has their colours.
export function patterns(): SVGElement {
  const svg = element("svg", { width: 0, height: 0, "aria-hidden": "true", class: "patterns" });
  for (const [name, mark] of [["new", "M0 8 L8 0"], ["vanished", "M0 0 L8 8 M0 8 L8 0"]] as const) {
    const pattern = element("pattern", { id: `flame-${name}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" });
    pattern.append(element("rect", { width: 8, height: 8, class: `ground ${name}` }),
                   element("path", { d: mark, class: `mark ${name}` }));
    svg.append(pattern);
  }
  return svg;
}

// A name as far as it fits. It is no part of its frame, whose accessible name is whole.
function label(name: string, left: number, top: number, wide: number): SVGElement[] {
  const letters = Math.floor((wide - 6) / letter);
  if (letters < 3) return [];
  const text = element("text", { x: (left + 3).toFixed(2), y: top + 13 });
  text.textContent = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
  return [text];
}

export interface Showing {
  isDifferential: boolean;
  search: string;
  words: (frame: Frame) => string;
  chosen: (frame: Frame) => void; // by pointer or keyboard
  zoomed: (frame: Frame) => void;
}

export class Pane {
  readonly element = document.createElement("div");
  private readonly svg = element("svg", { class: "pane", role: "tree" });
  private readonly marks = new Map<Frame, SVGElement>();
  private readonly frames = new Map<Element, Frame>();
  private showing: Showing | null = null;

  // `isUpward`: callers, with the function at the bottom.
  constructor(label: string, private readonly isUpward: boolean) {
    this.svg.setAttribute("aria-label", label);
    // Not the SVG: Chromium stops at SVGs that listen to focus.
    const { element } = this;
    element.append(this.svg);
    element.addEventListener("click", (event) => this.with(event, (frame) => this.showing?.zoomed(frame)));
    element.addEventListener("pointerover", (event) => this.with(event, (frame) => this.showing?.chosen(frame)));
    element.addEventListener("focusin", (event) => this.with(event, (frame) => {
      this.makeStop(frame);
      this.showing?.chosen(frame);
    }));
    element.addEventListener("keydown", (event) => this.with(event, (frame) => this.press(event, frame)));
  }

  private with(event: Event, action: (frame: Frame) => void): void {
    const mark = (event.target as Element).closest(".frame");
    const frame = mark === null ? undefined : this.frames.get(mark);
    if (frame !== undefined) action(frame);
  }

  // Draws the tree with `zoom` as wide as the pane, below its callers.
  draw(zoom: Frame, width: number, showing: Showing): void {
    this.showing = showing;
    this.marks.clear();
    this.frames.clear();
    const places: { frame: Frame; left: number; wide: number }[] = [];
    for (let at = zoom.parent; at !== null; at = at.parent) places.unshift({ frame: at, left: 0, wide: width });
    const scale = zoom.width > 0 ? width / zoom.width : 0;
    let deepest = zoom.depth;
    const visit = (frame: Frame): void => {
      const wide = frame.width * scale;
      if (wide < least && frame !== zoom) return;
      deepest = Math.max(deepest, frame.depth);
      places.push({ frame, left: (frame.start - zoom.start) * scale, wide });
      frame.children.forEach(visit);
    };
    visit(zoom);
    const height = (deepest + 1) * row;
    this.svg.setAttribute("width", String(width));
    this.svg.setAttribute("height", String(height));
    const top = ({ depth }: Frame): number => (this.isUpward ? height - (depth + 1) * row : depth * row);
    const labels = element("g", { class: "labels", "aria-hidden": "true" });
    labels.append(...places.flatMap(({ frame, left, wide }) => label(frame.name, left, top(frame), wide)));
    this.svg.replaceChildren(
      ...places.map(({ frame, left, wide }) => this.mark(frame, left, top(frame), wide)), labels);
    this.makeStop(zoom);
    this.highlight(showing.search);
  }

  private mark(frame: Frame, left: number, top: number, wide: number): SVGElement {
    const { isDifferential, words } = this.showing!;
    const change = changeOf(frame);
    const mark = element("g", {
      class: isDifferential ? `frame ${change}` : "frame", role: "treeitem", tabindex: -1,
      "aria-level": frame.depth + 1, "aria-label": words(frame),
    });
    mark.append(element("rect", {
      x: left.toFixed(2), y: top, width: Math.max(0.5, wide - 0.5).toFixed(2), height: row - 1,
      fill: isDifferential ? differential(frame, change) : plain(frame.name),
    }));
    this.marks.set(frame, mark);
    this.frames.set(mark, frame);
    return mark;
  }

  highlight(search: string): void {
    for (const [frame, mark] of this.marks) {
      const isFound = matches(frame, search);
      mark.classList.toggle("found", isFound);
      mark.classList.toggle("faded", search !== "" && !isFound);
    }
  }

  // One frame of the tree can be reached with Tab; arrows lead to the others.
  private makeStop(frame: Frame): void {
    for (const mark of this.svg.querySelectorAll('[tabindex="0"]')) mark.setAttribute("tabindex", "-1");
    this.marks.get(frame)?.setAttribute("tabindex", "0");
  }

  focus(frame: Frame): void {
    (this.marks.get(frame) as SVGElement | undefined)?.focus({ preventScroll: true });
  }

  private press(event: KeyboardEvent, frame: Frame): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [inwards, outwards] = this.isUpward ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
    const drawn = [...this.marks.keys()];
    const beside = (step: number): Frame | undefined => {
      const level = drawn.filter((one) => one.depth === frame.depth);
      return level[level.indexOf(frame) + step];
    };
    const target =
      event.key === inwards ? frame.children.find((child) => this.marks.has(child))
      : event.key === outwards ? frame.parent
      : event.key === "ArrowLeft" ? beside(-1)
      : event.key === "ArrowRight" ? beside(1)
      : event.key === "Home" ? drawn[0]
      : undefined;
    if (event.key === "Enter" || event.key === " ") this.showing?.zoomed(frame);
    else if (target == null) return;
    else {
      this.marks.get(target)?.focus({ preventScroll: true });
      this.marks.get(target)?.scrollIntoView({ block: "nearest" });
    }
    event.preventDefault();
  }
}

// The whole tree in small, with the part that is shown.
export function drawMap(canvas: HTMLCanvasElement, root: Frame, zoom: Frame, width: number, ink: string): void {
  const line = 3;
  const levels = 14;
  canvas.width = width;
  canvas.height = line * levels;
  const pen = canvas.getContext("2d");
  if (pen === null || root.width === 0) return;
  const scale = width / root.width;
  const visit = (frame: Frame): void => {
    if (frame.depth >= levels || frame.width * scale < 0.5) return;
    pen.fillStyle = plain(frame.name);
    pen.fillRect(frame.start * scale, frame.depth * line, frame.width * scale, line - 0.5);
    frame.children.forEach(visit);
  };
  visit(root);
  pen.strokeStyle = ink;
  pen.lineWidth = 2;
  pen.strokeRect(zoom.start * scale + 1, 1, Math.max(2, zoom.width * scale - 2), canvas.height - 2);
}
