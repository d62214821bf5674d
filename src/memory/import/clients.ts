// The clients whose histories can be imported.
import { claude } from "./claude/claude.ts";
import type { HistoryClient } from "./contract.ts";

export const historyClients: readonly HistoryClient[] = [claude];
