// /board and /subconscious: the context board, and having it brought up to date.
import { commandUsage } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import type { Client } from "../../runtime/client.ts";
import { slashWords } from "./parse-words.ts";
import type { SlashCommand, SlashOutcome } from "./table.ts";

const usage = (what: string, next: string): SlashOutcome => fail(commandUsage(what, next));

const VERBS = ["list", "show", "add", "edit", "remove", "changes", "undo", "adopt"];
/** The options that take a value. */
const VALUED = ["branch", "repo", "src", "description", "content", "file", "run"];
const TRY = `Verbs: ${VERBS.join(", ")}; options: ${VALUED.map((name) => `--${name} TEXT`).join(", ")}, --json, --force.`;

async function board(client: Client, args: string): Promise<SlashOutcome> {
  const [given = "list", ...rest] = slashWords(args);
  const verb = given === "delete" ? "remove" : given;
  if (!VERBS.includes(verb)) return usage(`/board does not take "${given}".`, TRY);
  const options: Record<string, string | true> = {};
  const plain: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const name = /^--([a-z]+)$/.exec(word)?.[1] ?? (word === "-f" ? "file" : undefined);
    if (name === undefined) plain.push(word);
    else if (name === "json" || name === "force") options[name] = true;
    else {
      const value = rest.shift();
      if (!VALUED.includes(name) || value === undefined) return usage(`/board does not take "${word}" so.`, TRY);
      options[name] = value;
    }
  }
  const needsName = !["list", "changes"].includes(verb);
  if (plain.length !== Number(needsName))
    return usage(`/board ${verb} ${needsName ? "takes one name" : "takes no name"}.`, TRY);
  return client.board.command(verb, plain[0], options);
}

async function subconscious({ subconscious: s }: Client, args: string): Promise<SlashOutcome> {
  if (args === "") return s.status();
  if (args !== "run") return usage(`/subconscious takes run, not "${args}".`, "Try /subconscious run.");
  const started = s.run();
  return started.ok ? { ...ok(""), send: started.value } : started;
}

export const boardCommands: readonly SlashCommand[] = [
  {
    name: "board",
    args: "[list|show|add|edit|remove|changes|undo|adopt]",
    help: "knowledge of this repository and branch that agents keep",
    run: board,
  },
  {
    name: "subconscious",
    args: "[run]",
    help: "how the board is kept, or bring it up to date now",
    run: subconscious,
  },
];
