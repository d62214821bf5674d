// Cline: one JSON file of messages a session, and beside it what is known of the session.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { assistantItems, userItems } from "../blocks.ts";
import type { HistoryClient, HistoryFile, HistorySession, ImportedItem, ItemOrigin, ParsedPart } from "../contract.ts";
import { inSession, itemsOrSkipped, originOf, sessionWith } from "../part.ts";
import { recordAt, recordsOf, textAt } from "../read.ts";

const ENDING = ".messages.json";

export const cline: HistoryClient = {
  name: "cline",
  title: "Cline",
  version: 1,
  places: (_env, userHome) => [join(userHome, ".cline", "data", "sessions")],
  formOf: (path) => (path.endsWith(ENDING) ? "document" : undefined),
  document(text, file) {
    const parsed = parseJson(text);
    if (!parsed.ok || !isRecord(parsed.value)) return [{ type: "bad", line: 1, reason: "not a JSON object" }];
    const { value } = parsed;
    const messages = recordsOf(value["messages"]);
    const id = textAt(value, "sessionId") ?? nameOf(file);
    return [inSession(sessionOf(id, file)), ...messages.flatMap(partsOf)];
  },
};

const nameOf = ({ path }: HistoryFile): string => path.slice(path.lastIndexOf("/") + 1, -ENDING.length);

function sessionOf(id: string, file: HistoryFile): HistorySession {
  const parsed = parseJson(file.beside(`${nameOf(file)}.json`) ?? "");
  const about = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const git = recordAt(recordAt(about, "metadata"), "git");
  return sessionWith(id, { cwd: textAt(about, "cwd"), remote: textAt(git, "url"), branch: textAt(git, "branch") });
}

/** The line is the message's number. */
function partsOf(message: Record<string, unknown>, index: number): ParsedPart[] {
  const id = textAt(message, "id") ?? `message-${index}`;
  const items = itemsOf(message, id, originOf(index + 1, message["ts"]));
  return itemsOrSkipped(items, `${message["role"]} message without text`);
}

function itemsOf({ role, content, ...rest }: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  if (role === "user") return userItems(content, id, origin);
  return role === "assistant" ? assistantItems(content, id, origin, textAt(recordAt(rest, "modelInfo"), "id")) : [];
}
