// The cache of a long log: with it a resume is the same as without it, and one that is damaged or foreign is never believed.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { FailureError } from "../base/failure.ts";
import { newId } from "../base/id.ts";
import { canonicalJson } from "../base/json.ts";
import { homePaths } from "../host/paths.ts";
import type { EventData } from "../schema/event/envelope.ts";
import { type OpenedLog, SessionLog } from "./log.ts";
import { PastEvent, PastLog } from "./past-event.ts";
import { readSession } from "./read-session.ts";
import { replay } from "./replay.ts";
import { plainState, type SessionState } from "./state.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "everlong-resume-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const paths = (id = "s") => homePaths(dir).session(id);
const plain = (state: SessionState): string => canonicalJson(plainState(state));

/** Every log is long here, so each opening makes the cache that the next one reads. */
async function open(id = "s"): Promise<OpenedLog> {
  const opened = await SessionLog.open({
    paths: paths(id),
    quarantine: join(dir, "quarantine"),
    sessionId: id,
    clock: systemClock,
    newId,
    onEvent: () => undefined,
    giveUpMs: 0,
    longLog: 1,
  });
  if (!opened.ok) throw new Error(opened.error.what);
  return opened.value;
}

/** Whether the log's beginning came from the cache. */
const isFromCache = ({ past }: OpenedLog): boolean => (past[0] as unknown) instanceof PastEvent;

/** An opening is what reading the whole log gives; closed again, its cache is written. */
async function expectTruth(id = "s"): Promise<OpenedLog> {
  const opened = await open(id);
  const read = await readSession(paths(id));
  if (!read.ok) throw new Error(read.error.what);
  expect(plain(opened.log.state)).toBe(plain(replay(read.value.events)));
  expect(JSON.stringify(opened.past)).toBe(JSON.stringify(read.value.events));
  expect(opened.log.state.chain.map((e) => ({ ...e }))).toEqual(replay(read.value.events).chain);
  await opened.log.close();
  return opened;
}

const OPERATIONS = ["prompt", "step", "notice", "rewind", "compact", "undo", "agent", "todo", "queue"] as const;
type Operation = (typeof OPERATIONS)[number];

/** A session in which every kind of thing happens that the fold knows. */
async function act(log: SessionLog, operations: readonly Operation[]): Promise<void> {
  const { state } = log;
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5 };
  for (const operation of operations) {
    const n = state.eventCount;
    const turnId = `turn${n}`;
    if (state.eventCount === 0)
      await log.emit("session.start", {
        ...{ sessionId: "s", version: 1, producer: "everlong", everlongVersion: "0", startTime: "2026" },
        ...{ model: "m", modelReason: "", mode: "interactive", context: { cwd: "/w" } },
      });
    if (operation === "prompt") {
      const ref = `t${state.promptCount + 1}`;
      const message = { messageId: `m${n}`, turnId, ref, source: "user" as const, mode: "interactive" as const };
      await log.emit("user.message", { ...message, content: `question ${n} é\u2028` });
    } else if (operation === "step") {
      const calls = [`a${n}`, `b${n}`].map((toolCallId) => ({ toolCallId, name: "view", arguments: { path: "x" } }));
      const about = { turnId, step: 1, model: "m", finishReason: "tool_calls" as const };
      await log.emit("assistant.message", { ...about, messageId: `s${n}`, content: "looking", toolRequests: calls });
      await log.emit("assistant.usage", {
        ...usage,
        model: "m",
        turnId,
        step: 1,
        interaction: "conversation-user",
        ttftMs: 1,
        durationMs: 1,
      });
      for (const { toolCallId } of calls.toReversed()) {
        const result = { content: `<b>text of ${toolCallId}</b>`, bytes: 10, lines: 1 };
        const outcome = { success: true, resultType: "success" as const, durationMs: 1 };
        await log.emit("tool.execution_complete", { toolCallId, toolName: "view", ...outcome, result });
      }
    } else if (operation === "notice")
      await log.emit("system.notification", {
        kind: "info",
        content: `notice ${n}`,
      } as EventData<"system.notification">);
    else if (operation === "rewind") {
      const target = state.chain.at(-2);
      const parent = state.chain.at(-3);
      if (!target || !parent) continue;
      const files = { filesRestored: [], filesSkipped: [] };
      await log.emit(
        "session.snapshot_rewind",
        { upToEventId: target.id, eventsRemoved: 2, ...files },
        { parentId: parent.id },
      );
    } else if (operation === "compact") {
      const boundaryEventId = state.items.at(-1)?.id;
      if (boundaryEventId === undefined) continue;
      await log.emit("session.compaction_complete", {
        ...{ success: true, outcome: "applied", compactionAttemptId: `k${n}`, trigger: "manual", model: "m" },
        ...{
          preCompactionTokens: 1,
          postCompactionTokens: 1,
          preCompactionMessagesLength: 1,
          targetTokens: 1,
          tokenLimit: 1,
        },
        ...{ postCompactionMessagesLength: 1, messagesRemoved: 1, tokensRemoved: 1, tokenAccountingBasis: "estimated" },
        ...{ systemTokens: 1, conversationTokens: 1, toolDefinitionsTokens: 1 },
        ...{ replacementContent: `summary ${n}`, boundaryEventId, checkpointNumber: n },
      } as EventData<"session.compaction_complete">);
    } else if (operation === "undo") {
      const live = state.checkpoints.findLast(({ undone }) => !undone);
      const attempt = live?.data.compactionAttemptId;
      if (attempt !== undefined)
        await log.emit("session.compaction_undone", {
          compactionAttemptId: attempt,
          messagesRestored: 1,
          tokensRestored: 1,
        } as EventData<"session.compaction_undone">);
    } else if (operation === "agent")
      await log.emit(
        "assistant.usage",
        { ...usage, model: "n", turnId, step: 1, interaction: "conversation-user", durationMs: 1, ttftMs: 1 },
        {
          agentId: `agent${n}`,
        },
      );
    else if (operation === "todo")
      await log.emit("session.todos_changed", {
        todos: [{ id: `todo${n}`, title: "x", description: "", status: "pending" }],
        removedTodos: [],
        deps: [],
        removedDeps: [],
      } as unknown as EventData<"session.todos_changed">);
    else await log.emit("message.queued", { messageId: `q${n}`, content: "later", delivery: "steer" });
  }
}

describe("the cache of a resume", () => {
  it("N17 PI2 a resume from the cache is the same as one from the log, and goes on from there", async () => {
    let fromCache = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom(...OPERATIONS), { maxLength: 8 }), { minLength: 2, maxLength: 4 }),
        async (lives) => {
          rmSync(dir, { recursive: true });
          mkdirSync(dir);
          for (const life of lives) {
            const opened = await open();
            if (isFromCache(opened)) fromCache++;
            await act(opened.log, life);
            const live = plain(opened.log.state);
            await opened.log.close();
            expect(plain((await expectTruth()).log.state)).toBe(live);
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(fromCache).toBeGreaterThan(20);
  });

  /** A session with a cache that is in use. */
  async function cached(id = "s"): Promise<void> {
    const first = await open(id);
    await act(first.log, ["prompt", "step", "notice", "notice", "prompt", "step", "compact", "agent", "prompt"]);
    await first.log.close();
    await expectTruth(id);
    expect(isFromCache(await expectTruth(id))).toBe(true);
  }

  it("N17 PI2 a cache with any byte changed, cut short, empty, a folder, a pipe or a link is not believed", async () => {
    await cached();
    const whole = readFileSync(paths().resume);
    const expectRead = async (what: string) => expect([what, isFromCache(await expectTruth())]).toEqual([what, false]);
    for (let at = 0; at < whole.length; at += 97) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      writeFileSync(paths().resume, bytes);
      await expectRead(`byte ${at}`);
    }
    for (const length of [0, 1, 32, 33, whole.length - 1]) {
      writeFileSync(paths().resume, whole.subarray(0, length));
      await expectRead(`${length} bytes`);
    }
    rmSync(paths().resume);
    mkdirSync(paths().resume);
    await expectRead("a folder");
    rmSync(paths().resume, { recursive: true });
    execFileSync("mkfifo", [paths().resume]);
    await expectRead("a pipe");
    rmSync(paths().resume);
    await expectTruth();
    expect(isFromCache(await expectTruth())).toBe(true);
    writeFileSync(join(dir, "elsewhere"), readFileSync(paths().resume));
    rmSync(paths().resume);
    symlinkSync(join(dir, "elsewhere"), paths().resume);
    await expectRead("a link");
  });

  it("N17 PI2 the cache of another session, and one of a log that was changed, cut or replaced since, are not believed", async () => {
    await cached();
    await cached("other");
    cpSync(paths("other").resume, paths().resume);
    expect(isFromCache(await expectTruth())).toBe(false);
    await cached("third");
    const { events } = paths("third");
    const text = readFileSync(events, "utf8");
    writeFileSync(events, text.replace("looking", "LOOKING"));
    const changed = await expectTruth("third");
    expect(isFromCache(changed)).toBe(false);
    expect(JSON.stringify(changed.past)).toContain("LOOKING");
    await cached("fourth");
    const lines = readFileSync(paths("fourth").events, "utf8").split("\n");
    writeFileSync(paths("fourth").events, `${lines.slice(0, 4).join("\n")}\n`);
    expect(isFromCache(await expectTruth("fourth"))).toBe(false);
    await cached("fifth");
    writeFileSync(paths("fifth").events, "");
    expect((await expectTruth("fifth")).past).toEqual([]);
  });

  it("N17 N15 a verified log is read where somebody looks; one that is gone or replaced since is a failure, never another text", () => {
    const path = join(dir, "events.jsonl");
    const lines = Array.from({ length: 6000 }, (_, n) => JSON.stringify({ data: { n, text: "é".repeat(n % 200) } }));
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    const log = new PastLog(path, statSync(path), dir);
    const starts = [0];
    for (const line of lines) starts.push((starts.at(-1) ?? 0) + Buffer.byteLength(line) + 1);
    const read = (n: number) => log.parse(starts[n] ?? 0, (starts[n + 1] ?? 0) - 1);
    for (const n of [5999, 0, 3000, 2999, 3001, 1]) expect(read(n)).toEqual({ n, text: "é".repeat(n % 200) });
    renameSync(path, `${path}.old`);
    expect(() => read(5999)).toThrow(FailureError);
    writeFileSync(path, readFileSync(`${path}.old`));
    expect(() => read(5999)).toThrow(/replaced/);
    renameSync(`${path}.old`, path);
    expect(read(5999)).toMatchObject({ n: 5999 });
  });

  it("N17 D6 what is damaged or unknown is told by every resume: such a log has no cache", async () => {
    await cached();
    rmSync(paths().resume);
    const { events } = paths();
    const lines = readFileSync(events, "utf8").split("\n");
    writeFileSync(events, [...lines.slice(0, 3), "no event at all", ...lines.slice(3)].join("\n"));
    for (let n = 0; n < 2; n++) {
      const opened = await expectTruth();
      expect(opened.report.damaged).toMatchObject([{ line: 4 }]);
    }
    expect(existsSync(paths().resume)).toBe(false);
  });

  it("N17 D6 damage after what the cache covers is told with its line in the whole log", async () => {
    await cached();
    const { events } = paths();
    const lines = readFileSync(events, "utf8").trimEnd().split("\n").length;
    writeFileSync(events, 'no event at all\n{"id":"to', { flag: "a" });
    const opened = await open();
    expect(isFromCache(opened)).toBe(true);
    expect(opened.report.damaged).toMatchObject([{ line: lines + 1 }]);
    await opened.log.close();
    await expectTruth();
  });
});
