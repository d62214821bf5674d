// /help: every command with its arguments, or one of them.
import { fail } from "../base/result.ts";
import { output, type SlashCommand } from "./contract.ts";

export const help: SlashCommand = {
  name: "help",
  summary: "what each command does",
  slash: {
    usage: "[COMMAND]",
    async run(text, client, { commands }) {
      const ours = commands.map(({ name, summary, slash }) => ({
        name,
        args: slash.usage,
        help: slash.summary ?? summary,
      }));
      const all = [...ours, ...client.customCommands()];
      const name = text.replace(/^\//, "");
      const rows = name === "" ? all : all.filter((one) => one.name === name);
      if (rows.length === 0)
        return fail({
          code: "unknown_command",
          what: `/${name} is not a command.`,
          next: "/help lists them.",
          exit: 2,
        });
      const left = rows.map((row) => `/${row.name} ${row.args}`.trim());
      const width = Math.max(...left.map((cell) => cell.length));
      return output(rows.map((row, i) => `${(left[i] ?? "").padEnd(width)}  ${row.help}`).join("\n"));
    },
  },
};
