// The bars of the secret filter, with the numbers they were met with: recall, precision, and in a soak run how its time grows.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { alternate, timed } from "../../../bench/measure.ts";
import { type Case, drawn, labelled } from "./labelled-fixture.ts";
import { leftAlone } from "./left-alone-fixture.ts";
import { draw, sampleKeys, sampleTokens } from "./sample-tokens-fixture.ts";
import { scan } from "./scan.ts";

const root = join(import.meta.dirname, "../../..");
const SEEDS = Array.from({ length: 20 }, (_, i) => i * 7 + 1);

type Score = { found: number; missed: number; wrong: number };
const recall = ({ found, missed }: Score): number => found / (found + missed);
const precision = ({ found, wrong }: Score): number => found / (found + wrong);

/** By overlap: a secret counts as found when a finding touches it, a finding as wrong when it touches none. */
function score(cases: readonly Case[]): Score {
  const sum = { found: 0, missed: 0, wrong: 0 };
  for (const { text, secrets } of cases) {
    const spans = scan(text);
    const touch = (a: { start: number; end: number }, b: { start: number; end: number }) =>
      a.start < b.end && b.start < a.end;
    for (const secret of secrets) sum[spans.some((s) => touch(s, secret)) ? "found" : "missed"]++;
    sum.wrong += spans.filter((s) => !secrets.some((secret) => touch(s, secret))).length;
  }
  return sum;
}

describe("M132 recall and precision", () => {
  it("M132 P31 prefixed tokens and private keys >= 0.98, whole, in every surrounding", () => {
    const around = ["@", "before @ after", '"@"', "x=\\n@\\n", '{"a":"@"}', "fix/@", "(@)", "@.", "@,", "`@`", "'@';"];
    let all = 0;
    let whole = 0;
    const kinds = new Set<string>();
    for (const seed of SEEDS) {
      const d = draw(seed);
      for (const [kind, value] of Object.entries({ ...sampleTokens(d), ...sampleKeys(d) })) {
        const secret = kind === "putty" ? value.slice(value.indexOf("Private-Lines: 4") + 17) : value;
        for (const text of around.map((a) => a.replace("@", () => value))) {
          const start = text.indexOf(secret);
          all++;
          whole += Number(scan(text).some((s) => s.start <= start && s.end >= start + secret.length));
        }
        kinds.add(kind);
      }
    }
    console.log(`prefixed tokens and keys: ${kinds.size} kinds, ${all} cases, recall ${(whole / all).toFixed(4)}`);
    expect(kinds.size).toBeGreaterThanOrEqual(60);
    expect(whole / all).toBeGreaterThanOrEqual(0.98);
  });

  it("M129 M130 M132 P31 code, configuration and prose: recall >= 0.60 at precision >= 0.75", () => {
    const rows: string[] = [];
    const total = { found: 0, missed: 0, wrong: 0 };
    const texts = [...Object.entries(labelled), ...Object.entries(leftAlone)];
    for (const [category, templates] of texts) {
      const one = score(templates.flatMap((t) => SEEDS.map((seed) => drawn(category, t, draw(seed)))));
      total.found += one.found;
      total.missed += one.missed;
      total.wrong += one.wrong;
      const found = one.found + one.missed > 0 ? `recall ${recall(one).toFixed(3)}` : "nothing to find";
      rows.push(`${category}: ${templates.length} texts, ${found}, wrong ${one.wrong}`);
    }
    console.log(
      `${rows.join("\n")}\nall: recall ${recall(total).toFixed(3)}, precision ${precision(total).toFixed(3)}`,
    );
    expect(recall(total)).toBeGreaterThanOrEqual(0.95);
    expect(precision(total)).toBeGreaterThanOrEqual(0.97);
  });

  it("M130 M132 ME5 nothing in a lockfile or in the output of git log", () => {
    const log = execFileSync("git", ["log", "--stat", "-n", "50"], { cwd: root, encoding: "utf8" });
    expect(scan(readFileSync(join(root, "package-lock.json"), "utf8"))).toEqual([]);
    expect(scan(log)).toEqual([]);
  });
});

it.runIf(process.env["EVERLONG_SOAK"])("L12 M132 1 MB takes at most twelve times as long as 100 KB", async () => {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  const text = (length: number): string => lock.repeat(Math.ceil(length / lock.length)).slice(0, length);
  const [small, large] = [text(100_000), text(1_000_000)];
  const { baseline, product } = await alternate(
    9,
    () => timed(() => scan(small)),
    () => timed(() => scan(large)),
  );
  console.log(`100 KB: ${baseline.toFixed(1)} ms, 1 MB: ${product.toFixed(1)} ms`);
  expect(product / baseline).toBeLessThanOrEqual(12);
});
