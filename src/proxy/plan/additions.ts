// What a main request gets besides its history: quotes from memory and the state block, at its tail.
import { optional } from "../../base/optional.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { HistoryItem, Insertion, LaneCut } from "../contract.ts";
import { emptyState } from "../state/block.ts";
import type { RequestPlanInput } from "./contract.ts";
import { blockTokens } from "./count.ts";
import type { InForce } from "./in-force.ts";
import { newestPrompt } from "./keep.ts";
import { type QuotedSnippet, type RecallBlock, type RecallLimits, recallBlock } from "./recall-block.ts";
import { type InsertionPlace, tailOf } from "./tail.ts";

/** An epoch has at most so many blocks; then they are folded into one. */
const MOST_BLOCKS = 8;
/** Quotes of the session and of the namespace may take these shares of the usable window. */
const RECALL_SHARE = 0.08;
const SEMANTIC_SHARE = 0.04;
/** A block that is not yet known is estimated at so many characters a token. */
const CHARS_A_TOKEN = 3;

export type WantedBlocks = {
  /** The blocks that this request needs have so many tokens if the epoch goes on. */
  tokens: number;
  /** The same, if a new one begins. */
  fresh: number;
  /** The block to be added now. */
  state: string | undefined;
  stateTokens: number;
  recall: boolean;
  /** There are too many blocks for one more. */
  folds: boolean;
  prompt: HistoryItem | undefined;
};

const NOTHING = { tokens: 0, fresh: 0, state: undefined, stateTokens: 0, recall: false, folds: false } as const;

export function wantedOf(input: RequestPlanInput, history: readonly ContextItem[], inForce: InForce): WantedBlocks {
  const { kind, lane, items, settings } = input;
  if (kind !== "main") return { ...NOTHING, prompt: undefined };
  const prompt = newestPrompt(items);
  const blocks = inForce.insertions.filter((one) => one.kind === "state");
  const state = stateToAdd(input, history, blocks.at(-1));
  const text = state ?? input.state;
  const stateTokens = text ? blockTokens(text) : 0;
  const isNew = prompt !== undefined && (inForce.ended !== undefined || lane.recalledFor !== prompt.id);
  const recall = input.recall !== undefined && isNew && (isCut(input) || settings.semantic.enabled);
  const now = (state === undefined ? 0 : stateTokens) + (recall ? allowance(input, isCut(input)) : 0);
  const fresh = stateTokens + (input.recall && prompt ? allowance(input, true) : 0);
  return {
    tokens: inForce.ended ? fresh : now,
    fresh,
    state,
    stateTokens,
    recall,
    folds: state !== undefined && blocks.length >= MOST_BLOCKS,
    prompt,
  };
}

/** Something that the lane once held may not be in view. */
const isCut = ({ lane }: RequestPlanInput): boolean =>
  lane.cut !== undefined || lane.epoch > 0 || lane.clientSummary !== undefined || lane.rewritten === true;

function allowance(input: RequestPlanInput, session: boolean): number {
  const { recall, semantic } = roomFor(input);
  const chars = (session ? recall.maxChars : 0) + (input.settings.semantic.enabled ? semantic.maxChars : 0);
  return Math.ceil(chars / CHARS_A_TOKEN);
}

/** In a small window quotes must not crowd out what is quoted: their room alone would end each epoch. */
function roomFor({ settings: { recall, semantic }, budget }: RequestPlanInput): RecallLimits {
  const most = (share: number): number => Math.floor(share * budget.usable * CHARS_A_TOKEN);
  return {
    recall: { ...recall, maxChars: Math.min(recall.maxChars, most(RECALL_SHARE)) },
    semantic: { ...semantic, maxChars: Math.min(semantic.maxChars, most(SEMANTIC_SHARE)) },
  };
}

/** Added when its text is new, or when much has come after it. */
function stateToAdd(
  input: RequestPlanInput,
  history: readonly ContextItem[],
  latest: Insertion | undefined,
): string | undefined {
  const { state, settings } = input;
  if (state === undefined || (state === "" && !latest)) return undefined;
  const text = state === "" ? emptyState(settings.state.tag) : state;
  if (latest?.text !== text) return text;
  const since = history.slice(history.findIndex(({ id }) => id === latest.anchor) + 1);
  return since.reduce((sum, { tokens }) => sum + tokens, 0) > settings.state.refreshTokens ? text : undefined;
}

type Additions = { insertions: Insertion[]; recalled: readonly QuotedSnippet[]; state: boolean; lost?: string };

/** `begun`: a new epoch starts with this request, without the blocks of the one before. */
export async function addition(
  input: RequestPlanInput,
  sent: { kept: readonly ContextItem[]; cut: LaneCut | undefined; insertions: readonly Insertion[] },
  wanted: WantedBlocks,
  begun: { takesAway: boolean } | undefined,
): Promise<Additions> {
  const { body, settings } = input;
  const ids = new Set(sent.kept.map(({ id }) => id));
  const items = input.items.filter(({ id }) => ids.has(id));
  const place = input.kind === "main" ? tailOf(body, items, settings.state) : undefined;
  if (!place) return { insertions: [], recalled: [], state: false };
  const { block, lost } = wanted.recall || begun ? await recalled(input, sent, items, wanted, begun) : NO_RECALL;
  const state = begun ? input.state || undefined : wanted.state;
  return {
    insertions: [
      ...(block ? [{ kind: "recall", text: block.text, tokens: blockTokens(block.text), ...place } as const] : []),
      ...(state
        ? [{ kind: "state", text: state, tokens: wanted.stateTokens, ...statePlace(input, place) } as const]
        : []),
    ],
    recalled: block?.used ?? [],
    state: state !== undefined,
    ...optional("lost", lost),
  };
}

type Recalled = { block?: RecallBlock | undefined; lost?: string | undefined };
const NO_RECALL: Recalled = {};

/** The seed's own entry of another role, where the format has one. */
function statePlace(
  { body, settings, items }: RequestPlanInput,
  place: InsertionPlace,
): InsertionPlace & Pick<Insertion, "role"> {
  const last = items.at(-1);
  const isOwn = settings.state.role === "system" && wireOf(body.wire).message.systemMessage !== undefined;
  return isOwn && last !== undefined ? { anchor: last.id, place: "after", role: "system" } : place;
}

async function recalled(
  input: RequestPlanInput,
  { cut, insertions }: { cut: LaneCut | undefined; insertions: readonly Insertion[] },
  items: readonly HistoryItem[],
  { prompt }: WantedBlocks,
  begun: { takesAway: boolean } | undefined,
): Promise<Recalled> {
  const { settings } = input;
  if (!input.recall || !prompt) return NO_RECALL;
  const short = Object.keys(cut?.shortened ?? {});
  const standing = new Set(items.filter(({ id }) => !short.includes(id)).flatMap(({ own }) => own ?? []));
  const { snippets, pins, lost } = await input.recall({
    session: begun !== undefined || isCut(input),
    namespace: settings.semantic.enabled,
    prompt,
    standing,
    takesAway: begun?.takesAway ?? false,
  });
  const tag = settings.state.tag === SEED_TAG ? "memory" : "everlong_recall";
  const earlier = insertions.filter(({ kind }) => kind === "recall").map(({ text }) => text);
  const options = { tag, standing: shownTexts(cut), earlier, ...optional("pins", pins) } as const;
  return { block: recallBlock(snippets, roomFor(input), options), lost };
}

const SEED_TAG = "proxypilot_state";

/** What is left of shortened items, as text. */
function shownTexts(cut: LaneCut | undefined): string[] {
  const texts: string[] = [];
  for (const json of Object.values(cut?.shortened ?? {})) {
    JSON.parse(json, (_key, value: unknown) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
  }
  return texts;
}
