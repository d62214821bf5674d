// Custom slash commands: their files, their names, and their arguments.
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestGround, testGround } from "../agent-fixture.ts";
import { describeWarning } from "../file/warning.ts";
import { expandCommand } from "./expand.ts";
import { type CommandOptions, loadCommands } from "./load.ts";

let ground: TestGround;
beforeEach(() => {
  ground = testGround();
});
afterEach(() => ground.remove());

const load = (more: Partial<CommandOptions> = {}) => loadCommands({ ...ground.trusted(), builtins: ["help"], ...more });
const names = async (more?: Partial<CommandOptions>) => (await load(more)).commands.map((c) => c.name);

describe("custom commands", () => {
  it("O101 places and names: folders become colons", async () => {
    ground.put("root/.everlong/commands/db/Migrate_all.md", "migrate");
    ground.put("root/.claude/commands/fix.md", "fix");
    ground.put("root/.github/prompts/explain.prompt.md", "explain");
    ground.put("root/.github/prompts/notes.md", "no prompt");
    ground.put("root/.github/prompts/deep/x.prompt.md", "too deep");
    ground.put("home/commands/mine.md", "mine");
    ground.put("home/plugins/p/commands/theirs.md", "theirs");
    expect(await names()).toEqual(["db:migrate-all", "fix", "explain", "mine", "theirs"]);
  });

  it("O101 the fields, and the first line in place of a description", async () => {
    const path = ground.put(
      "home/commands/pr.md",
      "---\ndescription: Opens a PR\nargument-hint: '[title]'\nmodel: gpt-x\nagent: Code Review\nallowed-tools: Bash(gh pr:*)\n---\nOpen $1",
    );
    ground.put("home/commands/plain.md", "Say hello\nto $ARGUMENTS");
    const { commands, warnings } = await load();
    expect(warnings.map(describeWarning)).toEqual(
      ["model", "agent"].map((field) => expect.stringContaining(`pr.md: ${field}: it has no effect`)),
    );
    expect(commands).toEqual([
      {
        name: "plain",
        description: "Say hello",
        body: "Say hello\nto $ARGUMENTS",
        allowedTools: [],
        layer: "user",
        path: join(ground.base, "home/commands/plain.md"),
      },
      {
        name: "pr",
        description: "Opens a PR",
        argumentHint: "[title]",
        allowedTools: [{ kind: "shell", argument: "gh pr", text: "Bash(gh pr:*)" }],
        body: "Open $1",
        path,
        layer: "user",
      },
    ]);
  });

  it("O101 O11 built-in names win with a warning; empty, nameless and broken files are named", async () => {
    ground.put("home/commands/help.md", "x");
    ground.put("home/commands/1st.md", "x");
    ground.put("home/commands/empty.md", "---\ndescription: x\n---\n");
    ground.put("home/commands/broken.md", "---\n[\n---\nx");
    ground.put("home/commands/good.md", "x");
    const { commands, warnings } = await load();
    expect(commands.map((c) => c.name)).toEqual(["good"]);
    expect(warnings.map(describeWarning)).toEqual([
      expect.stringContaining("1st.md: name: expected"),
      expect.stringContaining("broken.md: frontmatter: not YAML"),
      expect.stringContaining("empty.md: body: expected"),
      expect.stringContaining("help.md: name: /help is a command of Everlong's own."),
    ]);
  });

  it("O12 O101 a project's commands only in a trusted folder, the nearest first", async () => {
    ground.put("root/.claude/commands/x.md", "from claude");
    ground.put("root/.everlong/commands/x.md", "from everlong");
    ground.put("home/commands/x.md", "from home");
    const body = async () => (await load(await ground.recorded())).commands.map((c) => c.body);
    expect(await body()).toEqual(["from home"]);
    await ground.trust();
    expect(await body()).toEqual(["from everlong"]);
    ground.put("root/.everlong/commands/x.md", "changed");
    expect(await body()).toEqual(["from claude"]);
  });
});

describe("arguments", () => {
  it.each([
    ["Fix $ARGUMENTS now", "the bug", "Fix the bug now"],
    ["$1 before $2, not $3.", `a "b c" `, "a before b c, not ."],
    ["$1$1", "'x y' z", "x yx y"],
    ["costs $10 and $ARGUMENTSX", "a", "costs $10 and $ARGUMENTSX\n\na"],
    ["no place", "more words", "no place\n\nmore words"],
    ["no place", "  ", "no place"],
    ["$1 and $ARGUMENTS", "$2 $ARGUMENTS", "$2 and $2 $ARGUMENTS"],
  ])("O101 %j with %j is %j", (body, typed, text) => {
    expect(expandCommand(body, typed)).toBe(text);
  });

  it("O101 what was typed is never lost and never read as a place", () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        expect(expandCommand("do $ARGUMENTS.", typed)).toBe(`do ${typed.trim()}.`);
      }),
    );
  });

  it("O101 no shell in the text is ever run", () => {
    const mark = join(ground.base, "ran");
    const body = `!\`touch ${mark}\` $(touch ${mark}) $ARGUMENTS`;
    expect(expandCommand(body, `\`touch ${mark}\``)).toBe(`!\`touch ${mark}\` $(touch ${mark}) \`touch ${mark}\``);
    expect(existsSync(mark)).toBe(false);
  });
});
