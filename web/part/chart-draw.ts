// Draws one chart with uPlot, in the page's own colours and fonts.
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour } from "../app/theme.ts";
import type { ChartSeries } from "./chart-series.ts";
import { clockOf, dayOf } from "./time.tsx";

export type ChartDrawing = { end(): void };
type DrawOptions = {
  at: readonly string[];
  series: readonly ChartSeries[];
  format(value: number): string;
  height: number;
};

export function draw(box: HTMLElement, { at, series, format, height }: DrawOptions): ChartDrawing {
  const faint = colour("faint");
  const line = colour("line");
  const font = "11px ui-sans-serif, system-ui, sans-serif";
  const axis = { stroke: faint, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const [first = 0, second = 0] = at.map((moment) => Date.parse(moment) / 1000);
  // Bars stand around their moment: the first and the last need half a step more.
  const half = series.some(({ kind }) => kind === "bars") ? (second - first) / 2 : 0;
  const chart = new UPlot(
    {
      width: Math.max(box.clientWidth, 120),
      height,
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
      padding: [8, 8, 0, 0],
      scales: {
        x: { range: (_chart, low, high) => [low - half, high + half] },
        y: { range: (_chart, low, high) => [Math.min(0, low ?? 0), Math.max(high ?? 0, 1) * 1.05] },
      },
      axes: [
        { ...axis, size: 22, space: 64, grid: { show: false }, values: (_chart, ticks) => timeLabels(ticks) },
        { ...axis, size: 52, space: 34, values: (_chart, ticks) => ticks.map((tick) => format(tick)) },
      ],
      series: [{}, ...series.map((one) => shapeOf(one))],
      hooks: { setCursor: [(now) => tell(now, tip, series, format)] },
    },
    [at.map((moment) => Date.parse(moment) / 1000), ...series.map(({ values }) => [...values])],
    box,
  );
  const tip = document.createElement("div");
  tip.className = "chart-tip";
  tip.hidden = true;
  chart.over.append(tip);
  const watch = new ResizeObserver(() => {
    if (box.clientWidth > 0 && box.clientWidth !== chart.width) chart.setSize({ width: box.clientWidth, height });
  });
  watch.observe(box);
  return {
    end() {
      watch.disconnect();
      chart.destroy();
    },
  };
}

/** Days where the steps are days, else hours and minutes. */
function timeLabels(ticks: readonly number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  return ticks.map((tick) => {
    const date = new Date(tick * 1000);
    return step >= 86_000 ? dayOf(date) : clockOf(date);
  });
}

function shapeOf({ name, token, kind = "line", dashed }: ChartSeries): UPlot.Series {
  const stroke = colour(token);
  const { bars } = UPlot.paths;
  if (kind === "bars" && bars)
    return { label: name, stroke, fill: stroke, width: 0, paths: bars({ size: [0.7, 24] }), points: { show: false } };
  return {
    label: name,
    stroke,
    width: 1.5,
    spanGaps: true,
    points: { show: false },
    ...(dashed ? { dash: [4, 4] } : {}),
  };
}

/** The values under the pointer. */
function tell(chart: UPlot, tip: HTMLElement, series: readonly ChartSeries[], format: (value: number) => string): void {
  const index = chart.cursor.idx;
  const moment = index === null || index === undefined ? undefined : chart.data[0]?.[index];
  tip.hidden = moment === undefined;
  if (index === null || index === undefined || moment === undefined) return;
  const time = new Date(moment * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const values = series.flatMap(({ name, values: list }) => {
    const value = list[index];
    return value === null || value === undefined ? [] : [`${name} ${format(value)}`];
  });
  tip.textContent = [time, ...values].join("\n");
  const left = chart.cursor.left ?? 0;
  tip.style.left = `${left > chart.over.clientWidth / 2 ? left - tip.offsetWidth - 10 : left + 10}px`;
}
