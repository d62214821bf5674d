// Which commands open a panel when they are typed in the terminal without words, and which view shows them.
import { ok } from "../../base/result.ts";
import { type KeyListState, keysView } from "../view/keys.ts";
import { type PanelRow, panelRow } from "./contract.ts";

export const panels: readonly PanelRow[] = [
  panelRow<KeyListState>({
    command: "keys",
    load: async (_client, { keys, before }) => ok({ rows: keys, top: before?.top ?? 0 }),
    view: keysView,
  }),
];

export const panelFor = (command: string): PanelRow | undefined => panels.find((row) => row.command === command);
