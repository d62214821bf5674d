// Records of a file as a list: those that are asked for, newest change first, page by page.
import type { ListOutcome, ListQuery, MemoryRecord } from "../record/contract.ts";

const PAGE = 100;
const MOST = 500;

/** A page goes on after the last record of the one before it. */
const orderOf = ({ updatedAt, id }: MemoryRecord): string => `${updatedAt} ${id}`;

/** The query is answered when this is undefined. */
export function invalidList({ limit = PAGE, after }: ListQuery): Extract<ListOutcome, { type: "invalid" }> | undefined {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) return { type: "invalid", field: "limit" };
  // Ids and times that others wrote may hold spaces.
  return after === undefined || /^.+ .+$/s.test(after) ? undefined : { type: "invalid", field: "after" };
}

export function listOf(all: readonly MemoryRecord[], query: ListQuery): ListOutcome {
  const { limit = PAGE, after, status = ["active", "pending", "superseded"], subject, author } = query;
  const words = (query.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const records = all
    .filter(
      (one) =>
        status.includes(one.status.type) &&
        (subject === undefined || one.subject === subject) &&
        (author === undefined || one.author.kind === author) &&
        query.stale !== true &&
        words.every((word) => `${one.subject} ${one.fact}`.toLowerCase().includes(word)) &&
        (after === undefined || orderOf(one) < after),
    )
    .sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
  const page = records.slice(0, limit);
  const last = page.at(-1);
  return { type: "listed", records: page, ...(last && records.length > page.length ? { next: orderOf(last) } : {}) };
}
