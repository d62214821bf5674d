// pi: a file of JSON lines a session, its entries a tree by their parents.
import { join } from "node:path";
import type { HistoryClient, LineReader, ParsedPart } from "../contract.ts";
import { itemsOrSkipped, originOf, SessionTrail, sessionWith, skipped } from "../part.ts";
import { recordAt, textAt, timeOf } from "../read.ts";
import { itemsOf } from "./message.ts";

export const pi: HistoryClient = {
  name: "pi",
  title: "pi",
  version: 1,
  places: (env, userHome) => [join(env["PI_CODING_AGENT_DIR"] || join(userHome, ".pi", "agent"), "sessions")],
  formOf: (path) => (path.endsWith(".jsonl") ? "lines" : undefined),
  lines: (_file, carry) => piLines(carry),
};

function piLines(carry: unknown): LineReader {
  const trail = new SessionTrail(carry);
  return {
    carry: () => trail.session,
    take(record, line) {
      const type = textAt(record, "type") ?? "no type";
      const id = textAt(record, "id");
      if (type === "session" && id !== undefined) return trail.move(sessionWith(id, { cwd: textAt(record, "cwd") }));
      return trail.session ? partsOf(record, type, line) : [skipped(type)];
    },
  };
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const id = textAt(record, "id") ?? `line-${line}`;
  const message = recordAt(record, "message");
  const origin = originOf(line, timeOf(record["timestamp"]) ?? message["timestamp"]);
  if (type === "message")
    return itemsOrSkipped(itemsOf(message, id, origin, textAt(record, "parentId")), `${message["role"]} message`, id);
  const text = type === "compaction" || type === "branch_summary" ? textAt(record, "summary") : undefined;
  return itemsOrSkipped(text === undefined ? [] : [{ ...origin, id, kind: "checkpoint", text }], type, id);
}
