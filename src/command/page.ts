// The text of docs/commands.md, made from the table of commands.
import type { Command, SlashCommand } from "./contract.ts";
import { optionsOf } from "./parse.ts";

export function commandsPage(commands: readonly Command[]): string {
  const onLine = commands.filter((one) => one.run ?? one.own ?? one.subcommands);
  const typed = commands.filter((one): one is SlashCommand => one.slash !== undefined);
  return `# Commands

This page is generated from the table of commands; do not edit it. \`everlong NAME --help\` prints the same for one command.

## On the command line

${onLine.flatMap((one) => section(one, ["everlong"])).join("\n\n")}

## In a session

Typed as a message, also with \`-p\`. A command of your own or a skill is typed the same way; \`/help\` lists them too.

| command | what it does |
|---|---|
${typed.map(({ name, summary, slash }) => row(`/${name} ${slash.usage}`, slash.summary ?? summary)).join("\n")}
`;
}

function section(command: Command, before: readonly string[]): string[] {
  const { name, summary, alias, subcommands = [], isDefault } = command;
  const words = [...before, name];
  const call = [...words, command.usage ?? command.arguments ?? ""].join(" ").trim();
  const options = optionsOf(command);
  const notes = [
    ...(alias ? [`Also: \`${alias}\`.`] : []),
    ...(isDefault ? [`\`${before.join(" ")}\` alone means this.`] : []),
  ];
  const own = [
    `${before.length === 1 ? "###" : "####"} \`${call}\``,
    [`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, ...notes].join(" "),
    ...(options.length > 0
      ? [["| option | |", "|---|---|", ...options.map(({ flags, help }) => row(flags, help))].join("\n")]
      : []),
  ];
  return [...own, ...subcommands.flatMap((one) => section(one, words))];
}

const row = (code: string, text: string): string => {
  const cells = [`\`${code.trim()}\``, text].map((cell) => cell.replaceAll("|", "\\|"));
  return `| ${cells.join(" | ")} |`;
};
