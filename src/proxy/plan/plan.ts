// One request planned: the cut and the blocks in force, what has to be added, and a new epoch when it no longer fits.
import { optional } from "../../base/optional.ts";
import { type Applied, applyCut, isSystem } from "../../context/truncate/cut.ts";
import type { Shaping } from "../../context/truncate/shorten-item.ts";
import { countItem } from "../../model/tokens/measure.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type {
  HistoryItem,
  HistoryPiece,
  Insertion,
  LaneCut,
  LaneEpochReason,
  LaneState,
  RecordRow,
  ScannedBody,
} from "../contract.ts";
import { addition, type WantedBlocks, wantedOf } from "./additions.ts";
import { below, type RequestBudget } from "./budget.ts";
import { type InForce, inForce } from "./in-force.ts";
import { keepOf } from "./keep.ts";
import { isSameCut, type MadeCut, makeCut } from "./make-cut.ts";
import { piecesOf, rowsOf } from "./pieces.ts";
import type { QuotedSnippet, RecallLimits } from "./recall-block.ts";
import { gapNotice, PLACE } from "./words.ts";

export type PlanSettings = RecallLimits & {
  minKeepItems: number;
  toolOutputMaxChars: number;
  semantic: { enabled: boolean };
  state: {
    appendOnly: boolean;
    tag: "everlong_state" | "proxypilot_state";
    role: "user" | "system";
    refreshTokens: number;
  };
};

export type PromptQuestion = {
  /** Something of the lane may not be in view: its session is searched. */
  session: boolean;
  /** The namespace is searched by meaning. */
  namespace: boolean;
  prompt: HistoryItem;
  /** Own hashes of the items that stand in the request as a whole. */
  standing: ReadonlySet<string>;
  /** This very request leaves out what the one before it still had. */
  takesAway: boolean;
};

/** `lost`: why a search gave nothing, where it should have given an answer; the prompt is searched for again. */
export type PromptQuotes = { snippets: readonly QuotedSnippet[]; lost?: string };

export type RequestPlanInput = {
  body: ScannedBody;
  /** Counted. */
  items: readonly HistoryItem[];
  /** System text and tool definitions beside the history. */
  fixedTokens: number;
  /** As it is kept; for a fork with what it inherits. */
  lane: LaneState;
  kind: "main" | "agent" | "compaction";
  /** `hold`: what is in force and nothing new. `context-error`: a new epoch, whatever the count says. */
  mode: "normal" | "context-error" | "hold";
  budget: RequestBudget;
  model: string;
  /** The state block as it should stand in the request. */
  state?: string | undefined;
  /** Bounded in time; must not throw. */
  recall?: ((ask: PromptQuestion) => Promise<PromptQuotes>) | undefined;
  /** `<session>:tN.k`; undefined for what is not stored. */
  refOf: (item: HistoryItem) => string | undefined;
  /** Own hashes of items that could not be stored: they stay whole. */
  untouched?: ReadonlySet<string> | undefined;
  /** What is kept of a text: without secrets. */
  clean?: ((text: string) => string) | undefined;
  settings: PlanSettings;
};

export type RequestPlan = {
  pieces: HistoryPiece[];
  /** To be kept; of a compaction request and in `hold` the lane as it came. */
  lane: LaneState;
  action: "pass" | "insert" | "trim";
  rows: RecordRow[];
  tokensIn: number;
  tokensSent: number;
  /** What this request leaves out and shortens. */
  dropped: HistoryItem[];
  shortened: HistoryItem[];
  newEpoch?: LaneEpochReason;
  /** A state block was added. */
  newState: boolean;
  /** In a new block. */
  recalled: readonly QuotedSnippet[];
  /** Why a search gave nothing. */
  recallLost?: string;
};

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
  const held = inForce(lane, items, { keep, model: mode === "hold" ? undefined : input.model });
  const shaping = shapingOf(input);
  const applied = await applyCut(items, held.cut, shaping);
  const inForceNow: Draft = { kept: applied.kept, cut: held.cut && lane.cut, insertions: held.insertions };
  const base = input.fixedTokens + sum(items.filter(isSystem));
  if (mode === "hold") return finish(input, inForceNow, { lane });

  const wanted = wantedOf(input, applied.kept, held);
  const total = base + sum(conversation(applied.kept)) + sum(held.insertions) + wanted.tokens;
  const budget = mode === "context-error" ? below(input.budget, total) : input.budget;
  const longChars = settings.toolOutputMaxChars;
  const cutTo = (added: number): Promise<MadeCut> =>
    makeCut({
      ...{ body, items, budget, keep, shaping, longChars, clean: input.clean },
      fixedTokens: base + added,
      refused: mode === "context-error",
    });

  if (kind === "compaction") {
    const whole = base + sum(conversation(items));
    if (mode === "normal" && whole <= budget.usable) return finish(input, bare(items), { lane });
    if (mode === "normal" && held.cut && total <= budget.usable) return finish(input, inForceNow, { lane });
    const made = await cutTo(sum(held.insertions));
    const existing = held.insertions.filter((one) => one.kind !== "notice" && !made.cut.dropped.has(one.anchor));
    return finish(input, draftOf(made, existing), { lane, newEpoch: "compaction" });
  }

  const fresh = await newEpochOf(input, { total, held, wanted, cutTo });
  const reason = fresh?.reason;
  const draft =
    fresh?.made === undefined
      ? { ...inForceNow, insertions: fresh ? held.insertions.filter(isNotice) : held.insertions }
      : draftOf(fresh.made, []);
  const begun = fresh && { takesAway: fresh.made !== undefined };
  const added = await addition(input, draft, wanted, begun);
  const insertions = [...draft.insertions, ...added.insertions];
  const blocks = insertions.filter((one) => one.kind === "state").length;
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
    ...optional("recalledFor", added.lost === undefined ? (wanted.prompt?.id ?? lane.recalledFor) : undefined),
  };
  return finish(
    input,
    { ...draft, insertions },
    {
      lane: next,
      ...optional("newEpoch", reason),
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
    const made = await now.cutTo(wanted.fresh);
    const reason = forced ? "context-error" : (held.ended ?? "high-water");
    const isSame = isSameCut(made.recorded, held.cut && lane.cut);
    // One that stays above the mark would be made anew at each request: it waits until nothing else is left.
    const isWorthIt = !isSame && (made.fits || total > budget.usable);
    if (forced || held.ended || isWorthIt) return { reason, made };
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
  Partial<Pick<RequestPlan, "newEpoch" | "recalled" | "newState" | "recallLost">>;

/** Repairs are made only in a request that is changed anyway. */
function finish(input: RequestPlanInput, draft: Draft, outcome: Outcome): RequestPlan {
  const { body, items, refOf, fixedTokens } = input;
  const isTouched = draft.cut !== undefined || draft.insertions.length > 0;
  const kept = isTouched ? draft.kept : items;
  const shape = { wire: body.wire, all: items, kept, cut: draft.cut, insertions: draft.insertions, refOf };
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
    tokensSent: fixedTokens + sum(kept) + sum(draft.insertions),
    dropped: items.filter(({ id }) => dropped.has(id)),
    shortened: items.filter(({ id }) => shortened.has(id)),
  };
}
