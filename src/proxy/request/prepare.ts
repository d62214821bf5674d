// A managed request made ready: which lane, which kind, and what therefore happens to it.

import { together } from "../../store/unit.ts";
import { classify } from "../classify/classify.ts";
import { offersTools } from "../classify/tool-names.ts";
import type { HistoryItem } from "../contract.ts";
import { historyOf } from "../history/chain.ts";
import { readable } from "../history/readable.ts";
import { sealOf } from "../history/seal.ts";
import { filtered } from "../services.ts";
import { chainShare } from "../store/lane.ts";
import { type LaneLocation, locating } from "../store/locate.ts";
import { read } from "../store/row-access.ts";
import { ItemSighting } from "../store/see.ts";
import { learnedWindow } from "../store/windows.ts";
import { prepareCompaction, prepareTrigger } from "./compaction.ts";
import { type ManagedRequest, type PlanContext, passed, type ReadyRequest, skipStore } from "./context.ts";
import { holdLane } from "./lane.ts";
import { prepareMain } from "./main.ts";
import { firstAttempt } from "./room.ts";

/** Another request may change the lane while this one is planned; not for ever. */
const MOST_STALE = 3;
/** A client's summary stands in one of the first items, or behind the prompts that codex keeps before it. */
const FIRST_ITEMS = 6;
const MOST_ITEMS = 100;

export async function prepare(
  context: PlanContext,
  request: ManagedRequest,
  todo: string | undefined,
): Promise<ReadyRequest> {
  const { items } = historyOf(request.body, context.key);
  const ready = request.caller.unasked ? passed("skip:store") : await prepareStored(context, request, items, todo);
  if (ready.note.action !== "skip:store" || ready.bytes) return ready;
  return (await prepareKnown(context, request, items)) ?? ready;
}

/** X55: the store is away, and a lane that this process knows keeps its cut. Undefined: it knows none. */
async function prepareKnown(
  context: PlanContext,
  request: ManagedRequest,
  history: readonly HistoryItem[],
): Promise<ReadyRequest | undefined> {
  const served = context.lanes.find(request.caller, history);
  if (!served) return undefined;
  const { session, lane } = served;
  const match = { type: "extends", lane } as const;
  const attempt = firstAttempt(context, request, undefined);
  const limit = attempt.budget.usable;
  const sizes = await context.counts.measure({ body: request.body, items: history, limit });
  const sight = new ItemSighting(context.store, session, match, sizes.items);
  const ask = { ...sizes, request, kind: lane.kind, session, match, sight, lane };
  const state = async (): Promise<undefined> => undefined;
  return holdLane(context, { ...ask, laneFor: () => lane, state }, attempt);
}

async function prepareStored(
  context: PlanContext,
  request: ManagedRequest,
  items: readonly HistoryItem[],
  todo: string | undefined,
): Promise<ReadyRequest> {
  for (let round = 1; ; round++) {
    const { store } = context;
    const looked = await read(store, () =>
      together(
        locating(store, request.caller, items, () => firstTexts(context, items)),
        learnedWindow(store, request.upstream, request.model),
      ),
    );
    if (!looked.ok) return skipStore(context, looked.error);
    const [located, learned] = looked.value;
    const attempt = firstAttempt(context, request, learned);
    const kind = await kindOf(context, request, located, items);
    if (typeof kind !== "string") return kind;
    if (kind === "compaction") return prepareCompaction(context, request, { located, items, attempt });
    if (kind === "trigger") return prepareTrigger(context, request, located);
    if (kind !== "main" && kind !== "agent") return passed("pass", { kind });
    const last = round === MOST_STALE;
    const prepared = await prepareMain(context, request, { kind, located, attempt, items, todo, last });
    if (prepared !== "stale") return prepared;
  }
}

async function kindOf(
  context: PlanContext,
  request: ManagedRequest,
  { main, match }: LaneLocation,
  items: readonly HistoryItem[],
) {
  const { store, key } = context;
  const { route, headers, body, caller } = request;
  // Only a request that calls no tools can be told by it, and a long chain is long to read.
  const share = main && !offersTools(body) && (await chainShare(store, main, items));
  if (share && !share.ok) return skipStore(context, share.error);
  const { kind } = classify({
    ...{ route, headers, family: caller.family, body, items, key, main },
    share: share ? share.value : 0,
    lane: match.type === "new" ? undefined : match.lane,
  });
  return kind;
}

function firstTexts(context: PlanContext, items: readonly HistoryItem[]): string[] {
  const conversation = items.filter(({ role }) => role !== "system" && role !== "developer");
  const head = conversation.findIndex(({ role }) => role === "assistant");
  const first = conversation.slice(
    0,
    Math.max(FIRST_ITEMS, Math.min(head === -1 ? conversation.length : head, MOST_ITEMS)),
  );
  const seals = conversation.flatMap(({ kind, raw, wire }) =>
    kind === "compaction" ? (sealOf(wire, raw, context.key) ?? []) : [],
  );
  return [...first.map((item) => filtered(context, readable(item).text) ?? ""), ...seals];
}
