// What planning one request works on, and how it asks for what is remembered.
import type { HistoryItem, LaneState, ScannedBody } from "../contract.ts";
import type { Budget } from "./budget.ts";
import type { RecallLimits, Snippet } from "./recall-block.ts";

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

export type RecallAsk = {
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
export type RecallAnswer = { snippets: readonly Snippet[]; lost?: string };

export type PlanInput = {
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
  budget: Budget;
  model: string;
  /** The state block as it should stand in the request. */
  state?: string | undefined;
  /** Bounded in time; must not throw. */
  recall?: ((ask: RecallAsk) => Promise<RecallAnswer>) | undefined;
  /** `<session>:tN.k`; undefined for what is not stored. */
  refOf: (item: HistoryItem) => string | undefined;
  /** Own hashes of items that could not be stored: they stay whole. */
  untouched?: ReadonlySet<string> | undefined;
  /** What is kept of a text: without secrets. */
  clean?: ((text: string) => string) | undefined;
  settings: PlanSettings;
};
