// One item of a history, seen the same way whatever wire or log it came from.
type ItemRole = "system" | "developer" | "user" | "assistant" | "tool";
export type ItemKind = "message" | "reasoning" | "compaction" | "notice" | "opaque";

export type ContextItem<Raw = unknown> = {
  id: string;
  role: ItemRole;
  kind: ItemKind;
  /** Written by the user (or a subagent's parent); a notification has role user but is no prompt. */
  isPrompt: boolean;
  /** N of the turn `tN` it belongs to; 0 before the first prompt. */
  turn: number;
  /** Calls this item makes. */
  toolCallIds: string[];
  /** Calls this item answers. */
  toolResultFor: string[];
  /** Counted size; filled by whoever counts. */
  tokens: number;
  /** About how long its texts are, for whoever need not look at them. */
  chars?: number;
  /** About how many tokens it has, when somebody has looked at its texts before. */
  estimate?: number;
  /** The wire's own object; never mutated. */
  raw: Raw;
};

/** An item of the program's own making: no prompt, no calls, not counted yet. */
export const newItem = <Raw>(
  own: Pick<ContextItem<Raw>, "id" | "role" | "kind" | "turn" | "raw"> & Partial<ContextItem<Raw>>,
): ContextItem<Raw> => ({ isPrompt: false, toolCallIds: [], toolResultFor: [], tokens: 0, ...own });
