// The key list: every action with its keys, as they are bound now.
import type { KeyRow } from "../key/table.ts";
import type { PanelView } from "../panel/contract.ts";
import { span } from "../text/span.ts";
import { fitLine } from "./line.ts";
import { scrolled, scrollKey } from "./scroll.ts";

export type KeyListState = { rows: readonly KeyRow[]; top: number };

const KEY_COLUMNS = 26;

export const keysView: PanelView<KeyListState> = {
  render({ rows, top }, width, look, room) {
    const lines = rows.map(({ keys, help }) =>
      fitLine([span(keys.join(", ").padEnd(KEY_COLUMNS), "accent"), span(` ${help}`)], width, look),
    );
    return scrolled(lines, top, room, width, look);
  },
  handle(key, state) {
    const top = scrollKey(key, state.top, state.rows.length);
    return top === undefined ? undefined : { type: "show", state: { ...state, top } };
  },
};
