// A fork as a whole or not at all: long texts, attached files, and what is left when it fails.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../base/clock.ts";
import { newId } from "../base/id.ts";
import { homePaths } from "../host/paths.ts";
import { forkSession } from "./fork.ts";
import { SessionLog } from "./log.ts";
import { readSession } from "./read-session.ts";
import { replay } from "./replay.ts";

const LONG = "long ".repeat(2_000_000);

async function original() {
  const dir = mkdtempSync(join(tmpdir(), "everlong-fork-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const home = homePaths(dir);
  const sessionId = newId();
  const paths = home.session(sessionId);
  const opened = await SessionLog.open({
    paths,
    quarantine: home.quarantine,
    sessionId,
    clock: systemClock,
    newId,
    onEvent: () => undefined,
    giveUpMs: 0,
  });
  if (!opened.ok) throw new Error(opened.error.what);
  const { log } = opened.value;
  const about = { producer: "everlong", everlongVersion: "0", modelReason: "", version: 1, startTime: "2026" } as const;
  await log.emit("session.start", { ...about, sessionId, model: "m", mode: "interactive", context: { cwd: "/w" } });
  const said = { messageId: "m1", turnId: "a", ref: "t1", source: "user", mode: "interactive" } as const;
  await log.emit("user.message", { ...said, content: "look at this" });
  await log.emit("assistant.message", {
    ...{ messageId: "m2", turnId: "a", step: 1, model: "m", content: "", finishReason: "tool_calls" },
    toolRequests: [{ toolCallId: "c1", name: "view", arguments: { path: "i.png" } }],
  });
  mkdirSync(paths.files, { recursive: true });
  writeFileSync(join(paths.files, "abc.png"), "an image");
  await log.emit("tool.execution_complete", {
    ...{ toolCallId: "c1", toolName: "view", turnId: "a", step: 1, success: true, durationMs: 1 },
    resultType: "success",
    result: { content: LONG, bytes: LONG.length, lines: 1 },
    attachments: [{ kind: "image", path: join(paths.files, "abc.png"), mediaType: "image/png" }],
  });
  await log.close();
  return { home, paths, state: log.state };
}

/** Files that this process has open below a folder. */
const openBelow = (folder: string): string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // closed since it was listed
    }
  });

describe("A8.17 forkSession", () => {
  it("A8.17 an event with a text over 8 MiB is forked, and attached files are the fork's own", async () => {
    const { home, paths, state } = await original();
    expect(readFileSync(paths.events, "utf8").length).toBeLessThan(100_000);
    const forked = await forkSession(state, home);
    if (!forked.ok) throw new Error(forked.error.what);
    const to = home.session(forked.value);
    const read = await readSession(to);
    if (!read.ok) throw new Error(read.error.what);
    const copy = replay(read.value.events);
    expect(copy.chain).toHaveLength(state.chain.length);
    const last = read.value.events.at(-1);
    if (last?.type !== "tool.execution_complete") throw new Error("another event");
    expect(last.data.result.content === LONG).toBe(true);
    expect(last.data.attachments).toMatchObject([{ path: join(to.files, "abc.png") }]);
    rmSync(paths.dir, { recursive: true });
    expect(readFileSync(join(to.files, "abc.png"), "utf8")).toBe("an image");
  });

  it("A8.17 what fails in the middle leaves no session and no open file", async () => {
    const { home, paths, state } = await original();
    rmSync(paths.files, { recursive: true });
    writeFileSync(paths.files, "no folder"); // the long text has no place to go
    const forked = await forkSession(state, home);
    expect(forked.ok).toBe(false);
    expect(readdirSync(home.sessions)).toEqual([state.sessionId]);
    if (existsSync("/proc/self/fd")) expect(openBelow(home.sessions)).toEqual([]);
  });
});
