// Approvals of an open session: where each answer is kept, and that a reset really resets.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../base/scratch-fixture.ts";
import { noOutcome } from "../../hook/merge.ts";
import { homePaths } from "../../host/paths.ts";
import type { PermissionAnswer } from "../../schema/permission.ts";
import type { Session } from "../../session/session.ts";
import type { Tool } from "../../tool/contract.ts";
import type { Workspace } from "../workspace.ts";
import { Approvals } from "./approvals.ts";

const noted = (log: unknown[][], type: string) => log.filter(([name]) => name === type).map(([, data]) => data);

function setup(answer: PermissionAnswer["type"]) {
  const base = scratchFolder("approvals");
  const home = join(base, "home");
  const log: unknown[][] = [];
  const note = async (type: string, data: unknown) => void log.push([type, data]);
  const session = {
    root: base,
    dir: join(home, "sessions", "s"),
    state: { context: { cwd: base }, mode: "interactive" },
    live: { turn: { phase: { type: "running_tools" } } },
    emit: note,
    publish: note,
    parts: { hook: async () => noOutcome },
  } as unknown as Session;
  const workspace = {
    settings: {
      permissions: { deny: [], ask: [], allow: [], dirs: [] },
      values: { "permissions.allowAll": false },
    },
    paths: homePaths(home),
    trust: { trusted: true, started: new Map() },
    userHome: base,
  } as unknown as Workspace;
  let asked = 0;
  const permission = async () => {
    asked++;
    return { type: answer } as PermissionAnswer;
  };
  const approvals = new Approvals(session, workspace, { permission }, join(base, "tmp"));
  const tool = { permissions: () => [{ kind: "shell", command: "touch x" }] } as unknown as Tool;
  return {
    approvals,
    log,
    file: homePaths(home).permissions,
    asked: () => asked,
    touch: () => {
      const actor = { conversation: session, hook: session.parts.hook };
      return approvals.door.permit({ toolCallId: "c", tool, input: {}, signal: new AbortController().signal, actor });
    },
  };
}

describe("A7.7 answers and their reset", () => {
  it("an answer for the location holds until the location is reset, in memory and in the file", async () => {
    const { approvals, touch, asked, file } = setup("location");
    await approvals.load();
    await touch();
    await touch();
    expect(asked()).toBe(1);
    expect(approvals.list()).toEqual([{ list: "allow", rule: "shell(touch:*)", origin: "approved for this folder" }]);
    expect(await approvals.reset("location")).toEqual({ ok: true, value: undefined });
    expect(approvals.list()).toEqual([]);
    expect(readFileSync(file, "utf8")).not.toContain("touch");
    await touch();
    expect(asked()).toBe(2);
  });

  it("resetting the session leaves what was approved for the location", async () => {
    const { approvals, touch, asked } = setup("location");
    await touch();
    await approvals.reset("session");
    await touch();
    expect(asked()).toBe(1);
  });

  it("O135 a tool that changed loses every approval that covers it, the server's and the whole kind's too", async () => {
    for (const rule of ["mcp(far:send)", "mcp(far)", "mcp(far:*)", "mcp"]) {
      const { approvals, log } = setup("once");
      approvals.addSessionRules([rule, "mcp(far:other)", "mcp(near)", "shell"]);
      await approvals.dropMcp([{ server: "far", tool: "send" }]);
      expect(approvals.list().map((one) => one.rule)).toEqual(["mcp(far:other)", "mcp(near)", "shell"]);
      expect(noted(log, "permission.rules_changed")).toMatchObject([{ scope: "session", removed: [rule] }]);
    }
  });

  it("a reset that cannot be written is a failure: the approvals stay and nothing says they are gone", async () => {
    const { approvals, touch, file, log } = setup("location");
    await touch();
    writeFileSync(file, "{ broken");
    expect(await approvals.reset("location")).toMatchObject({ ok: false, error: { code: "state_unreadable" } });
    expect(approvals.list()).toHaveLength(1);
    expect(noted(log, "permission.rules_changed")).toHaveLength(1); // the answer, not the reset
  });

  it("a location answer that cannot be saved holds for the session, and is told of", async () => {
    const { approvals, touch, asked, file, log } = setup("location");
    await touch();
    await approvals.reset("location");
    writeFileSync(file, "{ broken");
    await touch();
    await touch();
    expect(asked()).toBe(2);
    expect(noted(log, "soft_failure")).toMatchObject([{ part: "permissions.json", code: "state_unreadable" }]);
    expect(approvals.list()).toMatchObject([{ origin: "approved for this session" }]);
  });
});
