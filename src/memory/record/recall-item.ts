// A memory record as an item of recall, under the repository or the user that it belongs to.
import type { Item } from "../recall/item.ts";
import type { Author, MemoryRecord } from "./contract.ts";

const ROLE: Record<Author["kind"], string> = { user: "user", agent: "assistant", import: "system" };

export function recordItem(record: MemoryRecord, user: string): Item {
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
