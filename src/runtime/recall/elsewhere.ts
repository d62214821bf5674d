// Memories that are kept outside of the store, in files or by a service: found by the same engine, in a store of the moment.
import type { Failure } from "../../base/failure.ts";
import { fail, type Result } from "../../base/result.ts";
import { search } from "../../memory/recall/search.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { strategyKind } from "../../memory/record/choose.ts";
import type { MemoryRecord } from "../../memory/record/contract.ts";
import { recordItem } from "../../memory/record/recall-item.ts";
import { recallSchema } from "../../store/schema/recall.ts";
import { sqlite } from "../../store/sqlite.ts";
import { placeIn, strategyFor, strategySettings } from "../memory/strategy.ts";
import type { Workspace } from "../workspace.ts";
import { type MatchPage, type RecallHit, type RecallQuery, unavailable } from "./query.ts";

const MOST_RECORDS = 500;

/** The same answer with what is kept elsewhere among it; what cannot be reached is named as not searched. */
export async function withElsewhere(
  answer: Result<MatchPage, Failure>,
  { workspace, folder }: { workspace: Workspace; folder: string },
  query: RecallQuery,
  signal: AbortSignal = new AbortController().signal,
): Promise<Result<MatchPage, Failure>> {
  const kind = strategyKind(strategySettings(workspace));
  const wantsRecords = query.kinds?.includes("record") ?? true;
  const { text } = query;
  if (!answer.ok || (kind !== "jsonl" && kind !== "service") || !wantsRecords) return answer;
  if (text === undefined || query.order === "time") return answer;
  const place = placeIn(workspace, folder);
  // Neither of them needs the store.
  const client = await strategyFor({ workspace, place, open: async () => fail(unavailable("it is not used")) });
  if (client.type === "skipped") return answer;
  const listed = await client.strategy.list({ place, status: ["active"], limit: MOST_RECORDS }, signal);
  await client.strategy.shutdown(signal);
  const { value } = answer;
  if (listed.type !== "listed")
    return { ok: true, value: { ...value, partial: true, skipped: [...value.skipped, "memories kept elsewhere"] } };
  const records = listed.records.filter((record) => isWithin(record, query));
  const hits = [...value.hits, ...ranked(records, { ...query, text }, workspace.redact, place.user)];
  const best = hits.toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0)).slice(0, query.limit);
  return { ok: true, value: { ...value, hits: best, more: value.more + hits.length - best.length } };
}

const isWithin = ({ scope }: MemoryRecord, { within }: RecallQuery): boolean =>
  within.scopes.some(({ type }) => type === "all" || type === scope);

function ranked(
  records: readonly MemoryRecord[],
  { order: _order, cursor: _cursor, ...query }: RecallQuery & { text: string },
  redact: (text: string) => string,
  user: string,
): RecallHit[] {
  const db = new (sqlite().DatabaseSync)(":memory:");
  try {
    db.exec(recallSchema);
    const items = records.filter(({ votes }) => !votes.disputed).map((record) => recordItem(record, user));
    new RecallWriter(db).add(items.map((item) => ({ ...item, text: redact(item.text) })));
    return search(db, { now: Date.now(), ...query, within: { scopes: [{ type: "all" }] } }).results;
  } finally {
    db.close();
  }
}
