// A chat file of Gemini CLI folded into its messages: what came later under the same id stands in the place of the first.
import { isRecord, parseJson } from "../../../base/json.ts";
import type { ParsedPart } from "../contract.ts";
import { recordsOf, textAt, textOf } from "../read.ts";

/** Without a message the client went back to after `rewindTo`, or to the beginning. */
export type ChatEntry = { line: number; message?: Record<string, unknown>; rewindTo?: string };
export type Chat = {
  id: string | undefined;
  /** `main`, or a subagent's. */
  kind: string | undefined;
  /** As the context message names it. */
  folder: string | undefined;
  entries: ChatEntry[];
  bad: ParsedPart[];
  skipped: string[];
  /** Where the messages stand, by their ids; of those before the last rewind none can be replaced. */
  places: Map<string, ChatEntry>;
};

export function readChat(text: string): Chat {
  const chat: Chat = {
    id: undefined,
    kind: undefined,
    folder: undefined,
    entries: [],
    bad: [],
    skipped: [],
    places: new Map(),
  };
  const whole = parseJson(text);
  if (whole.ok && isRecord(whole.value) && Array.isArray(whole.value["messages"])) {
    describe(chat, whole.value);
    for (const [i, message] of recordsOf(whole.value["messages"]).entries()) put(chat, message, i + 1);
    return chat;
  }
  const lines = text.replace(/^\ufeff/, "").split("\n");
  for (const [i, line] of lines.entries()) {
    const trimmed = line.replace(/^[\0\s]+|[\0\s]+$/g, "");
    if (trimmed === "") continue;
    const parsed = parseJson(trimmed);
    if (parsed.ok && isRecord(parsed.value)) take(chat, parsed.value, i + 1);
    // The last one may be on its way to the file.
    else if (i < lines.length - 1) chat.bad.push({ type: "bad", line: i + 1, reason: "not JSON" });
  }
  return chat;
}

function take(chat: Chat, record: Record<string, unknown>, line: number): void {
  const back = textAt(record, "$rewindTo");
  if (back !== undefined) return goBack(chat, back, line);
  if (isRecord(record["$set"])) {
    describe(chat, record["$set"]);
    for (const message of recordsOf(record["$set"]["messages"])) put(chat, message, line);
    if (!Array.isArray(record["$set"]["messages"])) chat.skipped.push("$set");
  } else if (textAt(record, "id") && textAt(record, "type")) put(chat, record, line);
  else if (textAt(record, "sessionId")) describe(chat, record);
  else chat.skipped.push(textAt(record, "type") ?? "unknown line");
}

function describe(chat: Chat, record: Record<string, unknown>): void {
  chat.id ??= textAt(record, "sessionId");
  chat.kind ??= textAt(record, "kind");
}

/** The context message names the folder; what else it says is the client's. */
const FOLDER = /(?:Workspace Directories:\**|working (?:in the )?directory(?: is)?:?)\s*(?:\n\s*-\s*)?(\/[^\n]+)/i;

function put(chat: Chat, message: Record<string, unknown>, line: number): void {
  chat.folder ??= FOLDER.exec(textOf(message["content"]).slice(0, 4000))?.[1]?.trim();
  const id = textAt(message, "id");
  const earlier = id === undefined ? undefined : chat.places.get(id);
  if (earlier?.message) {
    earlier.message = { ...message, ...keptFields(earlier.message, message) };
    return;
  }
  const entry = { line, message };
  chat.entries.push(entry);
  if (id !== undefined) chat.places.set(id, entry);
}

/** A later line may leave out what an earlier one had. */
function keptFields(earlier: Record<string, unknown>, later: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = textOf(later["content"]) === "" && textOf(earlier["content"]) !== "";
  return {
    ...(isEmpty ? { content: earlier["content"] } : {}),
    ...(later["toolCalls"] === undefined && earlier["toolCalls"] !== undefined
      ? { toolCalls: earlier["toolCalls"] }
      : {}),
  };
}

/** That message and all after it were taken back. */
function goBack(chat: Chat, id: string, line: number): void {
  const at = chat.entries.findIndex((entry) => entry.message && textAt(entry.message, "id") === id);
  const before = at > 0 ? chat.entries.slice(0, at).findLast((entry) => entry.message)?.message : undefined;
  const rewindTo = before && textAt(before, "id");
  chat.places.clear();
  chat.entries.push({ line, ...(rewindTo === undefined ? {} : { rewindTo }) });
}
