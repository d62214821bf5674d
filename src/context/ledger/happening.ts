// What a ledger is made from: the few kinds of things that happen in a session, as the agent's log and a client's history show them.

/** Where it stands: turn N, and its k-th item when that is known. */
export type LedgerPlace = { turn: number; item?: number };

export type Happening = LedgerPlace &
  (
    | { type: "prompt"; text: string }
    | { type: "answer"; text: string }
    | { type: "call"; callId?: string | undefined; tool: string; args: unknown }
    /** `failed` is absent when only the text can tell. */
    | { type: "result"; callId?: string | undefined; text: string; failed?: boolean }
    /** `removed`: ids, or all that are not in `todos`. */
    | { type: "todos"; todos: readonly LedgerTodo[]; removed: readonly string[] | "others" }
  );

export type LedgerTodo = { id: string; title: string; status: string };

export const refText = ({ turn, item }: LedgerPlace): string => (item === undefined ? `t${turn}` : `t${turn}.${item}`);

export const comesAfter = (a: LedgerPlace, b: LedgerPlace): boolean =>
  a.turn > b.turn || (a.turn === b.turn && (a.item ?? 0) > (b.item ?? 0));

export const isSamePlace = (a: LedgerPlace, b: LedgerPlace): boolean => a.turn === b.turn && a.item === b.item;
