// The rules extractor: precision and recall on labelled messages and generated stories, messages a second, hostile texts.
import { readFileSync } from "node:fs";
import type { SourceMessage } from "../src/memory/graph/extract/draft.ts";
import { extractFacts } from "../src/memory/graph/extract/extract.ts";
import { precision, readLabelled, recall, type Score, score } from "./graph-extract/labelled.ts";
import { story } from "./graph-extract/story.ts";

const SETS = [
  "development",
  "held-out",
  "natural",
  "prose",
  "prose-held-out",
  "fresh",
  "strange",
  "strange-held-out",
  "other-hand",
  "other-hand-held-out",
  "notes",
  "sessions",
  "sessions-held-out",
  "handover",
  "handover-held-out",
  "working-day",
  "working-day-held-out",
  "review",
  "review-held-out",
];
/** Their figures stay honest only while nobody looks at their lines. */
const SEALED = new Set([
  "prose-held-out",
  "fresh",
  "other-hand-held-out",
  "sessions-held-out",
  "handover-held-out",
  "working-day-held-out",
  "review-held-out",
]);
/** What a rule may stumble over when it is repeated without end. */
const HOSTILE =
  "a|(|word |`|\"a |1. x\n|and |uses |a, |'s |commit 1a2b3c4\n|[main 1a2b3c4] x\n|since 2024-01-01 |we use |[a](|<memories>|a/|closes #1 |x │ 1 +\n|\n|The api uses Redis, |…".split(
    "|",
  );

/** `SHOW=held-out npm run bench -- graph-extract` lists what is wrong and missing there. */
export function bench(): void {
  const sets = SETS.map((name) => ({ name, labelled: readLabelled(`bench/graph-extract/${name}.txt`) }));
  for (const { name, labelled } of sets) tell(name, labelled.length, score(labelled));
  const stories = [1, 2, 3].flatMap((seed) => story(seed, 365));
  tell("stories", stories.length, score(stories));
  speed(sets.flatMap(({ labelled }) => labelled.map(({ message }) => message)));
  growth();
}

function tell(name: string, length: number, result: Score): void {
  const figures = `precision ${precision(result).toFixed(3)} (target 0.9), recall ${recall(result).toFixed(3)} (target 0.6)`;
  console.log(
    `${name}: ${length} messages, ${figures}, ${result.right} right, ${result.wrong.length} wrong, ${result.misdated.length} with another time or slot`,
  );
  if (process.env["SHOW"] !== name || SEALED.has(name)) return;
  for (const kind of ["wrong", "missing", "misdated"] as const)
    for (const line of result[kind]) console.log(`  ${kind}: ${line}`);
}

const SECOND = 1_000_000;

/** Processor time: other programs on the machine do not count. */
function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

function speed(messages: readonly SourceMessage[]): void {
  const long = readFileSync("docs/architecture.md", "utf8").slice(0, 4_000);
  for (const [name, list] of [
    ["labelled messages", messages],
    [
      "messages of 4,000 characters",
      Array.from({ length: 50 }, (): SourceMessage => ({ text: long, role: "user", at: "2026-03-10T12:00:00Z" })),
    ],
  ] as const) {
    const round = (): void => {
      for (const message of list) extractFacts(message);
    };
    for (let i = 0; i < 5; i++) round();
    const rounds = 20;
    const time = processorTime(() => {
      for (let i = 0; i < rounds; i++) round();
    });
    console.log(
      `${name}: ${Math.round((rounds * list.length * SECOND) / time)} a second of processor time (target 500)`,
    );
  }
}

/** 200 KB of a piece against ten times 20 KB of it: a rule that grows faster than its text shows. */
function growth(): void {
  const of = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const time = (text: string): number =>
    processorTime(() => void extractFacts({ text, role: "user", at: "2026-03-10T12:00:00Z" }));
  const best = (text: string): number => Math.min(time(text), time(text), time(text));
  const rows = HOSTILE.map((piece) => ({
    piece,
    small: 10 * best(of(piece, 20_000)),
    large: best(of(piece, 200_000)),
  }));
  const worst = rows.toSorted((a, b) => b.large - a.large)[0];
  if (worst)
    console.log(
      `the slowest of ${rows.length} hostile texts, ${JSON.stringify(worst.piece)}: 200 KB ${(worst.large / 1_000).toFixed(1)} ms, ratio to 10 x 20 KB ${(worst.large / worst.small).toFixed(2)} (target 4)`,
    );
  const letter = time("a".repeat(1_000_000));
  const brackets = time("([{".repeat(10_000));
  const sentence = time("word ".repeat(100_000));
  console.log(
    `1 MB of one letter ${(letter / 1_000).toFixed(1)} ms, 30,000 nested brackets ${(brackets / 1_000).toFixed(1)} ms, one sentence of 500 KB ${(sentence / 1_000).toFixed(1)} ms`,
  );
}
