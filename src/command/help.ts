// /help: every command with its arguments, or one of them.
import { fail } from "../base/result.ts";
import { output, type SlashCommand } from "./contract.ts";

const USAGE_CHARS = 22;
/** Long lists of words would push the help off the screen; `/help COMMAND` has them all. */
const shortened = (usage: string): string => (usage.length > USAGE_CHARS ? "[…]" : usage);

export const help: SlashCommand = {
  name: "help",
  summary: "show what each command does",
  slash: {
    usage: "[COMMAND]",
    async run(text, client, { commands }) {
      const ours = commands.map(({ name, summary, slash }) => ({
        name,
        args: slash.usage,
        help: slash.summary ?? summary,
      }));
      const all = [...ours, ...client.extensions.commands()];
      const name = text.replace(/^\//, "");
      const rows = name === "" ? all : all.filter((one) => one.name === name);
      if (rows.length === 0)
        return fail({
          code: "unknown_command",
          what: `/${name} is not a command.`,
          next: "/help lists all commands.",
          exit: 2,
        });
      const isList = rows.length > 1;
      const left = rows.map((row) => `/${row.name} ${isList ? shortened(row.args) : row.args}`.trim());
      const width = Math.max(...left.map((cell) => cell.length));
      return output(rows.map((row, i) => `${(left[i] ?? "").padEnd(width)}  ${row.help}`).join("\n"));
    },
  },
};
