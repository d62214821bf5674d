// What stands beside a record's row: its citations, its words in the index of texts, and the texts that were noted of its changes.
import { isRecord, parseJson } from "../../../base/json.ts";
import { allRows, execute, oneRow, putText, removeText, type Unit } from "../../../store/unit.ts";
import type { Citation, MemoryRecord } from "../contract.ts";

/** Texts become blanks of equal length. */
export function* blankChanges(id: string): Unit<void> {
  for (const row of yield* allRows("SELECT id, before, after FROM memory_changes WHERE memory = ?", id))
    yield* execute(
      "UPDATE memory_changes SET before = ?, after = ? WHERE id = ?",
      ...[blanked(row["before"]), blanked(row["after"]), Number(row["id"])],
    );
}

const TEXTS = new Set(["subject", "fact", "reason", "citations"]);

function blanked(json: unknown): string | null {
  const parsed = typeof json === "string" ? parseJson(json) : undefined;
  if (!parsed?.ok || !isRecord(parsed.value)) return null;
  const blank = (value: unknown): unknown =>
    typeof value === "string" ? " ".repeat(value.length) : Array.isArray(value) ? value.map(blank) : value;
  const entries = Object.entries(parsed.value).map(([key, value]) => [key, TEXTS.has(key) ? blank(value) : value]);
  return JSON.stringify(Object.fromEntries(entries));
}

export function* replaceCitations(id: string, citations: readonly Citation[]): Unit<void> {
  yield* execute("DELETE FROM memory_citations WHERE memory = ?", id);
  yield* insertCitations(id, citations);
}

export function* insertCitations(id: string, citations: readonly Citation[]): Unit<void> {
  for (const [position, c] of citations.entries())
    yield* execute(
      `INSERT INTO memory_citations (memory, position, raw, kind, path, start_line, end_line, hash, commit_id, state, checked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      position,
      c.raw,
      c.kind,
      c.path ?? null,
      c.startLine ?? null,
      c.endLine ?? null,
      c.hash ?? null,
      c.commit ?? null,
      c.state,
      c.checkedAt ?? null,
    );
}

export function* indexText(id: string): Unit<void> {
  const row = yield* oneRow("SELECT seq, subject, fact FROM memories WHERE id = ?", id);
  if (row) yield* putText("memory_text", Number(row["seq"]), [String(row["subject"]), String(row["fact"])]);
}

export function* unindexText({ id }: MemoryRecord): Unit<void> {
  const row = yield* oneRow("SELECT seq FROM memories WHERE id = ?", id);
  if (row) yield* removeText("memory_text", Number(row["seq"]));
}
