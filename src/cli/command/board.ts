// `everlong board`: the context board in the user's own hand.
import type { Command } from "commander";
import { limit, type Print } from "./print.ts";

export function addBoard(program: Command, print: Print): void {
  const board = program.command("board").description("reusable knowledge of this repository and branch");
  const command = (usage: string, description: string): Command =>
    board
      .command(usage)
      .description(description)
      .option("--branch <name>", "of another branch")
      .option("--repo <key>", "of another repository")
      .option("--src <src>", "agent or user")
      .option("--json", "one JSON object a line");
  const run = async (
    verb: "list" | "show" | "add" | "edit" | "remove" | "changes" | "undo" | "adopt",
    ...args: unknown[]
  ) => {
    const { boardCommand } = await import("../../runtime/board/command.ts");
    const [argument, options] = args.length === 1 ? [undefined, args[0]] : args;
    await print(boardCommand(verb, argument as string | undefined, options as object, piped));
  };
  command("list", "what is on it, yours first").action((options) => run("list", options));
  command("show <name>", "one item with its content; this is not counted as a reading").action((name, options) =>
    run("show", name, options),
  );
  for (const [usage, text] of [
    ["add", "add an item of your own; content from --content, -f or stdin"],
    ["edit", "change an item, also an agent's"],
  ] as const) {
    command(`${usage} <name>`, text)
      .option("--description <text>", "one line: when it helps")
      .option("--content <text>", "the content")
      .option("-f, --file <file>", "the content from a file")
      .action((name, options) => run(usage, name, options));
  }
  command("remove <name>", "remove an item, also an agent's")
    .alias("delete")
    .action((name, options) => run("remove", name, options));
  command("changes", "what was changed, newest first")
    .option("--run <id>", "only by that consolidation")
    .option("--limit <n>", "most rows", limit, 50)
    .action((options) => run("changes", options));
  command("undo <change>", "take back a change, or all of a run")
    .option("--force", "also what was changed again since")
    .action((which, options) => run("undo", which, options));
  command("adopt <branch>", "copy another branch's items that do not clash").action((branch, options) =>
    run("adopt", branch, options),
  );
}

/** Nothing is waited for at a terminal. */
async function piped(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const { text } = await import("node:stream/consumers");
  return text(process.stdin);
}
