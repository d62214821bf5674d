// One line or row of bars of a chart, as the page and the drawing both see it.
export type ChartSeries = {
  name: string;
  /** A colour token of the design. */
  token: "accent" | "edge" | "amber" | "red" | "soft";
  values: readonly (number | null)[];
  kind?: "line" | "bars";
  dashed?: boolean;
};
