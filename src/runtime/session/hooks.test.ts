// Hooks of a session: nothing is loaded or started without need, and what is found is listed.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { noOutcome } from "../../hook/merge.ts";
import { createOwner } from "../../host/process.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { sessionHooks } from "./hooks.ts";

const guard = { hooks: { preToolUse: [{ type: "command", bash: 'echo \'{"permissionDecision":"deny"}\'' }] } };
const call = { toolName: "bash", toolArgs: {}, toolCallId: "c1" };
const signal = new AbortController().signal;

type Files = Record<string, unknown>;

async function stand(files: Files, { env = {}, trustFolder = false } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-hooks-")));
  for (const [path, content] of Object.entries({ "work/x": {}, ...files })) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), JSON.stringify(content));
  }
  const before = { ...process.env };
  process.env = { PATH: before["PATH"], HOME: base, EVERLONG_HOME: join(base, "home"), ...env };
  const workspace = await openWorkspace({ cwd: join(base, "work"), trustFolder });
  process.env = before;
  if (!workspace.ok) throw new Error(workspace.error.what);
  return { base, ...open(workspace.value, base) };
}

function open(workspace: Workspace, base: string) {
  const owner = createOwner({ runId: "r1" });
  onTestFinished(async () => {
    await owner.end(100);
    rmSync(base, { recursive: true });
  });
  let started = 0;
  const events: { agentId: string | undefined; type: string; data: Record<string, unknown> }[] = [];
  const hooks = sessionHooks({
    workspace,
    owner: {
      spawn: (options) => {
        started++;
        return owner.spawn(options);
      },
    },
    sessionId: "s1",
    transcriptPath: "/s1/events.jsonl",
    cwd: () => workspace.context.cwd,
    emit: async (agentId, type, data) => events.push({ agentId, type, data }),
  });
  return { hooks, workspace, events, started: () => started };
}

describe("sessionHooks", () => {
  it("P29 without any hook file nothing is loaded, started or written", async () => {
    const { hooks, events, started } = await stand({});
    expect(await hooks.hookFor()("preToolUse", call, signal)).toBe(noOutcome);
    expect([events, started()]).toEqual([[], 0]);
  });

  it.each<[string, Files, Record<string, string>]>([
    ["the environment", {}, { EVERLONG_DISABLE_ALL_HOOKS: "1" }],
    ["the user's file", { "home/settings.json": { disableAllHooks: true } }, {}],
    [
      "the user's file, whatever the project says",
      {
        "home/settings.json": { disableAllHooks: true },
        "work/.everlong/settings.json": { disableAllHooks: false },
      },
      {},
    ],
  ])("O95 P29 switched off by %s: none runs, no process starts", async (_by, files, env) => {
    const all = { ...files, "home/hooks/a.json": guard, "work/.everlong/hooks/b.json": guard };
    const { hooks, events, started } = await stand(all, { env, trustFolder: true });
    expect((await hooks.hookFor()("preToolUse", call, signal)).opinion).toBeUndefined();
    expect([events, started()]).toEqual([[], 0]);
    expect(await hooks.list()).toContain("disableAllHooks");
  });

  it("O95 a project's switch is for its own hooks only", async () => {
    const files = {
      "home/hooks/a.json": guard,
      "work/.everlong/hooks/b.json": guard,
      "work/.everlong/settings.json": { disableAllHooks: true },
    };
    const { hooks, started } = await stand(files, { trustFolder: true });
    expect((await hooks.hookFor()("preToolUse", call, signal)).opinion?.decision).toBe("deny");
    expect(started()).toBe(1);
  });

  it.each<[string, Files]>([
    ["home/hooks", { "home/hooks/a.json": guard }],
    ["user settings", { "home/settings.json": guard }],
    ["a plugin", { "home/plugins/p/hooks/a.json": guard }],
    [".everlong/hooks", { "work/.everlong/hooks/a.json": guard }],
    [".github/hooks", { "work/.github/hooks/a.json": guard }],
    ["project settings", { "work/.everlong/settings.json": guard }],
  ])("O83 one in %s is found, and runs for a subagent with its id", async (_place, files) => {
    const { hooks, events } = await stand(files, { trustFolder: true });
    const actor = { agentId: "a1", agentName: "scout", agentType: "explore" };
    expect((await hooks.hookFor(actor)("preToolUse", call, signal)).opinion?.decision).toBe("deny");
    expect(events.map((e) => [e.agentId, e.type])).toEqual([
      ["a1", "hook.start"],
      ["a1", "hook.end"],
    ]);
    expect(events[0]?.data["input"]).toMatchObject({
      agentName: "scout",
      sessionId: "s1",
      transcriptPath: "/s1/events.jsonl",
    });
  });

  it("O84 a project's hooks in an untrusted folder are listed and do nothing", async () => {
    const { hooks, events, started } = await stand({ "work/.everlong/hooks/a.json": guard });
    expect((await hooks.hookFor()("preToolUse", call, signal)).opinion).toBeUndefined();
    expect([events, started()]).toEqual([[], 0]);
    expect(await hooks.list()).toContain("not trusted");
  });

  it("OI14 O84 a file of an untrusted project that is nested 20,000 deep does not keep the user's hooks from running", async () => {
    const { hooks, base } = await stand({ "home/hooks/a.json": guard, "work/.everlong/hooks/b.json": guard });
    const text = `{"version":1,"hooks":{"preToolUse":[${"[".repeat(20_000)}${"]".repeat(20_000)}]}}`;
    writeFileSync(join(base, "work/.everlong/hooks/b.json"), text);
    expect((await hooks.hookFor()("preToolUse", call, signal)).opinion?.decision).toBe("deny");
  });

  it("O94 O82 a changed setting takes nothing back: how hooks ended stays listed, what was warned about is not said again", async () => {
    const failing = { hooks: { preToolUse: [{ bash: "exit 9" }] } };
    const { hooks, workspace, events } = await stand({
      "home/hooks/a.json": failing,
      "home/hooks/b.json": { version: 9, hooks: {} },
    });
    const warned = () => events.filter((e) => e.type === "session.warning").length;
    await hooks.hookFor()("preToolUse", call, signal);
    expect(warned()).toBe(2);
    workspace.settings = { ...workspace.settings };
    expect(await hooks.list()).toContain("failed: it ended with exit code 9");
    await hooks.hookFor()("preToolUse", call, signal);
    expect(warned()).toBe(2);
  });

  it("O82 what is wrong with a file is warned about once", async () => {
    const { hooks, events } = await stand({ "home/hooks/a.json": { version: 9, hooks: {} } });
    for (let n = 0; n < 2; n++) await hooks.hookFor()("preToolUse", call, signal);
    expect(events.map((e) => e.type)).toEqual(["session.warning"]);
    expect(events[0]?.data["message"]).toContain("a.json");
  });

  it("O95 a changed setting counts from the next hook on", async () => {
    const { hooks, workspace } = await stand({ "home/hooks/a.json": guard });
    const run = async () => (await hooks.hookFor()("preToolUse", call, signal)).opinion?.decision;
    expect(await run()).toBe("deny");
    const { settings } = workspace;
    workspace.settings = {
      ...settings,
      values: { ...settings.values, disableAllHooks: true },
      sources: { ...settings.sources, disableAllHooks: "user" },
    };
    expect(await run()).toBeUndefined();
  });
});
