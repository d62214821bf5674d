// Shortening a memory file by one model call: what it may say, and what of it is believed.
import { within } from "../../base/abort.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import type { MemoryRecord } from "../record/contract.ts";
import type { Redactor } from "../secret/filter.ts";
import type { MemoryFileLine } from "./lines.ts";
import { type FileMemory, recordLines } from "./merge.ts";
import question from "./optimise.md";
import { EPOCH, later, lineOf, recordOfLine } from "./record-line.ts";

/** The model's answer; undefined when there is none. */
export type AskModel = (prompt: string, signal: AbortSignal) => Promise<string | undefined>;
type OptimiseParts = { ask: AskModel; repository: string; redactor: Redactor; newId: () => string };

const LIMIT_MS = 30_000;
const FEWEST = 2;

/** New lines, each with what it `replaces`; none when the answer is late, invalid or changes nothing. */
export async function optimise(
  memory: FileMemory,
  parts: OptimiseParts,
  signal: AbortSignal,
): Promise<MemoryFileLine[]> {
  const inputs = new Map<string, { line: MemoryFileLine; record: MemoryRecord }>();
  for (const line of recordLines(memory)) {
    const record = recordOfLine(line, parts.repository, parts.redactor);
    if (record?.status.type === "active") inputs.set(line.id, { line, record });
  }
  if (inputs.size < FEWEST) return [];
  const shown = [...inputs.values()].map(({ record: { id, subject, fact, citations, reason } }) =>
    JSON.stringify({ id, subject, fact, citations: citations.map(({ raw }) => raw), reason }),
  );
  const late = AbortSignal.timeout(LIMIT_MS);
  const ended = AbortSignal.any([signal, late]);
  const pending = parts.ask(`${question.trim()}\n\n${shown.join("\n")}`, ended).catch(() => undefined); // as no answer
  const answer = await within(pending, LIMIT_MS, signal);
  const text = answer.type === "value" ? (answer.value ?? "") : "";
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("```"));
  const newLines = lines.map((line) => madeLine(line, inputs, parts));
  return newLines.every((line) => line !== undefined) ? newLines : []; // one wrong line: the answer is not understood
}

function madeLine(
  text: string,
  inputs: ReadonlyMap<string, { line: MemoryFileLine; record: MemoryRecord }>,
  { newId, repository, redactor }: OptimiseParts,
): MemoryFileLine | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { subject, fact, citations, reason, replaces } = parsed.value;
  const ids = Array.isArray(replaces) ? [...new Set(replaces.map(String))] : [];
  const old = ids.map((id) => inputs.get(id));
  if (ids.length === 0 || !old.every((one) => one !== undefined)) return undefined;
  const youngest =
    old
      .map(({ line }) => line.at)
      .sort()
      .at(-1) || EPOCH;
  const value = {
    id: newId(),
    subject,
    fact,
    citations,
    reason,
    source: {
      client: "optimise",
      origins: old.flatMap(({ record }) => record.source.origins),
      trust: Math.min(...old.map(({ record }) => record.source.trust)),
    },
    author: { kind: "agent", id: "optimise", name: "optimise" },
    createdAt: old.map(({ record }) => record.createdAt).sort()[0],
    // Just past what it replaces, and before any change of those that nobody has seen yet.
    updatedAt: later(youngest, youngest),
    version: 1,
    replaces: ids,
  };
  if ([subject, fact, reason].some((one) => typeof one !== "string" || one.trim() === "")) return undefined;
  const record = recordOfLine(lineOf(value), repository, redactor);
  if (!record || record.citations.length === 0) return undefined;
  // What the model wrote is stored as the filter left it.
  const clean = { subject: record.subject, fact: record.fact, reason: record.reason };
  return lineOf({ ...value, ...clean, citations: record.citations.map(({ raw }) => raw) });
}

/** A new line is dropped when one of its sources was changed or removed since the model saw it. */
export function stillTrue(lines: readonly MemoryFileLine[], seen: FileMemory, now: FileMemory): MemoryFileLine[] {
  const textOf = (memory: FileMemory) => new Map(recordLines(memory).map((line) => [line.id, line.text]));
  const [before, after] = [textOf(seen), textOf(now)];
  return lines.filter((line) => line.replaces.every((id) => before.get(id) === after.get(id)));
}
