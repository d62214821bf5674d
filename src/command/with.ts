// `everlong with`: our own flags stand before the agent's name, everything behind it is the agent's.
import type { Command } from "./contract.ts";

export const withAgent: Command = {
  name: "with",
  summary: "start another agent with Everlong's memory: claude, codex, …",
  usage: "[--print] [--json] AGENT [ARGS...] | -- CMD [ARGS...]",
  arguments: "[agent] [args...]",
  options: [
    { flags: "--print", help: "print the shell commands instead of running them" },
    { flags: "--json", help: "print the same as JSON" },
  ],
  raw: true,
  async own({ args }, process) {
    const { withLine } = await import("./with/line.ts");
    const { withCommand } = await import("./with/command.ts");
    return withCommand(withLine(args.map(String)), process);
  },
};
