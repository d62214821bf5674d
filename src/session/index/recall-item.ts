// What of a log can be recalled: messages, tool calls and results, checkpoints; never what was itself recalled.
import type { DatabaseSync } from "node:sqlite";
import type { Item, ItemPlace } from "../../memory/recall/item.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { importedFrom, importMarkOf } from "../../schema/imported.ts";
import { factsOf, ownToolOf } from "../../schema/own-tool.ts";
import { type RefCounter, sourceOf } from "../ref.ts";

/** More items than any turn has. */
const TURN = 1_000_000;

/** Counts the event's ref, and gives its item; undefined for what is not to be found. */
export function recallItem(event: DurableEnvelope, refs: RefCounter): Omit<Item, "place"> | undefined {
  const source = sourceOf(event);
  // A subagent's items stand in the turn that they were part of, without a ref of their own.
  const isOfAgent = event.agentId !== undefined;
  if (source && !isOfAgent) refs.next(event);
  const { turn } = refs;
  const index = isOfAgent ? undefined : refs.item;
  const at = index === undefined ? {} : { index };
  const time = Date.parse(event.timestamp);
  const common = {
    id: event.id,
    ...(Number.isFinite(time) ? { time } : {}),
    ...{ seq: turn * TURN + refs.item, turn },
    ...originOf(event),
  };
  switch (event.type) {
    case "tool.execution_start": {
      const { toolName, arguments: given } = event.data;
      if (isQuery(toolName)) return undefined;
      return { ...common, kind: "tool", role: "tool", text: callText(toolName, given) };
    }
    case "session.compaction_complete": {
      const { outcome, checkpointNumber, summaryContent } = event.data;
      if (outcome !== "applied" || checkpointNumber === undefined) return undefined;
      const text = summaryContent ?? "";
      return { ...common, kind: "checkpoint", role: "assistant", index: checkpointNumber, text };
    }
    case "tool.execution_complete":
      if (factsOf(event.data.toolName ?? "")?.quotesEarlier) return undefined;
      return { ...common, kind: "tool", role: "tool", ...at, text: source?.text ?? "" };
    default:
      return source && { ...common, kind: "turn", role: source.type, ...at, text: source.text };
  }
}

/** Where an imported item was read. */
function originOf({ data }: DurableEnvelope): Pick<Item, "path" | "line"> {
  const mark = importMarkOf(data);
  return mark ? { path: mark.file, line: mark.line } : {};
}

/** What was searched for repeats a question: it would be found before the answer. */
function isQuery(toolName: string): boolean {
  const facts = factsOf(toolName) ?? ownToolOf(toolName);
  return facts?.quotesEarlier === true || facts?.group === "search";
}

/** The arguments as a reader sees them: text is not escaped. */
function callText(name: string, args: unknown): string {
  if (typeof args !== "object" || args === null) return `${name} ${String(args ?? "")}`;
  const lines = Object.entries(args).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [name, ...lines].join("\n");
}

/** Where the session stands now; a log that lost its start stands nowhere. */
export function placeOf(session: string, db: DatabaseSync): ItemPlace {
  const row = db.prepare("SELECT cwd, git_root, repository, branch FROM sessions WHERE id = ?").get(session);
  const text = (name: string): string | undefined => (row?.[name] ? String(row[name]) : undefined);
  const [repository, branch, workspace] = [text("repository"), text("branch"), text("git_root") ?? text("cwd")];
  return {
    session,
    level: "session",
    client: importedFrom(session) ?? "everlong",
    ...(repository === undefined ? {} : { repository }),
    ...(branch === undefined ? {} : { branch }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}
