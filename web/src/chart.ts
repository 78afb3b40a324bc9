// Chart of one function's trend, from its table: calls, self time, total time. Error bands are the
// sampling error for runs, and min to max for days and weeks.
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
  beside: Line[];
}

const place = document.querySelector<HTMLElement>("#trend");

// The server embeds the values in the element: no second request.
function read(from: HTMLElement): Points {
  const texts = (of: HTMLElement, name: string): string[] => (of.dataset[name] ?? "").split(",");
  const numbers = (name: string): number[] => texts(from, name).map(Number);
  const others = document.querySelectorAll<HTMLElement>("#trend-beside [data-calls]");
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
    beside: [...others].map((other) => ({
      name: other.dataset["name"] ?? "",
      calls: texts(other, "calls").map((text) => (text === "" ? null : Number(text))),
    })),
  };
}

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const seconds = (value: number): string =>
  value >= 1 ? `${value.toPrecision(3)} s`
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

function draw(at: HTMLElement, points: Points): void {
  const numbers = points.runs.map((_, i) => i);
  const day = (i: number): string => {
    const time = points.times[i];
    return time === undefined ? "" : new Date(time).toISOString().slice(0, 10);
  };
  const isDense = points.runs.length > 400;
  const [above, below] = points.by === "run" ? ["+ error", "− error"] : ["most", "least"];
  const axis = (format: (value: number) => string, scale: string, side: 1 | 3): uPlot.Axis => ({
    scale,
    side,
    size: 72,
    stroke: colour("quiet"),
    grid: { stroke: colour("line"), width: 1, show: side === 3 },
    ticks: { stroke: colour("line"), width: 1 },
    values: (_, values) => values.map((value) => format(value)),
  });
  const line = (label: string, scale: string, name: string, format: (value: number) => string,
                more: Partial<uPlot.Series> = {}): uPlot.Series => ({
    label,
    scale,
    stroke: colour(name),
    width: isDense ? 1 : 2,
    points: { show: !isDense, size: 5, fill: colour("ground") },
    value: (_, value) => (value === null || Number.isNaN(value) ? "–" : format(value)),
    ...more,
  });
  const chart = new uPlot(
    {
      width: at.clientWidth,
      height: 280,
      scales: { x: { time: false }, calls: {}, seconds: {} },
      cursor: { points: { size: 8 } },
      legend: { live: true },
      axes: [
        {
          stroke: colour("quiet"),
          grid: { show: false },
          ticks: { stroke: colour("line"), width: 1 },
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
          values: (_, values) => values.map(day),
          space: 90,
        },
        axis(counted(points.unit), "calls", 3),
        axis(seconds, "seconds", 1),
      ],
      series: [
        { label: { run: "Run", day: "Day", week: "Week" }[points.by] ?? "Run", value: (_, value) => (value === null ? "–" : day(value)) },
        line(points.unit, "calls", "accent", counted(points.unit)),
        line("Own time", "seconds", "own", seconds, { dash: [6, 3] }),
        line(above, "seconds", "own", seconds, { width: 0, points: { show: false } }),
        line(below, "seconds", "own", seconds, { width: 0, points: { show: false } }),
        line("In all", "seconds", "quiet", seconds, { dash: [2, 3], show: false }),
        line(`In all, ${above}`, "seconds", "quiet", seconds,
             { width: 0, points: { show: false }, show: false }),
        line(`In all, ${below}`, "seconds", "quiet", seconds,
             { width: 0, points: { show: false }, show: false }),
        ...points.beside.map(({ name }, i) =>
          line(`Calls of ${name}`, "calls", besides[i]![0], (value) => count.format(value),
               { dash: besides[i]![1] })),
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
        draw: [
          (u) => {
            // A new level begins here.
            u.ctx.save();
            u.ctx.strokeStyle = colour("worse");
            u.ctx.setLineDash([4, 4]);
            points.changed.forEach((changed, i) => {
              if (!changed) return;
              const x = Math.round(u.valToPos(i, "x", true));
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
      points.calls,
      points.self,
      points.selfHigh,
      points.selfLow,
      points.total,
      points.totalHigh,
      points.totalLow,
      ...points.beside.map((other) => other.calls),
    ],
    at,
  );
  chart.over.addEventListener("click", () => {
    const i = chart.cursor.idx ?? 0;
    if (i === 0) return;
    location.href =
      `${at.dataset["compare"]}/${points.runs[i]}?base=${encodeURIComponent(points.runs[i - 1]!)}`;
  });
  new ResizeObserver(() => {
    if (Math.abs(at.clientWidth - chart.width) > 1) chart.setSize({ width: at.clientWidth, height: 280 });
  }).observe(at);
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
