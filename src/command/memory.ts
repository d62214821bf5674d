// `everlong memory` and `/memory`: the user's own hand on what is remembered.

import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type { Command, CommandCall, CommandOption, CommandOutcome, SlashCommand } from "./contract.ts";
import type { MemoryVerbCall } from "./memory/verb.ts";
import { runWords, slashWords } from "./words.ts";

const place: CommandOption[] = [
  { flags: "--repo <key>", help: "of that repository" },
  { flags: "--all", help: "of every repository" },
];
const scope: CommandOption = {
  flags: "--scope <scope>",
  help: "only of that scope",
  choices: ["repository", "user"],
};
const texts: CommandOption[] = [
  { flags: "--subject <text>", help: "what it is about, in a few words" },
  { flags: "--fact <text>", help: "the fact itself" },
  {
    flags: "--cite <place>",
    help: "where it can be seen, such as src/a.ts:10-12; may be given again",
    kind: "list",
  },
  { flags: "--reason <text>", help: "why it is worth remembering" },
];
const limit: CommandOption = { flags: "--limit <n>", help: "most rows", kind: "count" };
const rows: CommandOption[] = [
  ...place,
  scope,
  { flags: "--subject <text>", help: "only with that subject" },
  { flags: "--author <kind>", help: "only by", choices: ["user", "agent", "import"] },
  { flags: "--status <status>", help: "only those", choices: ["pending", "active", "superseded"] },
  { flags: "--stale", help: "only those whose files are gone" },
  limit,
];

const look = () => import("./memory/look.ts");
const change = () => import("./memory/change.ts");
const review = () => import("./memory/review.ts");

/** Its code is loaded when it is called. */
const verb =
  (load: () => Promise<(call: MemoryVerbCall<never>) => Promise<CommandOutcome>>): NonNullable<Command["run"]> =>
  async (call: CommandCall<{ repo?: string }>, at) => {
    const run = await load();
    return at.on.memory(async (memory) => {
      const options = memory.choose(call.options);
      if (!options.ok) return options;
      return run({ memory, args: call.args.map(String), options: options.value as never, at });
    });
  };

const verbs: Command[] = [
  {
    name: "list",
    summary: "memories of this repository and yours, latest change first",
    isDefault: true,
    options: rows,
    json: "lines",
    run: verb(async () => (await look()).list),
  },
  {
    name: "search",
    summary: "memories that hold these words",
    arguments: "<text...>",
    options: rows,
    json: "lines",
    run: verb(async () => (await look()).search),
  },
  {
    name: "show",
    summary: "one memory with every field, where it comes from, and its history",
    arguments: "<id>",
    options: place,
    json: "lines",
    run: verb(async () => (await look()).show),
  },
  {
    name: "verify",
    summary: "whether what they cite is still there; without ids all of this repository and yours",
    arguments: "[ids...]",
    options: [{ flags: "--all", help: "all of this repository and yours" }],
    json: "lines",
    run: verb(async () => (await look()).verify),
  },
  {
    name: "add",
    summary: "remember a fact, for example: everlong memory add We deploy on Fridays",
    arguments: "[fact...]",
    options: [...texts, scope],
    run: verb(async () => (await change()).add),
  },
  {
    name: "edit",
    summary: "change a memory; without options in your editor",
    arguments: "<id>",
    options: [
      ...place,
      ...texts,
      { flags: "--trust <who>", help: "user: you stand for it" },
      { flags: "--at <version>", help: "only if it still is that version", kind: "count" },
    ],
    run: verb(async () => (await change()).edit),
  },
  {
    name: "delete",
    summary: "erase memories; --all: every one of this repository and yours",
    arguments: "[ids...]",
    options: [...place, scope, { flags: "--yes", help: "do not ask" }],
    run: verb(async () => (await change()).remove),
  },
  {
    name: "vote",
    summary: "say whether it is right; direction: up or down",
    arguments: "<id> <direction>",
    options: [...place, { flags: "--reason <text>", help: "why", required: true }],
    run: verb(async () => (await change()).vote),
  },
  {
    name: "review",
    summary: "memories that wait for you: accept, replace, reject",
    options: [
      ...place,
      { flags: "--accept <id>", help: "put it to use" },
      { flags: "--reject <id>", help: "delete it" },
      { flags: "--replace <id>", help: "put it to use instead of an older one" },
      { flags: "--old <id>", help: "the older one" },
    ],
    json: "lines",
    run: verb(async () => (await review()).review),
  },
  {
    name: "changes",
    summary: "what was changed, latest first",
    options: [...place, { flags: "--since <time>", help: "from then on: a date, a time, 7d, yesterday" }, limit],
    json: "lines",
    run: verb(async () => (await look()).changes),
  },
  {
    name: "undo",
    summary: "take back an edit",
    arguments: "<change>",
    options: [...place, { flags: "--force", help: "also when it was changed again since" }],
    run: verb(async () => (await change()).undo),
  },
  {
    name: "export",
    summary: "all memories with all fields",
    options: [
      { flags: "--format <format>", help: "jsonl or md", choices: ["jsonl", "md"], default: "jsonl" },
      { flags: "-o, --output <file>", help: "into a file" },
      scope,
      { flags: "--repo <key>", help: "only of that repository" },
    ],
    run: verb(async () => (await look()).exportAll),
  },
];

export const memory: SlashCommand = {
  name: "memory",
  summary: "see, change, decide on and take out what is remembered",
  subcommands: verbs,
  slash: {
    usage: "[on|off|show|list|search|verify|add|edit|delete|vote|review|changes|undo|export]",
    summary: "what is remembered: how it stands, switch it, see and change it",
    async run(text, client, at) {
      const { memoryStatus, showVisible, switchMemory } = await import("./memory/in-session.ts");
      const [first = "", ...rest] = slashWords(text);
      if (first === "") return memoryStatus(client);
      if (first === "on" || first === "off")
        return rest.length === 0
          ? switchMemory(client, first === "on")
          : fail(commandUsage(`/memory ${first} takes nothing more.`, "Try /memory help."));
      // With an id it is that record; with words, or nothing, what the model sees.
      if (first === "show" && !rest.some((word) => word.startsWith("--"))) {
        const record = rest.length === 1 && isId(rest[0]) ? await runWords(memory, ["show", ...rest], at) : undefined;
        return record?.ok ? record : showVisible(client, rest.join(" "));
      }
      return runWords(memory, [first, ...rest], at);
    },
  },
};

const isId = (word = ""): boolean => /^(mem_)?[0-9a-hjkmnp-tv-z]{6,26}$/i.test(word);
