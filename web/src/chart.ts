// Chart of one function's trend, from its table: calls, self time, total time. Error bands are the
// sampling error for runs, and min to max for days and weeks. Runs of other branches, such as pull
// requests, are separate points next to the line.
import uPlot from "uplot";
import { colour, dark } from "./colours";
import { drawn } from "./load";

interface Line {
  name: string;
  calls: (number | null)[];
}

interface Points {
  by: string; // run, day or week
  runs: string[]; // of a day or a week: the last one
  times: number[]; // milliseconds
  unit: string; // unit of the calls: "Calls", "Bytes", "Time" in microseconds
  calls: number[];
  self: number[];
  selfLow: number[];
  selfHigh: number[];
  total: number[];
  totalLow: number[];
  totalHigh: number[];
  changed: boolean[];
  onLine: boolean[]; // joined with its neighbours
  steps: Map<number, string>; // the commits at which levels begin
  beside: Line[];
}

const place = document.querySelector<HTMLElement>("#trend");
const HEIGHT = 320;
const DOUBLE_CLICK = 300; // milliseconds
const font = "13px system-ui, sans-serif";
// Points of other branches: no line joins them.
const separate: Partial<uPlot.Series> = { width: 0, points: { show: true, size: 9 }, spanGaps: false };

// Bounds of a band: the value of its line has them.
const band: Partial<uPlot.Series> = { width: 0, points: { show: false }, class: "band" };

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

// What a point is compared with: the point before on the line.
const baseOf = (points: Points, i: number): string => {
  let base = i - 1;
  while (base > 0 && points.onLine[base] !== true) --base;
  return points.runs[base]!;
};

// The server embeds the values in the element: no second request.
function read(from: HTMLElement): Points {
  const texts = (of: HTMLElement, name: string): string[] => (of.dataset[name] ?? "").split(",");
  const numbers = (name: string): number[] => texts(from, name).map(Number);
  const others = document.querySelectorAll<HTMLElement>("#trend-beside [data-calls]");
  const steps = document.querySelectorAll<HTMLElement>("#trend-steps [data-step]");
  return {
    by: from.dataset["by"] ?? "run",
    runs: texts(from, "runs"),
    times: numbers("times"),
    unit: from.dataset["unit"] ?? "Calls",
    calls: numbers("calls"),
    self: numbers("self"),
    selfLow: numbers("selfLow"),
    selfHigh: numbers("selfHigh"),
    total: numbers("total"),
    totalLow: numbers("totalLow"),
    totalHigh: numbers("totalHigh"),
    changed: texts(from, "changed").map((text) => text === "1"),
    onLine: texts(from, "line").map((text) => text === "1"),
    steps: new Map([...steps].map((one) => [Number(one.dataset["step"]), one.dataset["text"] ?? ""])),
    beside: [...others].map((other) => ({
      name: other.dataset["name"] ?? "",
      calls: texts(other, "calls").map((text) => (text === "" ? null : Number(text))),
    })),
  };
}

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const seconds = (value: number): string =>
  value === 0 ? "0"
  : value >= 1 ? `${value.toPrecision(3)} s`
  : value >= 1e-3 ? `${(value * 1e3).toPrecision(3)} ms`
  : `${(value * 1e6).toPrecision(3)} µs`;

const counted = (unit: string) => (value: number): string =>
  unit === "Time" ? seconds(value / 1e6)
  : unit === "Bytes" ? `${count.format(value)} B`
  : count.format(value);

// Compared functions; also distinguished by their dashes.
const besides: [string, number[]][] = [
  ["worse", [8, 3]], ["better", [2, 2]], ["ink", [10, 3, 2, 3]], ["quiet", [4, 2]],
];

// Series that are followed by an upper and a lower bound.
const withBands = [2, 5];

// ---- The zoom, as part of the address ----

// "#zoom=RUN-RUN": runs, not positions, so that it stays right when runs are added.
function zoomOf(points: Points): [number, number] | null {
  const found = /^#zoom=(\d+)-(\d+)$/.exec(location.hash);
  if (found === null) return null;
  const [first, last] = [points.runs.indexOf(found[1]!), points.runs.indexOf(found[2]!)];
  return first >= 0 && last > first ? [first, last] : null;
}

function keepZoom(points: Points, min: number, max: number): void {
  const [first, last] = [Math.max(0, Math.ceil(min)), Math.min(points.runs.length - 1, Math.floor(max))];
  const isWhole = first === 0 && last === points.runs.length - 1;
  const url = new URL(location.href);
  url.hash = isWhole || last <= first ? "" : `zoom=${points.runs[first]}-${points.runs[last]}`;
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

function draw(at: HTMLElement, points: Points): void {
  const numbers = points.runs.map((_, i) => i);
  const day = (i: number): string => {
    const time = points.times[i];
    return time === undefined ? "" : new Date(time).toISOString().slice(0, 10);
  };
  const onLine = <T>(values: T[]): (T | null)[] => values.map((value, i) => (points.onLine[i] ? value : null));
  const offLine = <T>(values: T[]): (T | null)[] => values.map((value, i) => (points.onLine[i] ? null : value));
  const hasOthers = points.onLine.includes(false);
  const isDense = points.runs.length > 400;
  const withBand = (low: number[], high: number[]) =>
    (_: uPlot, value: number | null, __: number, i: number | null): string =>
      value === null || i === null ? "–"
      : points.by === "run" ? `${seconds(value)} ± ${seconds(high[i]! - value)}`
      : `${seconds(value)} (${seconds(low[i]!)} to ${seconds(high[i]!)})`;
  const axis = (label: string, format: (value: number) => string, scale: string, side: 1 | 3): uPlot.Axis => ({
    label,
    labelSize: 22,
    labelFont: font,
    font,
    scale,
    side,
    // Room for the longest value, which the label must not cover.
    size: (_, values) => 28 + 9 * Math.max(5, ...(values ?? []).map((value) => value.length)),
    stroke: colour("quiet"),
    grid: { stroke: colour("line"), width: 1, show: side === 3 },
    ticks: { stroke: colour("line"), width: 1 },
    values: (_, values) => values.map((value) => format(value)),
  });
  // From zero: the height of a step is its share.
  const fromZero: uPlot.Scale = {
    range: (_, min, max) => [Math.min(0, min ?? 0), max === null || max <= 0 ? 1 : max * 1.05],
  };
  const line = (label: string, scale: string, name: string, format: (value: number) => string,
                more: Partial<uPlot.Series> = {}): uPlot.Series => ({
    label,
    scale,
    stroke: colour(name),
    width: isDense ? 1 : 2,
    points: { show: !isDense, size: 5, fill: colour("ground") },
    spanGaps: true,
    value: (_, value) => (value === null || Number.isNaN(value) ? "–" : format(value)),
    ...more,
  });
  const chart = new uPlot(
    {
      width: at.clientWidth,
      height: HEIGHT,
      scales: { x: { time: false }, calls: fromZero, seconds: fromZero },
      cursor: { points: { size: 8 }, drag: { x: true, y: false } },
      legend: { live: true },
      axes: [
        {
          font,
          stroke: colour("quiet"),
          grid: { show: false },
          ticks: { stroke: colour("line"), width: 1 },
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
          values: (_, values) => values.map(day),
          space: 90,
        },
        axis(`${points.unit} per execution`, counted(points.unit), "calls", 3),
        axis("Time per execution", seconds, "seconds", 1),
      ],
      series: [
        { label: { run: "Run", day: "Day", week: "Week" }[points.by] ?? "Run", value: (_, value) => (value === null ? "–" : day(value)) },
        line(points.unit, "calls", "accent", counted(points.unit)),
        line("Self", "seconds", "own", seconds, { dash: [6, 3], value: withBand(points.selfLow, points.selfHigh) }),
        line("", "seconds", "own", seconds, band),
        line("", "seconds", "own", seconds, band),
        line("Total", "seconds", "quiet", seconds,
             { dash: [2, 3], show: false, value: withBand(points.totalLow, points.totalHigh) }),
        line("", "seconds", "quiet", seconds, { ...band, show: false }),
        line("", "seconds", "quiet", seconds, { ...band, show: false }),
        ...points.beside.map(({ name }, i) =>
          line(`Calls of ${name}`, "calls", besides[i]![0], (value) => count.format(value),
               { dash: besides[i]![1] })),
        ...(hasOthers ? [
          line(`${points.unit}, other branches`, "calls", "accent", counted(points.unit), separate),
          line("Self, other branches", "seconds", "own", seconds, separate),
        ] : []),
      ],
      bands: withBands.map((line) => ({
        series: [line + 1, line + 2],
        fill: colour("band"),
      })),
      hooks: {
        setSeries: [
          (u, line, { show }) => {
            // A band is shown together with its line.
            if (line === null || show === undefined || !withBands.includes(line)) return;
            u.setSeries(line + 1, { show });
            u.setSeries(line + 2, { show });
          },
        ],
        setScale: [
          (u, scale) => {
            const { min, max } = u.scales["x"]!;
            if (scale === "x" && min !== undefined && max !== undefined) keepZoom(points, min, max);
          },
        ],
        draw: [
          (u) => {
            // A new level begins here.
            const ratio = devicePixelRatio;
            u.ctx.save();
            u.ctx.strokeStyle = colour("worse");
            u.ctx.fillStyle = colour("worse");
            u.ctx.font = `${12 * ratio}px ${getComputedStyle(at).fontFamily}`;
            u.ctx.setLineDash([4, 4]);
            let free = u.bbox.left; // texts do not overlap
            points.changed.forEach((changed, i) => {
              if (!changed) return;
              const x = Math.round(u.valToPos(i, "x", true));
              if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
              const text = short(points.steps.get(i) ?? "");
              const width = u.ctx.measureText(text).width;
              const start = Math.min(x + 4 * ratio, u.bbox.left + u.bbox.width - width);
              if (text !== "" && start >= free) {
                u.ctx.fillText(text, start, u.bbox.top + 12 * ratio);
                free = start + width + 8 * ratio;
              }
              u.ctx.beginPath();
              u.ctx.moveTo(x, u.bbox.top);
              u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
              u.ctx.stroke();
            });
            u.ctx.restore();
          },
        ],
      },
    },
    [
      numbers,
      onLine(points.calls),
      onLine(points.self),
      onLine(points.selfHigh),
      onLine(points.selfLow),
      onLine(points.total),
      onLine(points.totalHigh),
      onLine(points.totalLow),
      ...points.beside.map((other) => other.calls),
      ...(hasOthers ? [offLine(points.calls), offLine(points.self)] : []),
    ],
    at,
  );
  const zoom = zoomOf(points);
  if (zoom !== null) chart.setScale("x", { min: zoom[0], max: zoom[1] });
  // A drag selects a range, and ends with a click. A double-click zooms out, and begins with one.
  let pressed = 0;
  let opening = 0;
  chart.over.addEventListener("dblclick", () => clearTimeout(opening));
  chart.over.addEventListener("mousedown", (event) => (pressed = event.clientX));
  chart.over.addEventListener("click", (event) => {
    const i = chart.cursor.idx ?? 0;
    if (Math.abs(event.clientX - pressed) > 3 || i === 0) return;
    const url = `${at.dataset["compare"]}/${points.runs[i]}?base=${encodeURIComponent(baseOf(points, i))}`;
    clearTimeout(opening);
    opening = setTimeout(() => (location.href = url), DOUBLE_CLICK);
  });
  new ResizeObserver(() => {
    if (Math.abs(at.clientWidth - chart.width) > 1) chart.setSize({ width: at.clientWidth, height: HEIGHT });
  }).observe(at);
  const hint = document.createElement("p");
  hint.className = "about";
  hint.textContent =
    `Click a point to compare it with the ${points.by} before. Drag to zoom; double-click to zoom out.`;
  at.append(hint);
}

if (place !== null) {
  const points = read(place);
  const redraw = (): void => {
    place.replaceChildren();
    draw(place, points);
    drawn(place);
  };
  if (points.runs.length > 1) {
    redraw();
    dark.addEventListener("change", redraw);
  }
}
