// Claude Code: one file of JSON lines a session, a line a content block; subagents inside it or in files of their own.
import { join } from "node:path";
import { isRecord } from "../../../base/json.ts";
import { assistantItems, userItems } from "../blocks.ts";
import type { HistoryClient, HistorySession, LineReader, ParsedPart } from "../contract.ts";
import { inSession, item, recordAt, skipped, textAt, textOf, timeOf } from "../read.ts";

export const claude: HistoryClient = {
  name: "claude",
  title: "Claude Code",
  version: 1,
  places: (env, userHome) => [join(env["CLAUDE_CONFIG_DIR"] || join(userHome, ".claude"), "projects")],
  formOf: (path) => (path.endsWith(".jsonl") ? "lines" : undefined),
  lines: (_file, carry) => claudeLines(carry),
};

/** What a command of the client wrote into the conversation, and notes that stand where a person's words would. */
const NOT_TYPED =
  /^(?:<(?:command-(?:name|message)|local-command-stdout|bash-(?:input|stdout|stderr))\b|\[Request interrupted by user|Caveat: The messages below)/;

function claudeLines(carry: unknown): LineReader {
  let session: HistorySession | undefined = isRecord(carry) ? (carry as HistorySession) : undefined;
  return {
    carry: () => session,
    take(record, line) {
      const type = textAt(record, "type") ?? "no type";
      if (type === "summary" || type === "ai-title" || type === "custom-title") return [skipped(type)];
      const parts: ParsedPart[] = [];
      const next = sessionOf(record, session);
      if (next && next !== session) parts.push(inSession(next));
      session = next ?? session;
      if (!session) return [skipped(type)];
      return [...parts, ...partsOf(record, type, line)];
    },
  };
}

/** The same object while nothing changes. */
function sessionOf(record: Record<string, unknown>, last: HistorySession | undefined): HistorySession | undefined {
  const id = textAt(record, "sessionId") ?? last?.id;
  if (id === undefined) return undefined;
  const isSame = id === last?.id;
  const cwd = textAt(record, "cwd") ?? (isSame ? last.cwd : undefined);
  const branch = textAt(record, "gitBranch") ?? (isSame ? last.branch : undefined);
  if (isSame && cwd === last.cwd && branch === last.branch) return last;
  // Lines of the client's own before the first message do not know the folder yet.
  if (cwd === undefined) return undefined;
  return { id, cwd, ...(branch && branch !== "HEAD" ? { branch } : {}) };
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const uuid = textAt(record, "uuid");
  const passed: ParsedPart[] = uuid === undefined ? [] : [{ type: "passed", id: uuid }];
  if (type === "system") {
    const subtype = textAt(record, "subtype") ?? "system";
    return [...passed, skipped(subtype === "compact_boundary" ? "compact_boundary" : "system")];
  }
  if (type !== "user" && type !== "assistant") return [...passed, skipped(type)];
  if (record["isMeta"] === true) return [...passed, skipped("meta")];
  if (record["isApiErrorMessage"] === true) return [...passed, skipped("api error")];
  const message = recordAt(record, "message");
  const agent = record["isSidechain"] === true ? (textAt(record, "agentId") ?? "sidechain") : undefined;
  const time = timeOf(record["timestamp"]);
  const origin = { line, ...(time === undefined ? {} : { time }), ...(agent === undefined ? {} : { agent }) };
  const id = uuid ?? `line-${line}`;
  if (record["isCompactSummary"] === true)
    return [...passed, item({ ...origin, id, kind: "checkpoint", text: textOf(message["content"]) })];
  const { content } = message;
  const items =
    type === "user"
      ? userItems(content, id, origin, (text) => !NOT_TYPED.test(text))
      : assistantItems(content, id, origin, textAt(message, "model"));
  const parent = textAt(record, "parentUuid");
  const parts = items.map((one) => item(one.kind === "user" && parent !== undefined ? { ...one, parent } : one));
  return parts.length === 0 ? [...passed, skipped(`${type} without text`)] : [...parts, ...passed];
}
