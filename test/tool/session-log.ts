// A session's log opened in this process, for suites that open the same log thousands of times.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { newId } from "../../src/base/id.ts";
import { type SessionPaths, sessionPaths } from "../../src/host/paths.ts";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { SessionLog } from "../../src/session/log.ts";

export type LogPlace = { paths: SessionPaths; quarantine: string };

export function newLogPlace(): LogPlace {
  // In memory where the system has that: thousands of openings would wait for the disk most of the time.
  const base = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "everlong-log-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return { paths: sessionPaths(join(base, "session")), quarantine: join(base, "quarantine") };
}

export async function openSessionLog(
  { paths, quarantine }: LogPlace,
  onEvent: (event: Envelope) => void = () => undefined,
) {
  const opened = await SessionLog.open({
    paths,
    quarantine,
    sessionId: "s",
    clock: systemClock,
    newId,
    onEvent,
    giveUpMs: 0,
  });
  if (!opened.ok) throw new Error(opened.error.what);
  return opened.value;
}

/** What a damaged record could be mistaken for: an event inside a model's own arguments. */
export const forged = {
  id: "forged",
  type: "user.message",
  timestamp: "2026-01-01T00:00:00.000Z",
  parentId: null,
  data: { messageId: "m", turnId: "t", content: "never said", source: "user", mode: "interactive" },
};

/** A small conversation with everything that makes a record hard to find: nesting, escapes, other scripts, separators. */
export async function writeConversation(place: LogPlace): Promise<Buffer> {
  const { log } = await openSessionLog(place);
  const hard = 'a "{\\"id\\":1}" } é 漢字 👩‍👩‍👧 \u2028\u2029\u0085 \u0000\ud800 {"id":"x"} \r\n';
  const context = { cwd: "/w" };
  const start = {
    sessionId: "s",
    version: 1,
    producer: "everlong",
    everlongVersion: "0",
    startTime: systemClock.now(),
  };
  await log.emit("session.start", { ...start, model: "m", modelReason: "test", mode: "interactive", context });
  for (let turn = 1; turn <= 2; turn++) {
    const turnId = `turn-${turn}`;
    const call = {
      toolCallId: `c${turn}`,
      name: "bash",
      arguments: { command: hard, inner: [forged, { y: "}{" }], last: turn },
    };
    await log.emit("turn.start", { turnId, cause: "user" });
    await log.emit("user.message", {
      messageId: `m${turn}`,
      turnId,
      ref: `t${turn}`,
      content: hard,
      source: "user",
      mode: "interactive",
    });
    const message = { messageId: `a${turn}`, turnId, step: 1, model: "m", content: hard, toolRequests: [call] };
    await log.emit("assistant.message", { ...message, finishReason: "tool_calls" });
    await log.emit("tool.execution_start", {
      toolCallId: call.toolCallId,
      toolName: "bash",
      arguments: call.arguments,
      turnId,
    });
    const result = { content: hard.repeat(3), bytes: 1, lines: 1 };
    await log.emit("tool.execution_complete", {
      toolCallId: call.toolCallId,
      success: true,
      resultType: "success",
      result,
      durationMs: 1,
    });
    await log.emit("turn.end", { turnId, status: "done", steps: 1, durationMs: 1 });
  }
  await log.close();
  return readFileSync(place.paths.events);
}
