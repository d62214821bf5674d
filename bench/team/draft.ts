// A memory to write, another one each time.
import type { RecordDraft } from "../../src/memory/record/contract.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import type { FilteredText } from "../../src/memory/secret/filter.ts";

export const recordPlace = { repository: "acme/app", user: "local" };
const clean = (text: string): FilteredText => text as FilteredText;

export const recordDraft = (n: number): RecordDraft => ({
  ...{ id: newMemoryId(), subject: clean("builds"), fact: clean(`${newMemoryId()} writes into ${n}.`) },
  ...{ reason: clean("It is needed often."), scope: "repository", place: recordPlace, status: "active" },
  citations: [{ raw: clean("package.json:10"), kind: "file", path: "package.json", state: "unchecked" }],
  source: { client: "bench", origins: [], trust: 1 },
  author: { kind: "user", id: "local", name: "local" },
});
