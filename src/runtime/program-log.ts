// The program's own log, never on the screen: what failed softly, calls to other services that failed, what was broken off.
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import { optional } from "../base/optional.ts";
import type { Envelope } from "../schema/event/envelope.ts";
import type { GatewayEvent } from "../schema/event/gateway.ts";
import type { Workspace } from "./workspace.ts";

export type SoftFailure = { at: string; part: string; code: string; sessionId?: string };

type LogPlace = Pick<Workspace, "paths" | "settings" | "redact">;
type LogLine = {
  level: "warn" | "debug";
  event: "soft_failure" | "call_failure" | "aborted";
  part: string;
  code: string;
  sessionId?: string | undefined;
  /** What the other side said; only its beginning is kept, without secrets. */
  message?: string | undefined;
};

const NAME = "everlong.jsonl";
const MAX_BYTES = 10 * 1024 * 1024;
/** The one being written and those before it, `.1` the newest. */
const FILES = 7;
const EXCERPT_CHARS = 200;
const WEEK_MS = 7 * 86_400_000;
const LEVELS = ["error", "warn", "info", "debug"] as const;

export const recordFailure = (place: LogPlace, failure: Omit<LogLine, "level" | "event">): void =>
  writeLine(place, { level: "warn", event: "soft_failure", ...failure });

/** What of a session's events belongs in the log. */
export function logEvent(place: LogPlace, event: Envelope, sessionId: string): void {
  if (event.type === "soft_failure") {
    const { part, code, message } = event.data;
    recordFailure(place, { part, code, message, sessionId });
  } else if (event.type === "model.call_failure") {
    const { model: part, code, message } = event.data;
    writeLine(place, { level: "warn", event: "call_failure", part, code, message, sessionId });
  } else if (event.type === "turn.end" && event.data.status === "aborted")
    writeLine(place, { level: "debug", event: "aborted", part: "turn", code: event.data.reason ?? "user", sessionId });
}

/** A request through the gateway that its provider did not answer well, or whose client left. */
export function logRequest(place: LogPlace, { type, data }: GatewayEvent): void {
  if (type !== "proxy.request" || data.failure === undefined) return;
  const { upstream: part = data.path, failure: code, session: sessionId } = data;
  const isAbort = code === "client_gone";
  const [level, event] = isAbort ? (["debug", "aborted"] as const) : (["warn", "call_failure"] as const);
  writeLine(place, { level, event, part, code, sessionId });
}

/** Must not throw: the work that failed softly goes on. */
function writeLine({ paths: { logs }, settings, redact }: LogPlace, line: LogLine): void {
  if (LEVELS.indexOf(line.level) > LEVELS.indexOf(settings.values["log.level"])) return;
  const { message, sessionId, ...facts } = line;
  // Filtered before it is cut: half a secret is none that the filter knows.
  const excerpt = message === undefined ? undefined : redact(message).slice(0, EXCERPT_CHARS);
  const entry = {
    at: new Date().toISOString(),
    ...facts,
    ...optional("sessionId", sessionId),
    ...optional("excerpt", excerpt),
  };
  try {
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    const path = join(logs, NAME);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= MAX_BYTES) moveOn(path);
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  } catch {
    // The disk that made it fail may refuse this too; whoever is there was told already.
  }
}

/** Each takes the place of the one before it; the oldest goes. */
function moveOn(path: string): void {
  for (let at = FILES - 2; at >= 0; at--) {
    const from = at === 0 ? path : `${path}.${at}`;
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${at + 1}`);
  }
}

/** Soft failures of the last 7 days, oldest first, from the two newest files. */
export function recentFailures(logs: string, now: Date): SoftFailure[] {
  const since = new Date(now.getTime() - WEEK_MS).toISOString();
  return [`${NAME}.1`, NAME].flatMap((name) => failuresIn(join(logs, name))).filter(({ at }) => at >= since);
}

function failuresIn(path: string): SoftFailure[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return []; // nothing has failed yet
  }
  return text.split("\n").flatMap((line) => {
    const read = line.includes('"soft_failure"') ? parseJson(line) : undefined;
    if (!read?.ok || !isRecord(read.value)) return [];
    const { at, event, part, code } = read.value;
    return typeof at === "string" && event === "soft_failure" ? [{ at, part: String(part), code: String(code) }] : [];
  });
}
