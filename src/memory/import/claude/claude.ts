// Claude Code: one file of JSON lines a session, a line a content block; subagents inside it or in files of their own.
import { join } from "node:path";
import { assistantItems, userItems } from "../blocks.ts";
import type { HistoryClient, HistorySession, LineReader, ParsedPart } from "../contract.ts";
import { itemsOrSkipped, originOf, SessionTrail, sessionWith, skipped } from "../part.ts";
import { recordAt, textAt, textOf } from "../read.ts";

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
  const trail = new SessionTrail(carry);
  return {
    carry: () => trail.session,
    take(record, line) {
      const type = textAt(record, "type") ?? "no type";
      if (type === "summary" || type === "ai-title" || type === "custom-title") return [skipped(type)];
      const next = sessionOf(record, trail.session);
      if (!next) return [skipped(type)];
      return [...trail.move(next), ...partsOf(record, type, line)];
    },
  };
}

/** Lines of the client's own before the first message do not know the folder yet: what they name is no session so far. */
function sessionOf(record: Record<string, unknown>, last: HistorySession | undefined): HistorySession | undefined {
  const id = textAt(record, "sessionId") ?? last?.id;
  const same = id === last?.id ? last : undefined;
  const cwd = textAt(record, "cwd") ?? same?.cwd;
  if (id === undefined || cwd === undefined) return last;
  const branch = textAt(record, "gitBranch") ?? same?.branch;
  return sessionWith(id, { cwd, branch: branch === "HEAD" ? undefined : branch });
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const uuid = textAt(record, "uuid");
  const left = (what: string): ParsedPart[] => itemsOrSkipped([], what, uuid);
  if (type === "system") return left(textAt(record, "subtype") === "compact_boundary" ? "compact_boundary" : "system");
  if (type !== "user" && type !== "assistant") return left(type);
  if (record["isMeta"] === true) return left("meta");
  if (record["isApiErrorMessage"] === true) return left("api error");
  const { content, ...message } = recordAt(record, "message");
  const agent = record["isSidechain"] === true ? (textAt(record, "agentId") ?? "sidechain") : undefined;
  const origin = originOf(line, record["timestamp"], agent);
  const id = uuid ?? `line-${line}`;
  if (record["isCompactSummary"] === true)
    return itemsOrSkipped([{ ...origin, id, kind: "checkpoint", text: textOf(content) }], type, uuid);
  const items =
    type === "user"
      ? userItems(content, id, origin, {
          isTyped: (text) => !NOT_TYPED.test(text),
          parent: textAt(record, "parentUuid"),
        })
      : assistantItems(content, id, origin, textAt(message, "model"));
  return itemsOrSkipped(items, `${type} without text`, uuid);
}
