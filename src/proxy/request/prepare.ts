// A managed request made ready: which lane, which kind, and what therefore happens to it.
import { classify } from "../classify/classify.ts";
import { offersTools } from "../classify/tool-names.ts";
import type { HistoryItem } from "../contract.ts";
import { historyOf } from "../history/chain.ts";
import { readable } from "../history/readable.ts";
import { sealOf } from "../history/seal.ts";
import { filtered, type ProxyServices } from "../services.ts";
import { chainShare, mainLane } from "../store/lane.ts";
import { type LaneLocation, locate } from "../store/locate.ts";
import { prepareCompaction, prepareTrigger } from "./compaction.ts";
import { prepareMain } from "./main.ts";
import { type ManagedRequest, type PreparedRequest, type ProxyContext, passed, skipStore } from "./parts.ts";

/** Another request may change the lane while this one is planned; not for ever. */
const MOST_STALE = 3;
/** A client's summary stands in one of the first items, or behind the prompts that codex keeps before it. */
const FIRST_ITEMS = 6;
const MOST_ITEMS = 100;

export async function prepare(
  parts: ProxyContext,
  kept: ProxyServices,
  asked: ManagedRequest,
  todo: string | undefined,
): Promise<PreparedRequest> {
  const { items } = historyOf(asked.body, parts.key);
  for (let round = 1; ; round++) {
    const located = await locate(kept.store, asked.caller, items, () => firstTexts(parts, kept, items));
    if (!located.ok) return skipStore(parts, located.error);
    const kind = await kindOf(parts, kept, asked, located.value, items);
    if (typeof kind !== "string") return kind;
    if (kind === "compaction") return prepareCompaction(parts, kept, asked, located.value, items);
    if (kind === "trigger") return prepareTrigger(parts, kept, asked, located.value);
    if (kind !== "main" && kind !== "agent") return passed("pass", { kind });
    const last = round === MOST_STALE;
    const prepared = await prepareMain(parts, kept, asked, { kind, located: located.value, items, todo, last });
    if (prepared !== "stale") return prepared;
  }
}

async function kindOf(
  parts: ProxyContext,
  { store }: ProxyServices,
  asked: ManagedRequest,
  { session, match }: LaneLocation,
  items: readonly HistoryItem[],
) {
  const main = session && (await mainLane(store, session));
  if (main && !main.ok) return skipStore(parts, main.error);
  const { route, headers, body, caller } = asked;
  // Only a request that calls no tools can be told by it, and a long chain is long to read.
  const share = main?.value && !offersTools(body) && (await chainShare(store, main.value, items));
  if (share && !share.ok) return skipStore(parts, share.error);
  const { kind } = classify({
    route,
    headers,
    family: caller.family,
    body,
    items,
    key: parts.key,
    main: main?.value,
    share: share ? share.value : 0,
    lane: match.type === "new" ? undefined : match.lane,
  });
  return kind;
}

function firstTexts({ key }: ProxyContext, { redactor }: ProxyServices, items: readonly HistoryItem[]): string[] {
  const said = items.filter(({ role }) => role !== "system" && role !== "developer");
  const head = said.findIndex(({ role }) => role === "assistant");
  const first = said.slice(0, Math.max(FIRST_ITEMS, Math.min(head === -1 ? said.length : head, MOST_ITEMS)));
  const seals = said.flatMap(({ kind, raw, wire }) => (kind === "compaction" ? (sealOf(wire, raw, key) ?? []) : []));
  return [...first.map((item) => filtered(redactor, readable(item).text) ?? ""), ...seals];
}
