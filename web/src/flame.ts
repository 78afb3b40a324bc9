// The flame graph's page: search, zoom, callers and callees of a function, the differential graph.
// The address holds the state, so that it can be shared, and the browser's Back button works.
import { colour, dark } from "./colours";
import { Pane, drawMap, patterns, type Showing } from "./flame_pane";
import {
  around, found, frameAt, framesOf, own, pathOf, withoutRecursion, type Frame, type Side, type Stack,
} from "./flame_tree";
import { drawn, load } from "./load";

interface Answer {
  measured: boolean;
  unit: number;
  root: Stack;
}

// In the address, after '#'.
interface State {
  at: string[]; // path of the frame that is zoomed
  around: string; // the function whose callers and callees are shown; empty: the whole
  search: string;
  isCollapsed: boolean;
  side: Side;
}

function readState(): State {
  const fields = new URLSearchParams(location.hash.slice(1));
  return {
    at: fields.getAll("at"),
    around: fields.get("around") ?? "",
    search: fields.get("search") ?? "",
    isCollapsed: fields.get("recursion") === "collapsed",
    side: fields.get("widths") === "base" ? "base" : "head",
  };
}

function addressOf(state: State): string {
  const fields = new URLSearchParams();
  for (const name of state.at) fields.append("at", name);
  if (state.around !== "") fields.set("around", state.around);
  if (state.search !== "") fields.set("search", state.search);
  if (state.isCollapsed) fields.set("recursion", "collapsed");
  if (state.side === "base") fields.set("widths", "base");
  const hash = fields.toString();
  return `${location.pathname}${location.search}${hash === "" ? "" : `#${hash}`}`;
}

const time = (seconds: number): string =>
  seconds === 0 ? "0"
  : seconds >= 1 ? `${seconds.toPrecision(3)} s`
  : seconds >= 1e-3 ? `${(seconds * 1e3).toPrecision(3)} ms`
  : `${(seconds * 1e6).toPrecision(3)} µs`;

const find = <T extends HTMLElement>(id: string): T | null => document.querySelector<T>(`#${id}`);

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers offer the clipboard to pages of https and of this machine only.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

class FlamePage {
  private state = readState();
  private chosen: Frame | null = null;
  // The panes that are shown, with their trees.
  private panes: { pane: Pane; root: Frame }[] = [];
  private readonly map = document.createElement("canvas");

  constructor(private readonly place: HTMLElement, private readonly answer: Answer) {
    this.map.setAttribute("aria-hidden", "true");
    find("flame-tools")?.removeAttribute("hidden");
    this.wire();
    this.show();
    drawn(place);
  }

  private get isDifferential(): boolean {
    return this.answer.root.before > 0;
  }

  private readonly words = (frame: Frame): string => {
    const { side } = this.state;
    const whole = own(this.answer.root, side) || 1;
    const seconds = (value: number): string => time(value / this.answer.unit);
    const share = `${((own(frame, side) / whole) * 100).toFixed(1)}%`;
    if (!this.isDifferential) return `${frame.name}: ${seconds(frame.value)}, ${share}`;
    const { before, value } = frame;
    const change =
      before === 0 ? "new"
      : value === 0 ? "vanished"
      : `${value >= before ? "+" : "−"}${((Math.abs(value - before) / before) * 100).toFixed(1)}%`;
    return `${frame.name}: ${seconds(before)} → ${seconds(value)}, ${change}; ${share} of the run`;
  };

  // `isStep`: the browser's Back button returns to the present state.
  private go(change: Partial<State>, isStep: boolean): void {
    this.state = { ...this.state, ...change };
    history[isStep ? "pushState" : "replaceState"](null, "", addressOf(this.state));
    this.show();
  }

  private show(): void {
    const { state } = this;
    const whole = state.isCollapsed ? withoutRecursion(this.answer.root) : this.answer.root;
    const parts: [string, Stack, boolean][] = [];
    if (state.around === "") {
      parts.push(["Flame graph, callees below their callers", whole, false]);
    } else {
      const { callers, callees } = around(whole, state.around);
      parts.push([`Callers of ${state.around}, from bottom to top`, callers, true],
                 [`Callees of ${state.around}, from top to bottom`, callees, false]);
    }
    this.panes = parts.map(([label, stack, isUpward]) =>
      ({ pane: new Pane(label, isUpward), root: framesOf(stack, state.side) }));
    this.place.replaceChildren(patterns(), ...this.panes.flatMap(({ pane }, i): Element[] => {
      if (state.around === "") return [this.map, pane.element];
      const heading = document.createElement("h3");
      heading.textContent = i === 0 ? `Callers of ${state.around}` : `Callees of ${state.around}`;
      return [heading, pane.element];
    }));
    this.draw();
    this.report();
  }

  // Into panes that exist.
  private draw(): void {
    const width = this.place.clientWidth;
    this.panes.forEach(({ pane, root }, i) => {
      const zoom = i === 0 && this.state.around === "" ? frameAt(root, this.state.at) : root;
      pane.draw(zoom, width, this.showing);
      if (i > 0 || this.state.around !== "") return;
      this.map.hidden = zoom === root;
      if (zoom !== root) drawMap(this.map, root, zoom, width, colour("ink"));
    });
  }

  private get showing(): Showing {
    return {
      isDifferential: this.isDifferential,
      search: this.state.search,
      words: this.words,
      chosen: (frame) => this.choose(frame),
      zoomed: (frame) => {
        this.choose(frame);
        if (this.state.around !== "") {
          if (frame.name !== this.state.around) this.go({ around: frame.name }, true);
          return;
        }
        this.go({ at: pathOf(frame) }, true);
        const shown = this.panes[0]!;
        shown.pane.focus(frameAt(shown.root, this.state.at));
      },
    };
  }

  private choose(frame: Frame): void {
    this.chosen = frame;
    const details = find("flame-details");
    if (details !== null) details.textContent = this.words(frame);
    for (const id of ["flame-copy", "flame-around"]) {
      find<HTMLButtonElement>(id)?.toggleAttribute("disabled", frame.parent === null && this.state.around === "");
    }
  }

  // What the controls and the count of the search show.
  private report(): void {
    const { state } = this;
    const count = find("flame-found");
    if (count !== null) {
      const roots = this.panes.map(({ root }) => found(root, state.search, state.side));
      const frames = roots.reduce((sum, one) => sum + one.frames, 0);
      const share = `${(Math.max(...roots.map((one) => one.share)) * 100).toFixed(1)}%`;
      count.textContent =
        state.search === "" ? ""
        : frames === 0 ? "No frame matches"
        : `${frames} ${frames === 1 ? "frame" : "frames"}, ${share} of the time`;
    }
    const field = find<HTMLInputElement>("filter");
    if (field !== null && field.value !== state.search) field.value = state.search;
    find("flame-collapse")?.setAttribute("aria-pressed", String(state.isCollapsed));
    find("flame-sides")?.setAttribute("aria-pressed", String(state.side === "base"));
    find("flame-reset")?.toggleAttribute("disabled", state.at.length === 0 && state.around === "");
    find("flame-of-head")?.toggleAttribute("hidden", state.side !== "head");
    find("flame-of-base")?.toggleAttribute("hidden", state.side !== "base");
  }

  private reset(): void {
    if (this.state.at.length === 0 && this.state.around === "") return;
    this.go({ at: [], around: "" }, true);
    this.panes[0]!.pane.focus(this.panes[0]!.root);
  }

  private wire(): void {
    const press = (id: string, action: () => void): void => find(id)?.addEventListener("click", action);
    press("flame-reset", () => this.reset());
    press("flame-collapse", () => this.go({ isCollapsed: !this.state.isCollapsed, at: [] }, true));
    press("flame-sides", () => this.go({ side: this.state.side === "head" ? "base" : "head" }, true));
    press("flame-around", () => {
      if (this.chosen !== null) this.go({ around: this.chosen.name, at: [] }, true);
    });
    press("flame-copy", () => {
      if (this.chosen !== null) void copy(this.chosen.name);
    });
    const field = find<HTMLInputElement>("filter");
    field?.addEventListener("input", () => {
      this.state.search = field.value;
      history.replaceState(null, "", addressOf(this.state));
      for (const { pane } of this.panes) pane.highlight(field.value);
      this.report();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.target instanceof HTMLInputElement) return;
      if (document.querySelector("dialog[open]") === null) this.reset();
    });
    addEventListener("popstate", () => {
      this.state = readState();
      this.show();
    });
    dark.addEventListener("change", () => this.draw());
    let width = this.place.clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(this.place.clientWidth - width) < 2) return;
      width = this.place.clientWidth;
      this.draw();
    }).observe(this.place);
  }
}

async function start(place: HTMLElement): Promise<void> {
  const answer = await load<Answer>(place);
  if (answer !== null) new FlamePage(place, answer);
}

const place = find("flame");
if (place !== null) void start(place);
