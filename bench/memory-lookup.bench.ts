// Lookups in memory: records of a file after a write, and where a fact came from in megabytes that a session has seen.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { wordsOf } from "../src/memory/recall/text/words.ts";
import type { Strategy } from "../src/memory/record/contract.ts";
import { newMemoryId } from "../src/memory/record/id.ts";
import { originsOf, type SeenText } from "../src/memory/record/origins.ts";
import { openJsonl } from "../src/memory/record/strategy-jsonl.ts";
import { secretFilter, secretRedactor } from "../src/memory/secret/filter.ts";
import { alternate, print, timed } from "./measure.ts";

const RECORDS = 2000;
const SHOWN = 60;
const { signal } = new AbortController();

function fileMemory(folder: string): Strategy {
  const root = join(folder, "repo");
  mkdirSync(join(root, ".github"), { recursive: true });
  const lines = Array.from({ length: RECORDS }, (_, i) => JSON.stringify({ id: `f${i}`, fact: `Fact number ${i}` }));
  writeFileSync(join(root, ".github", "copilot-memories.jsonl"), `${lines.join("\n")}\n`);
  const strategy = openJsonl({
    root,
    home: folder,
    locks: join(folder, "locks"),
    seed: false,
    repository: "acme/app",
    trusted: true,
    redactor: secretRedactor("bench"),
    redact: secretFilter("bench"),
    newId: () => newMemoryId(),
    clock: systemClock,
    onWritten: () => undefined,
    onWarning: () => undefined,
  });
  if (!("kind" in strategy)) throw new Error(strategy.message);
  return strategy;
}

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  try {
    const file = join(folder, "repo", ".github", "copilot-memories.jsonl");
    const strategy = fileMemory(folder);
    const lookUp = (count: number) =>
      timed(() => Promise.all(Array.from({ length: count }, (_, i) => strategy.get(`f${i}`, {}, signal))));
    await lookUp(1); // what is filtered once is not filtered again
    let changes = 0;
    const afterChange = (count: number) => async () => {
      writeFileSync(file, `${JSON.stringify({ id: `g${changes++}`, fact: `Another ${changes}` })}\n`, { flag: "a" });
      return lookUp(count);
    };
    print(
      `${SHOWN} records of a changed file against one of them`,
      await alternate(7, afterChange(1), afterChange(SHOWN)),
      "<= 10",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const fact = "The release branch is cut every Tuesday and frozen until the smoke tests are green";
  const line = "src/module/file.ts:12: const value = compute(release, options) // tests run here and there\n";
  const seen = Array.from(
    { length: 100 },
    (_, i): SeenText => ({ kind: "web", text: `${i} ${line.repeat(350)}`, ref: "t1/c1", thisTurn: false }),
  );
  print(
    "where a fact came from in 3 MB, against splitting them into words",
    await alternate(
      5,
      () => timed(() => seen.forEach(({ text }) => void wordsOf(text))),
      () => timed(() => originsOf(fact, seen)),
    ),
    "<= 1",
  );
}
