// The clients whose histories can be imported, in the order in which they are shown.
import { claude } from "./claude/claude.ts";
import { cline } from "./cline/cline.ts";
import { codex } from "./codex/codex.ts";
import type { HistoryClient } from "./contract.ts";
import { copilot } from "./copilot/copilot.ts";
import { gemini } from "./gemini/gemini.ts";
import { letta } from "./letta/letta.ts";
import { opencode } from "./opencode/opencode.ts";
import { pi } from "./pi/pi.ts";
import { qwen } from "./qwen/qwen.ts";

export const historyClients: readonly HistoryClient[] = [
  claude,
  codex,
  copilot,
  opencode,
  gemini,
  pi,
  qwen,
  cline,
  letta,
];
