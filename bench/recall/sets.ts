// How much of what is asked for recall finds on the labelled sets, beside plain full-text search.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCorpora } from "../../src/memory/recall/eval/corpus.ts";
import { evaluate } from "../../src/memory/recall/eval/evaluate.ts";

const SETS = join("test", "eval");
/** Plain full-text search knows no words of these scripts: a ratio to nearly nothing would carry the mean. */
const NOT_IN_MEAN = "cjk.json";

export async function ratios(): Promise<void> {
  const measured: { name: string; ratio: number }[] = [];
  for (const name of readdirSync(SETS).filter((file) => file.endsWith(".json") && file !== NOT_IN_MEAN)) {
    const corpora = parseCorpora(readFileSync(join(SETS, name), "utf8"));
    if (!corpora.ok) throw new Error(`${name}: ${corpora.error}`);
    const { ours, baseline, ratio } = await evaluate(corpora.value);
    measured.push({ name, ratio: ratio.recall10 });
    console.log(
      `recall@10 of ${name}: ${percent(ours.recall10)}, plain FTS5 ${percent(baseline.recall10)}, ratio ${ratio.recall10.toFixed(2)}`,
    );
  }
  const mean = measured.reduce((sum, { ratio }) => sum + ratio, 0) / measured.length;
  const least = measured.toSorted((a, b) => a.ratio - b.ratio)[0];
  console.log(
    `R61 recall@10 of ${measured.length} sets, mean ratio: ${mean.toFixed(2)} (target >= 1.35), the least ${least?.ratio.toFixed(2)} of ${least?.name} (target >= 1.08)`,
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
