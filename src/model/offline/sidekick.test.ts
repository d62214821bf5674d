// The offline model as a sidekick.
import { describe, expect, it } from "vitest";
import { ask } from "./offline-fixture.ts";

const board = (...rows: [name: string, description: string][]) =>
  [
    "<dynamic_context_board>",
    "| src | name | description | read_count | count |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map(([name, description]) => `| user | ${name} | ${description} | 0 | 1 |`),
    "</dynamic_context_board>",
  ].join("\n");

const beside = (prompt: string, table: string, sending: string[] = []) =>
  ask(prompt, {
    request: { interaction: "conversation-sidekick" },
    tools: {
      context_board: ({ command, name }: Record<string, unknown>) => ({
        content: command === "get_board" ? table : `content of ${String(name)}`,
      }),
      send_inbox: ({ content }: Record<string, unknown>) => {
        sending.push(String(content));
        return { content: "Sent." };
      },
    },
  });

describe("the offline model as a sidekick", () => {
  it("A3.11 looks at the board, fetches at most 3 items with a rare word of the message, sends them as they stand, once", async () => {
    const rows = Array.from({ length: 20 }, (_, i): [string, string] => [`note-${i}`, `About the build number ${i}`]);
    const sending: string[] = [];
    const names = ["parser-one", "parser-two", "parser-three", "parser-four"];
    const table = board(...rows, ...names.map((name): [string, string] => [name, "How it reads settings"]));
    const { calls } = await beside("why does the parser refuse my settings, and what is the build?", table, sending);
    expect(calls.map(({ name, args }) => [name, args["command"], args["name"]])).toEqual([
      ["context_board", "get_board", undefined],
      ["context_board", "get", "parser-one"],
      ["context_board", "get", "parser-two"],
      ["context_board", "get", "parser-three"],
      ["send_inbox", undefined, undefined],
    ]);
    expect(sending).toEqual([
      "# parser-one\ncontent of parser-one\n\n# parser-two\ncontent of parser-two\n\n# parser-three\ncontent of parser-three",
    ]);
  });

  it("A3.11 sends nothing when only a common word is shared, or none", async () => {
    const rows = Array.from({ length: 8 }, (_, i): [string, string] => [`note-${i}`, "About the build"]);
    for (const prompt of ["repair the build quickly", "translate this poem"]) {
      const { calls } = await beside(prompt, board(...rows));
      expect(calls.map(({ args }) => args["command"])).toEqual(["get_board"]);
    }
  });
});
