// One request planned: the cut and the blocks in force, what has to be added, and a new epoch when it no longer fits.
import { optional } from "../../base/optional.ts";
import { type Applied, applyCut, isSystem } from "../../context/truncate/cut.ts";
import type { Shaping } from "../../context/truncate/shorten-item.ts";
import { countItem } from "../../model/tokens/measure.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { isSearchedAgain } from "../../schema/recall-loss.ts";
import type { HistoryItem, Insertion, LaneCut, LaneEpochReason, LaneState } from "../contract.ts";
import { addition, type WantedBlocks, wantedOf } from "./additions.ts";
import { below } from "./budget.ts";
import type { RequestPlan, RequestPlanInput } from "./contract.ts";
import { type InForce, inForce } from "./in-force.ts";
import { keepOf } from "./keep.ts";
import { isSameCut, type MadeCut, makeCut } from "./make-cut.ts";
import { piecesOf, rowsOf } from "./pieces.ts";
import { gapNotice, PLACE } from "./words.ts";

/** What is sent, before it is pieces. */
type Draft = Pick<Applied, "kept"> & { cut: LaneCut | undefined; insertions: readonly Insertion[] };

export const newLane = (lane: Pick<LaneState, "kind" | "tools" | "system">): LaneState => ({
  ...lane,
  epoch: 0,
  insertions: [],
});

/** The same for the same input; recall apart it asks nobody. */
export async function plan(input: RequestPlanInput): Promise<RequestPlan> {
  const { body, items, lane, kind, mode, settings } = input;
  const keep = keepOf(items, { ...settings, untouched: input.untouched });
  const inForceCut = inForce(lane, items, { keep, model: mode === "hold" ? undefined : input.model });
  const shaping = shapingOf(input);
  const applied = await applyCut(items, inForceCut.cut, shaping);
  const inForceNow: Draft = { kept: applied.kept, cut: inForceCut.cut && lane.cut, insertions: inForceCut.insertions };
  const base = input.fixedTokens + sum(items.filter(isSystem));
  if (mode === "hold") return finish(input, inForceNow, { lane });

  const wanted = wantedOf(input, applied.kept, inForceCut);
  const total = base + sum(conversation(applied.kept)) + sum(inForceCut.insertions) + wanted.tokens;
  const budget = mode === "context-error" ? below(input.budget, total) : input.budget;
  const longChars = settings.toolOutputMaxChars;
  const cutTo = async (added: number): Promise<MadeCut> => {
    const { madeCut } = input;
    if (madeCut && base + added + madeCut.applied.conversationTokens <= budget.high) return madeCut;
    await input.beforeCut?.();
    return makeCut({
      ...{ body, items, budget, keep, shaping, longChars, clean: input.clean },
      fixedTokens: base + added,
      refused: mode === "context-error",
    });
  };

  if (kind === "compaction") {
    const whole = base + sum(conversation(items));
    if (mode === "normal" && whole <= budget.usable) return finish(input, bare(items), { lane });
    if (mode === "normal" && inForceCut.cut && total <= budget.usable) return finish(input, inForceNow, { lane });
    const fresh = await cutTo(sum(inForceCut.insertions));
    const existing = inForceCut.insertions.filter((one) => one.kind !== "notice" && !fresh.cut.dropped.has(one.anchor));
    return finish(input, draftOf(fresh, existing), { lane, newEpoch: "compaction", madeCut: fresh });
  }

  const fresh = await newEpochOf(input, { total, held: inForceCut, wanted, cutTo });
  const reason = fresh?.reason;
  const draft =
    fresh?.made === undefined
      ? { ...inForceNow, insertions: fresh ? inForceCut.insertions.filter(isNotice) : inForceCut.insertions }
      : draftOf(fresh.made, []);
  const begun = fresh && { takesAway: fresh.made !== undefined };
  const added = await addition(input, draft, wanted, begun);
  // The very same list while nothing is added: what is kept of the lane is then not written again.
  const insertions = added.insertions.length === 0 ? draft.insertions : [...draft.insertions, ...added.insertions];
  const blocks = insertions.filter((one) => one.kind === "state").length;
  const isLost = added.lost !== undefined && isSearchedAgain(added.lost);
  const { cut: _cut, reason: _reason, state: _state, recalledFor: _prompt, ...rest } = lane;
  const next: LaneState = {
    ...rest,
    model: input.model,
    epoch: lane.epoch + (reason ? 1 : 0),
    ...optional("reason", reason ?? lane.reason),
    ...optional("cut", draft.cut),
    insertions,
    ...optional("state", blocks === 0 || input.state === undefined ? undefined : { text: input.state, blocks }),
    // A prompt whose search was lost is searched for again by its next request.
    ...optional("recalledFor", isLost ? undefined : (wanted.prompt?.id ?? lane.recalledFor)),
  };
  return finish(
    input,
    { ...draft, insertions },
    {
      lane: next,
      ...optional("newEpoch", reason),
      ...optional("madeCut", fresh?.made),
      recalled: added.recalled,
      newState: added.state,
      ...optional("recallLost", added.lost),
    },
  );
}

type Fresh = { reason: LaneEpochReason; made?: MadeCut };

/** Undefined while the epoch goes on. Without a cut of its own the new one begins with what is in force, or with nothing. */
async function newEpochOf(
  { kind, mode, budget, lane }: RequestPlanInput,
  now: { total: number; held: InForce; wanted: WantedBlocks; cutTo: (added: number) => Promise<MadeCut> },
): Promise<Fresh | undefined> {
  const { total, held, wanted } = now;
  const forced = mode === "context-error";
  const limit = kind === "main" ? budget.high : budget.usable;
  if (forced || total > limit) {
    const fresh = await now.cutTo(wanted.fresh);
    const reason = forced ? "context-error" : (held.ended ?? "high-water");
    const isSame = isSameCut(fresh.recorded, held.cut && lane.cut);
    // One that stays above the mark would be made anew at each request: it waits until nothing else is left.
    const isWorthIt = !isSame && (fresh.fits || total > budget.usable);
    if (forced || held.ended || isWorthIt) return { reason, made: fresh };
  }
  if (held.ended) return { reason: held.ended };
  return wanted.folds ? { reason: "fold" } : undefined;
}

const draftOf = ({ recorded, applied, notice }: MadeCut, insertions: readonly Insertion[]): Draft => ({
  kept: applied.kept,
  cut: recorded,
  insertions: [...(notice ? [notice] : []), ...insertions],
});

const bare = (items: readonly HistoryItem[]): Draft => ({ kept: items, cut: undefined, insertions: [] });

const isNotice = ({ kind }: Insertion): boolean => kind === "notice";
const conversation = <Item extends Pick<HistoryItem, "role">>(items: readonly Item[]): Item[] =>
  items.filter(({ role }) => role !== "system" && role !== "developer");
const sum = (sized: readonly { tokens: number }[]): number => sized.reduce((total, { tokens }) => total + tokens, 0);

function shapingOf({ body, items, refOf }: RequestPlanInput): Shaping {
  const byId = new Map(items.map((item) => [item.id, item]));
  const refAt = (id: string): string | undefined => {
    const item = byId.get(id);
    return item && refOf(item);
  };
  return {
    rules: wireOf(body.wire).history,
    count: (item) => countItem(item),
    refOf: ({ id }) => refAt(id) ?? "kept",
    place: PLACE,
    recallOn: false,
    notice: (omitted) => gapNotice(omitted, refAt),
  };
}

type Outcome = Pick<RequestPlan, "lane"> &
  Partial<Pick<RequestPlan, "newEpoch" | "madeCut" | "recalled" | "newState" | "recallLost">>;

/** Repairs are made only in a request that is changed anyway. */
function finish(input: RequestPlanInput, draft: Draft, outcome: Outcome): RequestPlan {
  const { body, items, refOf, fixedTokens } = input;
  const isTouched = draft.cut !== undefined || draft.insertions.length > 0;
  const sent = isTouched ? draft.kept : items;
  const { cut, insertions } = draft;
  const standing = input.lane.insertions;
  const shape = { wire: body.wire, all: items, kept: sent, cut, insertions, standing, refOf };
  const dropped = new Set(draft.cut?.dropped);
  const shortened = new Set(Object.keys(draft.cut?.shortened ?? {}));
  return {
    recalled: [],
    newState: false,
    ...outcome,
    pieces: piecesOf(shape),
    rows: rowsOf(shape),
    action: draft.cut ? "trim" : draft.insertions.length > 0 ? "insert" : "pass",
    tokensIn: fixedTokens + sum(items),
    tokensSent: fixedTokens + sum(sent) + sum(draft.insertions),
    dropped: items.filter(({ id }) => dropped.has(id)),
    shortened: items.filter(({ id }) => shortened.has(id)),
  };
}
