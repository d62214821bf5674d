// The key list: every action with its keys, as they are bound now.
import type { KeyRow } from "../../command/key-table.ts";
import type { PanelView } from "../panel/contract.ts";
import { span } from "../text/span.ts";
import { clipTo } from "../text/width.ts";
import { fitLine } from "./line.ts";
import { scrolled, scrollKey } from "./scroll.ts";

export type KeyListState = { rows: readonly KeyRow[]; top: number };

const KEY_COLUMNS = 30;

export const keysView: PanelView<KeyListState> = {
  render({ rows, top }, width, look, room) {
    const columns = Math.min(KEY_COLUMNS, Math.floor(width / 2) - 1);
    const lines = rows.map(({ keys, help }) => {
      const names = clipTo(keys.join(", "), columns, look.glyphs.ellipsis).padEnd(columns);
      return fitLine([span(names, "accent"), span(` ${help}`)], width, look);
    });
    return scrolled(lines, top, room, width, look);
  },
  handle(key, state) {
    const top = scrollKey(key, state.top, state.rows.length);
    return top === undefined ? undefined : { type: "show", state: { ...state, top } };
  },
};
