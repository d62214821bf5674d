// The agents that `everlong with` knows.
import { entryOf } from "../../base/own-entry.ts";
import { any } from "./agent/any.ts";
import { claude } from "./agent/claude.ts";
import { cline } from "./agent/cline.ts";
import { crush, droid, warp } from "./agent/closed.ts";
import { codex } from "./agent/codex.ts";
import { copilot } from "./agent/copilot.ts";
import { gemini } from "./agent/gemini.ts";
import { letta } from "./agent/letta.ts";
import { opencode } from "./agent/opencode.ts";
import { pi } from "./agent/pi.ts";
import { qwen } from "./agent/qwen.ts";
import type { AgentRow } from "./row.ts";

const table = { codex, claude, gemini, opencode, qwen, pi, copilot, cline, letta, droid, warp, crush };

export const agentNames: readonly string[] = Object.keys(table);

/** `--` stands for any program: its name is the first of the arguments. */
export function rowOf(agent: string, args: readonly string[]): AgentRow | undefined {
  if (agent === "--") return args[0] === undefined ? undefined : any(args[0]);
  return entryOf<AgentRow>(table, agent);
}
