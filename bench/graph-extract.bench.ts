// The rules extractor: precision and recall on labelled messages and generated stories, messages a second, hostile texts.
import { type LabelledMessage, precision, readLabelled, recall, type Score, score } from "./graph-extract/labelled.ts";

export async function bench(): Promise<void> {
  const halves = ["development", "held-out"] as const;
  for (const half of halves) {
    const labelled = readLabelled(`bench/graph-extract/${half}.txt`);
    tell(half, labelled, score(labelled), process.env["SHOW"] === half);
  }
}

function tell(name: string, { length }: readonly LabelledMessage[], result: Score, all: boolean): void {
  console.log(
    `${name}: ${length} messages, precision ${precision(result).toFixed(3)} (target 0.9), recall ${recall(result).toFixed(3)} (target 0.6), ${result.misdated.length} of ${result.right} with another time or slot`,
  );
  if (!all) return;
  for (const kind of ["wrong", "missing", "misdated"] as const)
    for (const line of result[kind]) console.log(`  ${kind}: ${line}`);
}
