// Memory records as items of recall: those in use, under the repository or the user that they belong to.
import type { Item } from "../../recall/item.ts";
import type { RecallSource } from "../../recall/store/source.ts";
import type { Author, MemoryRecord } from "../contract.ts";
import { recordById } from "./row.ts";

const ROLE: Record<Author["kind"], string> = { user: "user", agent: "assistant", import: "system" };

/** What waits for review, was replaced or is disputed is not found. */
export const recordSource: RecallSource = {
  kind: "record",
  ids: (db) =>
    db
      .prepare("SELECT id FROM memories WHERE status = 'active'")
      .all()
      .map((row) => String(row["id"])),
  item(db, id) {
    const user = db.prepare("SELECT user FROM memories WHERE id = ?").get(id)?.["user"];
    const record = user === undefined ? undefined : recordById(db, id, String(user));
    if (record?.status.type !== "active" || record.votes.disputed) return undefined;
    return itemOf(record, String(user));
  },
};

function itemOf(record: MemoryRecord, user: string): Item {
  const { id, scope, repository, source, author, createdAt } = record;
  const owner = scope === "user" ? { level: scope, user } : { level: scope, repository: repository ?? "" };
  return {
    id,
    kind: "record",
    text: textOf(record),
    role: ROLE[author.kind],
    time: Date.parse(createdAt),
    seq: 0,
    place: { ...owner, client: source.client },
    trust: String(source.trust),
  };
}

function textOf({ subject, fact, citations }: MemoryRecord): string {
  const sources = citations.filter(({ kind }) => kind === "file" || kind === "url").map(({ raw }) => raw);
  return [`${subject}: ${fact}`, ...(sources.length > 0 ? [`Source: ${sources.join("; ")}`] : [])].join("\n");
}
