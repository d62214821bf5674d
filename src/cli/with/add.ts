// The command line of `everlong with`: our own flags stand before the agent's name, everything behind it is the agent's.
import type { Command } from "commander";

type Done = (exitCode: number) => void;

export function addWith(program: Command, done: Done): void {
  program
    .command("with")
    .description("start an agent through the gateway: codex, claude, gemini, opencode, qwen, pi, copilot, cline, letta")
    .usage("[--print] [--json] AGENT [ARGS...] | -- CMD [ARGS...]")
    .argument("[agent]")
    .argument("[args...]")
    .option("--print", "print variables, arguments and launch files as shell lines, and start nothing")
    .option("--json", "print the same as JSON")
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (_agent, _args, _options, command: Command) => {
      const { withLine } = await import("./line.ts");
      const { withCommand } = await import("./command.ts");
      // Commander takes `--` away, and here it means something.
      const { rawArgs: words = [] } = command.parent as { rawArgs?: string[] };
      done(await withCommand(withLine(words.slice(words.indexOf("with") + 1))));
    });
}
