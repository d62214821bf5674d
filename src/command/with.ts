// `everlong with`: our own flags stand before the agent's name, everything behind it is the agent's.
import type { Command } from "./contract.ts";

export const withAgent: Command = {
  name: "with",
  summary: "start an agent through the gateway: codex, claude, gemini, opencode, qwen, pi, copilot, cline, letta",
  usage: "[--print] [--json] AGENT [ARGS...] | -- CMD [ARGS...]",
  arguments: "[agent] [args...]",
  options: [
    { flags: "--print", help: "print variables, arguments and launch files as shell lines, and start nothing" },
    { flags: "--json", help: "print the same as JSON" },
  ],
  raw: true,
  async own({ args }, process) {
    const { withLine } = await import("./with/line.ts");
    const { withCommand } = await import("./with/command.ts");
    return withCommand(withLine(args.map(String)), process);
  },
};
