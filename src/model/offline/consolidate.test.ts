import { describe, expect, it } from "vitest";
import { consolidationCalls } from "./consolidate.ts";

type Turn = [user: string, assistant?: string];
const system = (turns: Turn[], rows: string[] = [], items = "") =>
  [
    "<consolidation_evidence>",
    `<dynamic_context_board>\n| src | name | description | read_count | count |\n| --- | --- | --- | --- | --- |\n${rows.join("\n")}\n</dynamic_context_board>`,
    items,
    ...turns.map(
      ([user, said], i) => `<turn id="t${i + 1}">\nUser: ${user}${said ? `\nAssistant: ${said}` : ""}\n</turn>`,
    ),
    "</consolidation_evidence>",
  ].join("\n\n");
const argsOf = (...input: Parameters<typeof system>) => consolidationCalls(system(...input)).map((c) => c.args);

describe("the offline model as rem-agent", () => {
  it("M96 quotes decisions, corrections, preferences and commands that worked, with their turns", () => {
    const calls = argsOf([
      ["We decided to use pnpm for this repository."],
      ["Always run the linter before a commit."],
      ["No, the port is wrong: it is 8080 instead of 80."],
      ["run the tests", "`npm test -- --run` passed."],
    ]);
    expect(calls).toMatchInlineSnapshot(`
      [
        {
          "command": "add",
          "context": "A command that worked, said in t4:
      \`npm test -- --run\` passed",
          "description": "A command that worked: \`npm test -- --run\` passed",
          "name": "command-npm-test-passed",
        },
        {
          "command": "add",
          "context": "A correction of the user, said in t3:
      No, the port is wrong: it is 8080 instead of 80.",
          "description": "A correction of the user: No, the port is wrong: it is 8080 instead of 80.",
          "name": "correction-port-wrong-8080-instead",
        },
        {
          "command": "add",
          "context": "A preference of the user, said in t2:
      Always run the linter before a commit.",
          "description": "A preference of the user: Always run the linter before a commit.",
          "name": "preference-linter-commit",
        },
        {
          "command": "add",
          "context": "A decision of the user, said in t1:
      We decided to use pnpm for this repository.",
          "description": "A decision of the user: We decided to use pnpm for this repository.",
          "name": "decision-decided-pnpm",
        },
      ]
    `);
    for (const { name } of calls) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it("M96 adds nothing where nothing of that kind was said", () => {
    expect(argsOf([["What does this function do?", "It parses."], ["thanks"]])).toEqual([]);
  });

  it("A3.10 what the board already says is not said again; the same in two turns is one item; at most five", () => {
    const row = "| agent | pnpm | uses pnpm | 0 | 1 |";
    const item = '<board_item src="agent" name="pnpm">\nWe decided to use pnpm for this repository.\n</board_item>';
    expect(argsOf([["We decided to use pnpm for this repository."]], [row], item)).toEqual([]);
    const twice = argsOf([["Always use tabs here."], ["ok"], ["Always use tabs here."]]);
    expect(twice).toHaveLength(1);
    expect(twice[0]?.["context"]).toContain("t1 and t3");
    const words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"];
    expect(argsOf(words.map((word): Turn => [`Never touch ${word} files${word}.`]))).toHaveLength(5);
  });

  it("A3.10 prunes a crowded board to 18, the least read for its showings first, never the user's", () => {
    const rows = Array.from(
      { length: 25 },
      (_, i) => `| ${i < 5 ? "user" : "agent"} | item-${i} | about ${i} | ${i} | 10 |`,
    );
    const calls = argsOf([], rows);
    expect(calls.map((c) => c["name"])).toEqual([5, 6, 7, 8, 9, 10, 11].map((i) => `item-${i}`));
    expect(new Set(calls.map((c) => c["command"]))).toEqual(new Set(["prune"]));
  });
});
