// The lines of the memory section: the best records that fit, each scope with its share, printed in a fixed order.
import { recalledLine } from "../../context/fragment/recalled.ts";
import type { MemoryRecord, RecordCounts, Scope } from "./contract.ts";
import { shortIds } from "./id.ts";
import { byScore, type RankedRecord, type RecordView, rank, type Standing, scoreOf } from "./rank.ts";
import { linesTokens } from "./section.ts";
import { lookedUp } from "./verification.ts";

type Room = { maxTokens: number; maxRecords: number };
type PromptLines = { lines: string[]; shown: string[]; counts: RecordCounts; stale: number };

/** So many cited files are looked at, those of the best records first; the others stay as last known. */
const MOST_FILES = 200;
/** So many that do not fit are passed over in search of one that does. */
const MISFITS = 20;
/** A scope that has enough gets at least this part. */
const SHARE = 0.25;

/** Active records: how all of them stand, and those that may be shown whole. */
export type Choice = { all: readonly Standing[]; whole: (ids: readonly string[]) => readonly MemoryRecord[] };

/** Disputed records are not among the shown, nor counted. */
export function chooseLines({ all, whole }: Choice, room: Room, view: RecordView, clean: Clean): PromptLines {
  const candidates = bestOf(all, room, view);
  return linesOf(candidates, whole(candidates.ids), { room, view, clean });
}

/** Which records are worth reading whole. */
type BestRecords = { ids: string[]; best: RankedRecord[]; open: Record<Scope, Standing[]> };

export function bestOf(all: readonly Standing[], room: Room, view: RecordView): BestRecords {
  const open: Record<Scope, Standing[]> = { repository: [], user: [] };
  for (const one of all) if (!one.votes.disputed) open[one.scope].push(one);
  // Without files to look at the order is final, and no more are looked at than are shown or do not fit.
  const most = (view.tree ? Math.max(MOST_FILES, room.maxRecords) : room.maxRecords) + MISFITS;
  const best = SCOPES.flatMap((scope) => rank(open[scope], view, most)).sort(byScore);
  return { ids: best.map(({ id }) => id), best, open };
}

export function linesOf(
  { best, open }: BestRecords,
  whole: readonly MemoryRecord[],
  { room, view, clean }: { room: Room; view: RecordView; clean: Clean },
): PromptLines {
  const records = new Map(whole.map((record) => [record.id, record]));
  const looked = lookAt(
    best.flatMap(({ id, score }) => {
      const record = records.get(id);
      return record ? { id, score, record } : [];
    }),
    view,
  ).sort(byScore);
  const ids = shortIds(
    looked.map(({ record }) => record.id),
    SCOPES.flatMap((scope) => open[scope].map(({ id }) => id)),
  );
  const lines = new Map<string, string>();
  const lineOf = (record: MemoryRecord): string => {
    const line = lines.get(record.id) ?? lineFor(record, ids.get(record.id) ?? record.id, view.nowMs);
    lines.set(record.id, line);
    return line;
  };
  const shown = choose(looked, room, lineOf).sort(
    (a, b) => compare(a.scope, b.scope) || compare(a.subject, b.subject) || compare(a.id, b.id),
  );
  const [repository, user] = [open.repository.length, open.user.length];
  return {
    // Filtered together: what was filtered when it was stored seldom changes, and one scan is cheaper than many.
    lines: shown.length > 0 ? clean(shown.map(lineOf).join("\n")).split("\n") : [],
    shown: shown.map(({ id }) => id),
    counts: { repository, user, total: repository + user, shown: shown.length },
    stale: shown.filter(({ verification }) => verification === "stale").length,
  };
}

/** The choice among records that are read whole anyway. */
export const choiceOf = (records: readonly MemoryRecord[]): Choice => ({
  all: records.filter(({ status }) => status.type === "active"),
  whole: (ids) => {
    const wanted = new Set(ids);
    return records.filter(({ id }) => wanted.has(id));
  },
});

type Candidate = RankedRecord & { record: MemoryRecord };

const SCOPES: readonly Scope[] = ["repository", "user"];

type Clean = (text: string) => string;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The states of cited files as the work tree says now. */
function lookAt(ranked: readonly Candidate[], view: RecordView): Candidate[] {
  const { tree } = view;
  let files = 0;
  return ranked.map((one) => {
    // Files of the repository say nothing about what holds everywhere.
    if (!tree || one.record.scope === "user" || files >= MOST_FILES) return one;
    files += one.record.citations.filter(({ kind }) => kind === "file").length;
    const record = lookedUp(one.record, tree);
    return { id: record.id, score: scoreOf(record, view), record };
  });
}

/** First each scope's share, then whoever is best; a record that does not fit gives way to the next. */
function choose(ranked: readonly Candidate[], room: Room, lineOf: (record: MemoryRecord) => string): MemoryRecord[] {
  const chosen = new Set<MemoryRecord>();
  let tokens = 0;
  const take = (candidates: readonly Candidate[], limit: Room): void => {
    let [spent, count, misfits] = [0, 0, 0];
    for (const { record } of candidates) {
      if (count >= limit.maxRecords || chosen.size >= room.maxRecords || misfits >= MISFITS) return;
      if (chosen.has(record)) continue;
      const cost = linesTokens(lineOf(record));
      if (spent + cost > limit.maxTokens || tokens + cost > room.maxTokens) {
        misfits++;
        continue;
      }
      chosen.add(record);
      spent += cost;
      tokens += cost;
      count++;
    }
  };
  const share = { maxTokens: room.maxTokens * SHARE, maxRecords: Math.max(1, Math.floor(room.maxRecords * SHARE)) };
  for (const scope of SCOPES)
    take(
      ranked.filter(({ record }) => record.scope === scope),
      share,
    );
  take(ranked, { maxTokens: room.maxTokens - tokens, maxRecords: room.maxRecords - chosen.size });
  return [...chosen];
}

function lineFor(record: MemoryRecord, id: string, nowMs: number): string {
  const cited = record.citations.map(({ raw, kind, state }) => (kind === "file" ? `${raw} (${state})` : raw));
  const marks = [
    record.scope,
    ...(record.verification === "stale" ? ["stale: check before use"] : []),
    ageOf(record.createdAt, nowMs),
    `by ${record.author.kind}`,
  ];
  return recalledLine(`- [${id}] ${record.subject}: ${record.fact} | ${cited.join("; ")} | ${marks.join(", ")}`);
}

function ageOf(createdAt: string, nowMs: number): string {
  const days = Math.max(0, Math.floor((nowMs - (Date.parse(createdAt) || nowMs)) / 86_400_000));
  return days === 0 ? "today" : days === 1 ? "1 day old" : `${days} days old`;
}
