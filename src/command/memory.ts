// `everlong memory` and `/memory`: the user's own hand on what is remembered.

import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type { Command, CommandCall, CommandOption, CommandOutcome, SlashCommand } from "./contract.ts";
import type { MemoryVerbCall } from "./memory/verb.ts";
import { runWords, slashWords } from "./words.ts";

const place: CommandOption[] = [
  { flags: "--repo <key>", help: "in this repository" },
  { flags: "--all", help: "in every repository" },
];
const scope: CommandOption = {
  flags: "--scope <scope>",
  help: "repository (this one) or user (all your projects)",
  choices: ["repository", "user"],
};
const texts: CommandOption[] = [
  { flags: "--subject <text>", help: "topic, in a few words" },
  { flags: "--fact <text>", help: "the fact" },
  {
    flags: "--cite <place>",
    help: "source, such as src/a.ts:10-12; repeat for more",
    kind: "list",
  },
  { flags: "--reason <text>", help: "why it is worth remembering" },
];
const limit: CommandOption = { flags: "--limit <n>", help: "maximum rows", kind: "count" };
const rows: CommandOption[] = [
  ...place,
  scope,
  { flags: "--subject <text>", help: "only on this subject" },
  { flags: "--author <kind>", help: "only those written by", choices: ["user", "agent", "import"] },
  { flags: "--status <status>", help: "only with this status", choices: ["pending", "active", "superseded"] },
  { flags: "--stale", help: "only those whose cited files are gone" },
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
    summary: "list memories of this repository and your own",
    isDefault: true,
    options: rows,
    json: "lines",
    run: verb(async () => (await look()).list),
  },
  {
    name: "search",
    summary: "search memories",
    arguments: "<text...>",
    options: rows,
    json: "lines",
    run: verb(async () => (await look()).search),
  },
  {
    name: "show",
    summary: "show one memory with its source and history",
    arguments: "<id>",
    options: place,
    json: "lines",
    run: verb(async () => (await look()).show),
  },
  {
    name: "verify",
    summary: "check that cited files still exist",
    arguments: "[ids...]",
    options: [{ flags: "--all", help: "all memories of this repository and your own" }],
    json: "lines",
    run: verb(async () => (await look()).verify),
  },
  {
    name: "add",
    summary: "remember a fact: everlong memory add We deploy on Fridays",
    arguments: "[fact...]",
    options: [...texts, scope],
    run: verb(async () => (await change()).add),
  },
  {
    name: "edit",
    summary: "edit a memory; opens your editor without options",
    arguments: "<id>",
    options: [
      ...place,
      ...texts,
      { flags: "--trust <who>", help: "user: mark it as confirmed by you" },
      { flags: "--at <version>", help: "only if it is still at this version", kind: "count" },
    ],
    run: verb(async () => (await change()).edit),
  },
  {
    name: "delete",
    summary: "delete memories",
    arguments: "[ids...]",
    options: [...place, scope, { flags: "--yes", help: "don't ask" }],
    run: verb(async () => (await change()).remove),
  },
  {
    name: "vote",
    summary: "vote a memory up or down",
    arguments: "<id> <direction>",
    options: [...place, { flags: "--reason <text>", help: "why", required: true }],
    run: verb(async () => (await change()).vote),
  },
  {
    name: "review",
    summary: "review suggested memories: accept, replace or reject",
    options: [
      ...place,
      { flags: "--accept <id>", help: "accept it" },
      { flags: "--reject <id>", help: "delete it" },
      { flags: "--replace <id>", help: "accept it in place of an older one" },
      { flags: "--old <id>", help: "the older one" },
    ],
    json: "lines",
    run: verb(async () => (await review()).review),
  },
  {
    name: "changes",
    summary: "list changes, latest first",
    options: [
      ...place,
      { flags: "--since <time>", help: "from this date or time on (2026-01-31, 7d, yesterday)" },
      limit,
    ],
    json: "lines",
    run: verb(async () => (await look()).changes),
  },
  {
    name: "undo",
    summary: "undo an edit",
    arguments: "<change>",
    options: [...place, { flags: "--force", help: "even if it changed again since" }],
    run: verb(async () => (await change()).undo),
  },
  {
    name: "export",
    summary: "export all memories",
    options: [
      { flags: "--format <format>", help: "jsonl or md", choices: ["jsonl", "md"], default: "jsonl" },
      { flags: "-o, --output <file>", help: "write to this file" },
      scope,
      { flags: "--repo <key>", help: "only from this repository" },
    ],
    run: verb(async () => (await look()).exportAll),
  },
];

export const memory: SlashCommand = {
  name: "memory",
  summary: "list, add, edit and delete memories",
  subcommands: verbs,
  slash: {
    usage: "[on|off|show|list|search|verify|add|edit|delete|vote|review|changes|undo|export]",
    summary: "show, edit or turn off memory",
    async run(text, client, at) {
      const { memoryStatus, showVisible, switchMemory } = await import("./memory/in-session.ts");
      const [first = "", ...rest] = slashWords(text);
      if (first === "") return memoryStatus(client);
      if (first === "on" || first === "off")
        return rest.length === 0
          ? switchMemory(client, first === "on")
          : fail(commandUsage(`/memory ${first} takes no arguments.`, "Try /memory help."));
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
