// What planning a request takes, and what comes of it.

import type { RecalledLine } from "../../memory/recall/recalled-block.ts";
import type { HistoryItem, HistoryPiece, LaneEpochReason, LaneState, RecordRow, ScannedBody } from "../contract.ts";
import type { RequestBudget } from "./budget.ts";
import type { MadeCut } from "./make-cut.ts";
import type { QuotedSnippet, RecallLimits } from "./recall-block.ts";

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

/**
 * `lost`: why a search gave nothing, or less than it should; `schema/recall-loss.ts` says whether the prompt is searched for again.
 * `pins`: those in force for the caller; absent when they are none of the caller's business.
 */
export type PromptQuotes = { snippets: readonly QuotedSnippet[]; pins?: readonly RecalledLine[]; lost?: string };

export type RequestPlanInput = {
  body: ScannedBody;
  /** Their tokens are counted. */
  items: readonly HistoryItem[];
  /** System text and tool definitions beside the history. */
  fixedTokens: number;
  /** The lane as it is kept; a fork has what it inherits. */
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
  /** Called before a cut is made; afterwards each item has its ref. */
  beforeCut?: (() => Promise<void>) | undefined;
  /** `<session>:tN.k`; undefined for what is not stored. */
  refOf: (item: HistoryItem) => string | undefined;
  /** Own hashes of items that could not be stored: they stay whole. */
  untouched?: ReadonlySet<string> | undefined;
  /** The cut of an earlier plan of this very request: it stays while the request fits with it. */
  madeCut?: MadeCut | undefined;
  /** What is kept of a text: without secrets. */
  clean?: ((text: string) => string) | undefined;
  settings: PlanSettings;
};

export type RequestPlan = {
  pieces: HistoryPiece[];
  /** The lane to be kept; a compaction request and `hold` give it back as it came. */
  lane: LaneState;
  action: "pass" | "insert" | "trim";
  rows: RecordRow[];
  tokensIn: number;
  tokensSent: number;
  /** What this request leaves out and shortens. */
  dropped: HistoryItem[];
  shortened: HistoryItem[];
  newEpoch?: LaneEpochReason;
  /** The cut that the new epoch begins with. */
  madeCut?: MadeCut;
  /** A state block was added. */
  newState: boolean;
  /** These quotes stand in a new block. */
  recalled: readonly QuotedSnippet[];
  /** Why a search gave nothing, or less than it should. */
  recallLost?: string;
};
