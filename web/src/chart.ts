// The trend of one function, from its table: calls, own time with its error, time in all.
import uPlot from "uplot";
import { colour, dark } from "./colours";

interface Point {
  time: number;
  calls: number;
  self: number;
  error: number;
  total: number;
  compare: string;
  changed: boolean;
}

const place = document.querySelector<HTMLElement>("#trend");
const table = document.querySelector<HTMLTableElement>("#trend-table table");

function read(from: HTMLTableElement): Point[] {
  const points = [...from.tBodies[0]!.rows].map((row) => {
    const value = (cell: number): number =>
      Number(row.cells[cell]?.querySelector("data")?.value ?? Number.NaN);
    return {
      time: value(1) / 1000,
      calls: value(4),
      self: value(6),
      error: value(7),
      total: value(8),
      compare: row.cells[9]?.querySelector("a")?.href ?? "",
      changed: row.classList.contains("changed"),
    };
  });
  points.sort((a, b) => a.time - b.time);
  return points;
}

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const seconds = (value: number): string =>
  value >= 1 ? `${value.toPrecision(3)} s`
  : value >= 1e-3 ? `${(value * 1e3).toPrecision(3)} ms`
  : `${(value * 1e6).toPrecision(3)} µs`;

function draw(at: HTMLElement, points: Point[]): void {
  const numbers = points.map((_, i) => i);
  const day = (i: number): string =>
    points[i] === undefined ? "" : new Date(points[i]!.time * 1000).toISOString().slice(0, 10);
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
    width: 2,
    points: { show: true, size: 5, fill: colour("ground") },
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
        axis((value) => count.format(value), "calls", 3),
        axis(seconds, "seconds", 1),
      ],
      series: [
        { label: "Run", value: (_, value) => (value === null ? "–" : day(value)) },
        line("Calls", "calls", "accent", (value) => count.format(value)),
        line("Own time", "seconds", "own", seconds, { dash: [6, 3] }),
        line("+ error", "seconds", "own", seconds, { width: 0, points: { show: false } }),
        line("− error", "seconds", "own", seconds, { width: 0, points: { show: false } }),
        line("In all", "seconds", "quiet", seconds, { dash: [2, 3], show: false }),
      ],
      bands: [{ series: [3, 4], fill: colour("band") }],
      hooks: {
        draw: [
          (u) => {
            // A new level begins here.
            u.ctx.save();
            u.ctx.strokeStyle = colour("worse");
            u.ctx.setLineDash([4, 4]);
            points.forEach((point, i) => {
              if (!point.changed) return;
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
      points.map((point) => point.calls),
      points.map((point) => point.self),
      points.map((point) => point.self + point.error),
      points.map((point) => Math.max(0, point.self - point.error)),
      points.map((point) => point.total),
    ],
    at,
  );
  chart.over.addEventListener("click", () => {
    const point = points[chart.cursor.idx ?? -1];
    if (point !== undefined && point.compare !== "") location.href = point.compare;
  });
  new ResizeObserver(() => {
    if (Math.abs(at.clientWidth - chart.width) > 1) chart.setSize({ width: at.clientWidth, height: 280 });
  }).observe(at);
}

if (place !== null && table !== null) {
  const points = read(table);
  const redraw = (): void => {
    place.replaceChildren();
    draw(place, points);
    place.dataset["drawn"] = "true";
  };
  if (points.length > 1) {
    redraw();
    dark.addEventListener("change", redraw);
  }
}
