// A process that stores into a repository's memory file: it prints a line after each store, then waits to be told.
import { systemClock } from "../../src/base/clock.ts";
import { readCitation } from "../../src/memory/record/citation.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { openJsonl } from "../../src/memory/record/strategy-jsonl.ts";
import { type FilteredText, secretFilter, secretRedactor } from "../../src/memory/secret/filter.ts";

const [root = "", home = "", name = "", count = "1"] = process.argv.slice(2);
const strategy = openJsonl({
  root,
  home,
  locks: `${home}/locks`,
  seed: false,
  repository: "acme/app",
  trusted: true,
  redactor: secretRedactor("k"),
  redact: secretFilter("k"),
  newId: () => newMemoryId(),
  clock: systemClock,
});
if (!("kind" in strategy)) throw new Error(strategy.message);
const { signal } = new AbortController();
const text = (plain: string): FilteredText => secretFilter("k")(plain);
for (let i = 0; i < Number(count); i++) {
  const stored = await strategy.store(
    {
      id: newMemoryId(),
      subject: text("test"),
      fact: text(`${name} fact ${i}`),
      reason: text("r"),
      citations: [readCitation(text("a.ts"))],
      scope: "repository",
      place: { repository: "acme/app", user: "local" },
      source: { client: "test", origins: [{ kind: "assistant" }], trust: 0.9 },
      author: { kind: "agent", id: name, name },
      status: "active",
    },
    signal,
  );
  if (stored.type !== "stored") throw new Error(stored.type);
}
process.stdout.write("stored\n");
process.stdin.once("data", async () => {
  await strategy.shutdown(signal);
  process.exit(0);
});
