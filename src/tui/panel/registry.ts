// Which commands open a panel when they are typed in the terminal without words, and which view shows them.
import type { PanelRow } from "./contract.ts";

export const panels: readonly PanelRow[] = [];

export const panelFor = (command: string): PanelRow | undefined => panels.find((row) => row.command === command);
