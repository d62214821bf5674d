// For wires that want users and assistants to take turns: user items that became neighbours are joined, a user item comes first.
import type { ContextItem } from "../../schema/context-item.ts";

export type Turns = {
  isUser: (raw: unknown) => boolean;
  isAssistant: (raw: unknown) => boolean;
  join: (first: unknown, second: unknown) => unknown;
  /** The user item put before an assistant's when the history would start with that. */
  opening: () => unknown;
};

/** Neighbours of the original list are left as the client sent them; only what a cut or an insertion brought together is joined. */
export function alternate(items: readonly ContextItem[], original: readonly unknown[], turns: Turns): unknown[] {
  const positions = new Map(original.map((raw, index) => [raw, index]));
  const raws: unknown[] = [];
  let lastPosition: number | undefined;
  for (const { raw } of items) {
    const previous = raws.at(-1);
    const position = positions.get(raw);
    const wereNeighbours = position !== undefined && lastPosition !== undefined && position === lastPosition + 1;
    if (raws.length > 0 && !wereNeighbours && turns.isUser(previous) && turns.isUser(raw)) {
      raws[raws.length - 1] = turns.join(previous, raw);
    } else {
      raws.push(raw);
    }
    lastPosition = position;
  }
  const startsWithAssistant = turns.isAssistant(raws[0]) && raws[0] !== original[0];
  return startsWithAssistant ? [turns.opening(), ...raws] : raws;
}

export const OPENING_TEXT = "(The conversation before this point is left out.)";
