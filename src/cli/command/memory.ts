// `everlong memory`: the user's own hand on what is remembered. The same verbs, with the same options, serve `/memory`.
import { type Command, Option } from "commander";
import type { Hands, MemoryCall } from "../../runtime/memory/client.ts";
import { askTerminal } from "./ask-terminal.ts";
import { limit, type Print } from "./print.ts";

export function addMemory(program: Command, print: Print): void {
  const memory = program.command("memory").description("see, change, decide on and take out what is remembered");
  addMemoryVerbs(memory, async (call) => {
    const { memoryCommand } = await import("../../runtime/memory/client.ts");
    const { editText } = await import("../../runtime/gateway/edit.ts");
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
    await print(memoryCommand(call, isTerminal ? { ...terminalHands, editor: editText } : {}));
  });
}

type Run = (call: MemoryCall) => Promise<void>;

export function addMemoryVerbs(memory: Command, run: Run): void {
  const cite = (text: string, all: string[] = []): string[] => [...all, text];
  const verb = (name: MemoryCall["verb"], args: string, description: string): Command =>
    memory
      .command(`${name} ${args}`.trim(), name === "list" ? { isDefault: true } : {})
      .description(description)
      .action((...given: unknown[]) => {
        const [flags, values] = [given.at(-2) as MemoryCall["flags"], given.slice(0, -2)];
        return run({ verb: name, args: values.flat().map(String), flags });
      });
  const place = (command: Command): Command =>
    command.option("--repo <key>", "of that repository").option("--all", "of every repository");
  const scope = () => new Option("--scope <scope>", "only of that scope").choices(["repository", "user"]);
  const texts = (command: Command): Command =>
    command
      .option("--subject <text>", "what it is about, in a few words")
      .option("--fact <text>", "the fact itself")
      .option("--cite <place>", "where it can be seen, such as src/a.ts:10-12; may be given again", cite)
      .option("--reason <text>", "why it is worth remembering");
  const rows = (command: Command): Command =>
    place(command)
      .addOption(scope())
      .option("--subject <text>", "only with that subject")
      .addOption(new Option("--author <kind>", "only by").choices(["user", "agent", "import"]))
      .addOption(new Option("--status <status>", "only those").choices(["pending", "active", "superseded"]))
      .option("--stale", "only those whose files are gone")
      .option("--limit <n>", "most rows", limit)
      .option("--json", "one JSON object a line");

  rows(verb("list", "", "memories of this repository and yours, latest change first"));
  rows(verb("search", "<text...>", "memories that hold these words"));
  place(verb("show", "<id>", "one memory with every field, where it comes from, and its history")).option(
    "--json",
    "as one JSON object",
  );
  verb("verify", "[ids...]", "whether what they cite is still there; without ids all of this repository and yours")
    .option("--all", "all of this repository and yours")
    .option("--json", "one JSON object a line");
  texts(verb("add", "[fact...]", "remember a fact, for example: everlong memory add We deploy on Fridays")).addOption(
    scope(),
  );
  texts(place(verb("edit", "<id>", "change a memory; without options in your editor")))
    .option("--trust <who>", "user: you stand for it")
    .option("--at <version>", "only if it still is that version", limit);
  place(verb("delete", "[ids...]", "erase memories; --all: every one of this repository and yours"))
    .addOption(scope())
    .option("--yes", "do not ask");
  place(verb("vote", "<id> <direction>", "say whether it is right; direction: up or down")).requiredOption(
    "--reason <text>",
    "why",
  );
  place(verb("review", "", "memories that wait for you: accept, replace, reject"))
    .option("--accept <id>", "put it to use")
    .option("--reject <id>", "delete it")
    .option("--replace <id>", "put it to use instead of an older one")
    .option("--old <id>", "the older one")
    .option("--json", "one JSON object a line");
  place(verb("changes", "", "what was changed, latest first"))
    .option("--since <time>", "from then on: a date, a time, 7d, yesterday")
    .option("--limit <n>", "most rows", limit)
    .option("--json", "one JSON object a line");
  place(verb("undo", "<change>", "take back an edit")).option("--force", "also when it was changed again since");
  verb("export", "", "all memories with all fields")
    .addOption(new Option("--format <format>", "jsonl or md").choices(["jsonl", "md"]).default("jsonl"))
    .option("-o, --output <file>", "into a file")
    .addOption(scope())
    .option("--repo <key>", "only of that repository");
}

const terminalHands: Hands = {
  ask: askTerminal,
  confirm: async (question) => /^y(es)?$/i.test((await askTerminal(`${question} [y/N] `))?.trim() ?? ""),
};
