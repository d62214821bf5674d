// What failed softly, kept for a week's look back: when, which part, which code. No text of a conversation.
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "../base/json.ts";

export type SoftFailure = { at: string; part: string; code: string; sessionId?: string };

const NAME = "soft-failures.jsonl";
const MAX_BYTES = 512 * 1024;
const WEEK_MS = 7 * 86_400_000;

/** Must not throw: the work that failed softly goes on. */
export function recordFailure(logs: string, { part, code, sessionId }: Omit<SoftFailure, "at">): void {
  const path = join(logs, NAME);
  const line = { at: new Date().toISOString(), part, code, ...(sessionId === undefined ? {} : { sessionId }) };
  try {
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`);
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // The disk that made it fail may refuse this too; whoever is there was told already.
  }
}

/** Of the last 7 days, oldest first. */
export function recentFailures(logs: string, now: Date): SoftFailure[] {
  const since = new Date(now.getTime() - WEEK_MS).toISOString();
  return [`${NAME}.1`, NAME].flatMap((name) => linesOf(join(logs, name))).filter(({ at }) => at >= since);
}

function linesOf(path: string): SoftFailure[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return []; // nothing has failed yet
  }
  return text.split("\n").flatMap((line) => {
    const read = parseJson(line);
    if (!read.ok || !isRecord(read.value)) return [];
    const { at, part, code } = read.value;
    return typeof at === "string" ? [{ at, part: String(part), code: String(code) }] : [];
  });
}
