// The figures of an evaluation as a table.
import type { Evaluation, Figures } from "./evaluate.ts";

const share = (n: number): string => n.toFixed(3);
const ratio = (a: number, b: number): string => (b === 0 ? (a === 0 ? "1.00" : "∞") : (a / b).toFixed(2));

export function evaluationText(e: Evaluation): string {
  const { ours, baseline } = e;
  const rows: [string, string, string, string][] = [
    ["", "everlong", "plain FTS5", "ratio"],
    ...figureRows(ours, baseline),
    ["p50 ms/query", ours.p50Ms.toFixed(2), baseline.p50Ms.toFixed(2), ratio(ours.p50Ms, baseline.p50Ms)],
    ["p95 ms/query", ours.p95Ms.toFixed(2), baseline.p95Ms.toFixed(2), ratio(ours.p95Ms, baseline.p95Ms)],
    [
      "ingest items/s",
      ours.itemsPerSecond.toFixed(0),
      baseline.itemsPerSecond.toFixed(0),
      ratio(ours.itemsPerSecond, baseline.itemsPerSecond),
    ],
  ];
  const kinds = Object.entries(ours.byKind).flatMap(([kind, figures]) => {
    const other = baseline.byKind[kind];
    return other ? ["", `${kind} (${figures.questions} questions)`, table(figureRows(figures, other))] : [];
  });
  const notes = [
    `${e.corpora} corpora, ${e.documents} documents, ${ours.questions} questions`,
    ...(e.skipped > 0 ? [`${e.skipped} questions without relevant ids were skipped`] : []),
    ...(e.unreachable > 0 ? [`${e.unreachable} relevant ids are not among the documents`] : []),
  ];
  return [...notes, "", table(rows), ...kinds].join("\n");
}

/** What goes when a signal goes: negative is a loss. */
export function ablationText(all: Evaluation, without: readonly { signal: string; evaluation: Evaluation }[]): string {
  const keys = ["recall5", "recall10", "mrr"] as const;
  const change = (n: number) => (Math.abs(n) < 5e-5 ? "0" : `${n > 0 ? "+" : ""}${n.toFixed(4)}`);
  return table([
    ["without", "recall@5", "recall@10", "MRR"],
    ["(nothing)", ...keys.map((key) => share(all.ours[key]))],
    ...without.map(({ signal, evaluation }) => [
      signal,
      ...keys.map((key) => change(evaluation.ours[key] - all.ours[key])),
    ]),
  ]);
}

function figureRows(a: Figures, b: Figures): [string, string, string, string][] {
  const row = (name: string, key: keyof Figures): [string, string, string, string] => [
    name,
    share(a[key]),
    share(b[key]),
    ratio(a[key], b[key]),
  ];
  return [row("recall@5", "recall5"), row("recall@10", "recall10"), row("hit@10", "hit10"), row("MRR", "mrr")];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2, 3].map((c) => rows.reduce((most, row) => Math.max(most, row[c]?.length ?? 0), 0));
  return rows
    .map((row) =>
      row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c] ?? 0) : cell.padStart(widths[c] ?? 0))).join("  "),
    )
    .join("\n");
}
