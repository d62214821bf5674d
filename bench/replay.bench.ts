// Replay of a log of 100,000 events against a bare read and parse of the same file.
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionPaths } from "../src/host/paths.ts";
import { readSession } from "../src/session/read-session.ts";
import { replay } from "../src/session/replay.ts";
import { alternate, print, timed } from "./measure.ts";

const EVENTS = 100_000;

function writeLog(path: string): void {
  const fd = openSync(path, "w");
  let n = 0;
  let parentId: string | null = null;
  const put = (type: string, data: unknown) => {
    const id = `00000000-0000-4000-8000-${String(++n).padStart(12, "0")}`;
    writeSync(fd, `${JSON.stringify({ id, type, timestamp: "2026-01-01T00:00:00.000Z", parentId, data })}\n`);
    parentId = id;
  };
  const context = { cwd: "/w" };
  put("session.start", {
    sessionId: "s",
    version: 1,
    producer: "everlong",
    everlongVersion: "0",
    startTime: "2026",
    model: "m",
    modelReason: "",
    mode: "interactive",
    context,
  });
  for (let turn = 1; n < EVENTS; turn++) {
    const turnId = `turn${turn}`;
    put("turn.start", { turnId, cause: "user" });
    put("user.message", {
      messageId: turnId,
      turnId,
      ref: `t${turn}`,
      content: `please look at file number ${turn}`,
      source: "user",
      mode: "interactive",
    });
    const call = `call${turn}`;
    put("assistant.message", {
      messageId: `a${turn}`,
      turnId,
      step: 1,
      model: "m",
      content: "",
      toolRequests: [{ toolCallId: call, name: "view", arguments: { path: `src/${turn}.ts` } }],
      finishReason: "tool_calls",
    });
    put("tool.execution_start", { toolCallId: call, toolName: "view", arguments: { path: `src/${turn}.ts` }, turnId });
    put("tool.execution_complete", {
      toolCallId: call,
      toolName: "view",
      success: true,
      resultType: "success",
      result: { content: "a line of text\n".repeat(30), bytes: 450, lines: 30 },
      durationMs: 3,
    });
    put("assistant.message", {
      messageId: `b${turn}`,
      turnId,
      step: 2,
      model: "m",
      content: "The file holds thirty lines of text.",
      toolRequests: [],
      finishReason: "stop",
    });
    put("turn.end", { turnId, status: "done", steps: 2, durationMs: 10 });
  }
  closeSync(fd);
}

export async function bench(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  mkdirSync(dir, { recursive: true });
  const paths = sessionPaths(dir);
  writeLog(paths.events);
  const bare = () =>
    timed(() => {
      for (const line of readFileSync(paths.events, "utf8").split("\n")) if (line) JSON.parse(line);
    });
  const ours = () =>
    timed(async () => {
      const read = await readSession(paths);
      if (!read.ok || replay(read.value.events).eventCount < EVENTS) throw new Error("the log was not read whole");
    });
  print(`C152 replay of ${EVENTS} events`, await alternate(5, bare, ours), "<= 3");
  rmSync(dir, { recursive: true, force: true });
}
