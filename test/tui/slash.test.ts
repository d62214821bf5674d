// Every command of the table: what it gives without a terminal, and that each has its line in help and docs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseTyped, runSlash } from "../../src/command/slash.ts";
import { slashCommands } from "../../src/command/table.ts";
import { THEME_NAMES } from "../../src/command/terminal.ts";
import { panels } from "../../src/tui/panel/registry.ts";
import { TASK_PANEL } from "../../src/tui/panel/tasks.ts";
import { themes } from "../../src/tui/theme/theme.ts";
import { gitInit, scene } from "../agent/scene.ts";
import { converse, gate } from "../context/stage.ts";
import { text } from "../model-server/reply.ts";
import { cast, task, tasks } from "../orchestration/cast.ts";
import { run } from "../tool/everlong.ts";

/** The lines of F51: what is typed, and its exit code. Those that send a prompt are proven where their agents are. */
const LINES: [string, 0 | 1 | 2, RegExp][] = [
  ["/help", 0, /\/rewind/],
  ["/help model", 0, /\/model \[NAME\]/],
  ["/keys", 0, /shift\+tab/],
  ["/copy", 0, /the answer/],
  ["/theme", 0, /high-contrast/],
  ["/theme mono", 0, /The theme is mono/],
  ["/theme nope", 2, /There is no theme "nope"/],
  ["/memory nope", 2, /has no "nope"/],
  ["/plain", 0, /next start/],
  ["/plain off", 0, /next start/],
  ["/compact cancel", 1, /No compaction is running/],
  ["/compact undo", 1, /./],
  ["/context", 0, /Context: /],
  ["/usage", 0, / in, /],
  ["/session", 0, /Session: /],
  ["/session checkpoints", 0, /No checkpoints yet/],
  ["/session files", 0, /No files yet/],
  ["/session refs", 0, /No refs yet/],
  ["/checkpoints", 0, /No checkpoints yet/],
  ["/rewind", 0, /1 would remove/],
  ["/sessions", 0, /the question|No sessions/],
  ["/resume", 0, /the question|No sessions/],
  ["/rename", 2, /name is missing/],
  ["/rename other", 0, /now called "other"/],
  ["/tasks", 0, /No tasks yet/],
  ["/tasks show", 2, /does not take/],
  ["/background", 1, /not waiting/],
  ["/todos", 0, /No todos/],
  ["/agent", 0, /code-review/],
  ["/research", 2, /needs a topic/],
  ["/autopilot on", 0, /Autopilot is on/],
  ["/autopilot off", 0, /off/],
  ["/plan", 0, /Plan mode is on/],
  ["/plan off", 0, /Plan mode is off/],
  ["/memory", 0, /Memory is on/],
  ["/memory show", 0, /no memories/],
  ["/memory review", 0, /No memories to review/],
  ["/remember", 2, /Say what to remember/],
  ["/remember decision We use Postgres", 0, /Promoted to the workspace as decision/],
  ["/promotions", 0, /We use Postgres/],
  ["/promotions undo", 0, /Undone/],
  ["/promote", 2, /Nothing to promote/],
  ["/board", 0, /is empty/],
  ["/board changes", 0, /No changes/],
  ["/inbox", 0, /inbox is empty/],
  ["/recall", 2, /Say what to look for/],
  ["/recall question", 0, /./],
  ["/graph", 0, /./],
  ["/graph Postgres", 0, /No facts match|Postgres/],
  ["/model", 0, /scripted/],
  ["/settings ui.bell", 0, /attention/],
  ["/permissions", 0, /allow-all is off/],
  ["/consent", 0, /No consents yet/],
  ["/hooks", 0, /No hooks/],
  ["/mcp", 0, /No MCP servers/],
  ["/skills", 0, /No skills yet/],
];

describe("slash commands", () => {
  it("F51 every line of the table answers, and a change without its argument exits 2 naming it", async () => {
    const { place } = await scene(() => text("the answer"));
    gitInit(place);
    const { client, say } = await converse(place);
    await say("the question");
    const person = { print: () => undefined };
    for (const [line, exit, words] of LINES) {
      const typed = parseTyped(line);
      if (typed.type !== "command") throw new Error(`${line} is no command`);
      const outcome = await runSlash(typed, client, person);
      const code = outcome.ok ? (outcome.value.exit ?? 0) : outcome.error.exit;
      const told = outcome.ok ? outcome.value.text : outcome.error.what;
      expect({ line, code, told }).toEqual({ line, code: exit, told: expect.stringMatching(words) });
    }
  });

  it("F51 -p with json gives the data as an object", async () => {
    const { place } = await scene(() => text("fine"));
    const theme = await run(place, ["-p", "/theme", "--output-format", "json"]);
    expect(theme.code, theme.stderr).toBe(0);
    expect(JSON.stringify(theme.json)).toContain("high-contrast");
  });

  it("F63 prompt mode says on stderr what it waits for; --silent leaves the result alone", async () => {
    const stage = async (args: string[]) => {
      const held = gate();
      const { place } = await cast(
        (_request, step) => {
          if (step === 0) return tasks(task("CHILD", { name: "looker", mode: "background" }));
          if (step === 1) setTimeout(held.open, 300);
          return text("the result");
        },
        {
          CHILD: async () => {
            await held.opened;
            return text("child end");
          },
        },
      );
      return run(place, ["-p", "go", ...args]);
    };
    const told = await stage([]);
    expect(told).toMatchObject({ code: 0, stdout: "the result\n" });
    expect(told.stderr).toContain("waiting for 1 background task");
    const silent = await stage(["--silent"]);
    expect(silent).toMatchObject({ code: 0, stdout: "the result\n", stderr: "" });
  });

  it("F52 F4 each command has a help line and a docs line; each panel is a command's, and themes are those that exist", () => {
    const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "commands.md"), "utf8");
    for (const { name, summary, slash } of slashCommands) {
      expect(slash.summary ?? summary, name).toMatch(/\w/);
      expect(page, name).toContain(`/${name}`);
    }
    const names = new Set([...slashCommands.map(({ name }) => name), "transcript", TASK_PANEL]);
    for (const { command } of panels) expect(names, command).toContain(command);
    const views = ["context", "tasks", "todos", "checkpoints", "rewind", "memory", "board", "inbox", "graph"];
    for (const view of [...views, "promotions", "sessions", "model", "settings", "permissions", "keys", "transcript"])
      expect(panels.some(({ command }) => command === view)).toBe(true);
    expect(new Set(Object.keys(themes))).toEqual(new Set(THEME_NAMES.filter((name) => name !== "auto")));
  });
});
