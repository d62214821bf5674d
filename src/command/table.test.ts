// The table of commands: one row is a command of every face, and every row can be called.
import { Command as Program } from "commander";
import { describe, expect, it } from "vitest";
import { home } from "../runtime/client.ts";
import { type Command, type CommandCall, output, type SlashCommand } from "./contract.ts";
import { commandsPage } from "./page.ts";
import { addCommand, render } from "./parse.ts";
import { commands } from "./table.ts";
import { runWords, slashWords } from "./words.ts";

describe("the table of commands", () => {
  it("one new row is a command of both faces and of the page", async () => {
    const toy: SlashCommand = {
      name: "toy",
      summary: "a row that was only just added",
      arguments: "<name>",
      options: [{ flags: "--times <n>", help: "how often", kind: "count", default: 1 }],
      json: "value",
      run: async ({ args: [name], options: { times } }: CommandCall<{ times: number }>) =>
        output(`${name} was played with ${times} times`, { name, times }),
      slash: { usage: "NAME" },
    };
    const page = commandsPage([...commands, toy]);
    expect(page).toContain("### `everlong toy <name>`\n\nA row that was only just added.");
    expect(page).toContain("| `/toy NAME` | a row that was only just added |");

    const printed: string[] = [];
    const at = { person: { print: () => undefined }, on: home };
    const program = new Program().exitOverride();
    addCommand(program, toy, async (command, call) => {
      const outcome = await command.run?.(call, at);
      if (outcome?.ok) printed.push(render(command, call, outcome.value));
    });
    await program.parseAsync(["toy", "ball", "--times", "2"], { from: "user" });
    await program.parseAsync(["toy", "ball", "--json"], { from: "user" });
    expect(printed).toEqual(["ball was played with 2 times", '{\n  "name": "ball",\n  "times": 1\n}']);

    const typed = async (text: string) => runWords(toy, slashWords(text), at);
    expect(await typed('"a b" --times 3')).toMatchObject({ ok: true, value: { text: "a b was played with 3 times" } });
    expect(await typed("a --times none")).toMatchObject({ ok: false, error: { exit: 2 } });
    expect(await typed("")).toMatchObject({ ok: false, error: { what: "missing required argument 'name'" } });
  });

  it("names are unique, and every row can be run", () => {
    const check = (rows: readonly Command[], where: string): void => {
      expect(new Set(rows.map(({ name }) => name)).size, where).toBe(rows.length);
      for (const one of rows) {
        const name = `${where} ${one.name}`;
        expect(one.run ?? one.own ?? one.subcommands ?? one.slash?.run, name).toBeDefined();
        expect(rows.filter((other) => other.isDefault).length, where).toBeLessThanOrEqual(1);
        check(one.subcommands ?? [], name);
      }
    };
    check(commands, "");
  });
});
