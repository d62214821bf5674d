// A chart with its numbers in words and as a table; the drawing itself is loaded when a chart is first shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { colours } from "../app/theme.ts";
import type { ChartDrawing } from "./chart-draw.ts";
import type { ChartSeries } from "./chart-series.ts";
import { When } from "./time.tsx";

type ChartProps = {
  title: string;
  /** What it says, in one sentence. */
  summary: string;
  at: readonly string[];
  series: readonly ChartSeries[];
  format(value: number): string;
  height?: number;
};

export function Chart(props: ChartProps) {
  const { title, summary, at, series, format, height = 132 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [isTable, setTable] = useState(false);
  const look = colours.value;
  useEffect(() => {
    const element = box.current;
    if (!element || isTable) return;
    let drawn: ChartDrawing | undefined;
    let isOver = false;
    void import("./chart-draw.ts").then(({ draw }) => {
      if (!isOver) drawn = draw(element, { at, series, format, height });
    });
    return () => {
      isOver = true;
      drawn?.end();
    };
  }, [isTable, look, JSON.stringify([at, series]), height]);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-keys">
          {series.length > 1 &&
            series.map(({ name, token }) => (
              <span key={name} class={`chart-key is-${token}`}>
                {name}
              </span>
            ))}
        </span>
        <button type="button" class="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? "Chart" : "Table"}
        </button>
      </figcaption>
      <p class="chart-summary">{summary}</p>
      {isTable ? (
        <Numbers {...props} />
      ) : (
        <div class="chart-box" ref={box} role="img" aria-label={`${title}. ${summary}`} />
      )}
    </figure>
  );
}

const Numbers = ({ at, series, format }: ChartProps) => (
  <div class="chart-table">
    <table>
      <thead>
        <tr>
          <th>Time</th>
          {series.map(({ name }) => (
            <th key={name} class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {at.map((moment, index) => (
          <tr key={moment}>
            <td>
              <When at={moment} />
            </td>
            {series.map(({ name, values }) => {
              const value = values[index];
              return (
                <td key={name} class="number">
                  {value === null || value === undefined ? "–" : format(value)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
