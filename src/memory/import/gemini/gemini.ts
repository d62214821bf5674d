// Gemini CLI: lines in which a later message replaces an earlier one, or, in older versions, one JSON file a session.
import { basename, join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import type { HistoryClient, HistoryFile, HistorySession, ImportedItem, ItemOrigin, ParsedPart } from "../contract.ts";
import {
  answerItems,
  callItem,
  inSession,
  item,
  itemsOrSkipped,
  originOf,
  promptItems,
  sessionWith,
  skipped,
} from "../part.ts";
import { recordAt, recordsOf, textAt, textOf, typed } from "../read.ts";
import { type Chat, type ChatEntry, readChat } from "./chat.ts";
import { responseText } from "./function-part.ts";

export const gemini: HistoryClient = {
  name: "gemini",
  title: "Gemini CLI",
  version: 1,
  places: (_env, userHome) => [join(userHome, ".gemini")],
  formOf: (path) => (/(?:^|\/)chats\/.*\.jsonl$|(?:^|\/)session-[^/]*\.jsonl?$/.test(path) ? "document" : undefined),
  document(text, file) {
    const chat = readChat(text);
    const session = sessionOf(chat, file);
    const agent = chat.kind === undefined || chat.kind === "main" ? undefined : chat.kind;
    return [
      inSession(session),
      ...chat.bad,
      ...chat.entries.flatMap((entry) => partsOf(entry, agent)),
      ...chat.skipped.map(skipped),
    ];
  },
};

function sessionOf(chat: Chat, file: HistoryFile): HistorySession {
  const cwd = file.beside("../.project_root")?.trim() || projectOf(file) || chat.folder;
  return sessionWith(chat.id ?? basename(file.path).replace(/\.jsonl?$/, ""), { cwd });
}

/** The folder of the project's files has a name that `projects.json` gives to the project's own. */
function projectOf(file: HistoryFile): string | undefined {
  const parsed = parseJson(file.beside("../../../projects.json") ?? "");
  const projects = parsed.ok && isRecord(parsed.value) ? recordAt(parsed.value, "projects") : {};
  const name = basename(join(file.path, "..", ".."));
  return Object.entries(projects).find(([, short]) => short === name)?.[0];
}

function partsOf({ line, message, rewindTo }: ChatEntry, agent: string | undefined): ParsedPart[] {
  if (!message)
    return [item({ id: `back-${line}`, line, kind: "rewind", ...(rewindTo === undefined ? {} : { to: rewindTo }) })];
  const id = textAt(message, "id") ?? `line-${line}`;
  const items = itemsOf(message, id, originOf(line, message["timestamp"], agent));
  return itemsOrSkipped(items, `${message["type"]} message without text`, id);
}

/** The type of what the model said. */
const MODEL = "gemini";

function itemsOf(message: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  const { type, content } = message;
  if (type === "user") return promptItems(typed(content), id, origin);
  if (type !== MODEL) return [];
  return [
    ...answerItems(textOf(content).trim(), id, origin, textAt(message, "model")),
    ...recordsOf(message["toolCalls"]).flatMap((call, i) => toolItems(call, `${id}:call${i}`, origin)),
  ];
}

function toolItems(call: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  const of = textAt(call, "id") ?? id;
  const responses = recordsOf(call["result"]).map((part) => responseText(recordAt(part, "functionResponse")));
  const failed = call["status"] === "error" || responses.some((response) => response.failed);
  const text = responses
    .map((response) => response.text)
    .filter(Boolean)
    .join("\n");
  return [
    callItem(id, origin, { call: of, name: textAt(call, "name"), args: call["args"] }),
    ...(responses.length === 0
      ? []
      : [{ ...origin, id: `${id}:result`, kind: "result" as const, call: of, text, failed }]),
  ];
}
