// Events to blocks: order, what is live, and that living a session and reading it again give the same.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Envelope, EventData, EventType } from "../../schema/event/envelope.ts";
import type { TranscriptBlock } from "./block.ts";
import { itemsAfter } from "./chain.ts";
import { readTranscript, reduceBlocks } from "./reduce.ts";
import { emptyTranscript, type Transcript } from "./transcript.ts";

let number = 0;
const event = <T extends EventType>(type: T, data: EventData<T>, more: object = {}): Envelope =>
  ({ id: `e${++number}`, type, timestamp: "2026-01-01T00:00:00.000Z", parentId: null, data, ...more }) as Envelope;

const reduce = (events: readonly Envelope[], from = emptyTranscript()): Transcript => events.reduce(reduceBlocks, from);
const settled = (transcript: Transcript) => itemsAfter(transcript.settled);
const kinds = (transcript: Transcript) => settled(transcript).map(({ kind }) => kind);

const user = (content: string) =>
  event("user.message", { messageId: "u", turnId: "t", content, source: "user", mode: "interactive" });
const start = (toolCallId: string, toolName = "bash", args: unknown = { command: "ls" }) =>
  event("tool.execution_start", { toolCallId, toolName, arguments: args, turnId: "t" });
const end = (toolCallId: string, content = "out") =>
  event("tool.execution_complete", {
    toolCallId,
    success: true,
    resultType: "success",
    result: { content, bytes: content.length, lines: 1 },
    durationMs: 5,
  });
const delta = (messageId: string, deltaContent: string) =>
  event("assistant.message_delta", { messageId, deltaContent }, { ephemeral: true });
const thought = (messageId: string, deltaContent: string) =>
  event("assistant.reasoning_delta", { messageId, deltaContent }, { ephemeral: true });
const answer = (messageId: string, content: string, reasoningText?: string) =>
  event("assistant.message", {
    messageId,
    turnId: "t",
    step: 1,
    model: "m",
    content,
    toolRequests: [],
    finishReason: "stop",
    ...(reasoningText === undefined ? {} : { reasoningText }),
  });
const turnEnd = () => event("turn.end", { turnId: "t", status: "done", steps: 1, durationMs: 1 });

const shell = { kind: "shell", command: "touch a" } as const;
const request = { toolCallId: "a", name: "bash", arguments: { command: "touch a" } };

describe("reduceBlocks", () => {
  it("F8 blocks settle in the order they began: what ended first waits behind what still runs", () => {
    const running = reduce([user("hi"), start("a"), start("b"), end("b")]);
    expect(kinds(running)).toEqual(["user"]);
    expect(running.live.map((b) => b.id)).toEqual(["a", "b"]);
    const over = reduceBlocks(running, end("a"));
    expect(settled(over).map((b) => b.id)).toEqual([expect.any(String), "a", "b"]);
    expect(over.live).toEqual([]);
  });

  it("F24 F43 a refused call stands there once, with what it was asked; a rule that refused it is named", () => {
    const message = { ...answer("m", ""), data: { ...answer("m", "").data, toolRequests: [request] } } as Envelope;
    const refused = (rule: object) =>
      settled(
        reduce([
          message,
          event("permission.requested", { requestId: "q", toolCallId: "a", kind: "shell", request: shell }),
          event("permission.completed", { requestId: "q", result: "denied", reason: "The user rejected it.", ...rule }),
          event("tool.execution_complete", { ...end("a").data, success: false, resultType: "denied" } as never),
        ]),
      );
    const call = expect.objectContaining({ kind: "tool", state: "denied", args: { command: "touch a" } });
    expect(refused({})).toEqual([call]);
    expect(refused({ rule: "shell(touch:*)" })).toEqual([expect.objectContaining({ kind: "permission" }), call]);
  });

  it("F3 FE9 a call that a crash left open stands there once after the resume, with what it was asked", () => {
    const recovered = { interruptedCalls: 1, damagedLines: 0, tornBytes: 0 };
    const resume = event("session.resume", { recovered } as EventData<"session.resume">);
    const closed = event("tool.execution_complete", {
      toolCallId: "a",
      success: false,
      resultType: "interrupted",
      result: { content: "Interrupted", bytes: 11, lines: 1 },
      durationMs: 0,
    });
    const over = reduce([user("hi"), start("a"), delta("m", "half"), resume, closed, turnEnd()]);
    const tools = settled(over).filter((block) => block.kind === "tool");
    expect(tools).toMatchObject([{ id: "a", state: "interrupted", args: { command: "ls" } }]);
    expect(kinds(over)).toEqual(["user", "tool", "assistant", "notice"]);
    expect(over.live).toEqual([]);
  });

  it("F9 a broken stream is discarded and a retry block says that the text above it does not count", () => {
    const failure = event("model.call_failure", {
      model: "m",
      attempt: 1,
      code: "server_error",
      message: "cut off",
      messageId: "m1",
      willRetry: true,
      delayMs: 500,
    });
    const after = reduce([delta("m1", "half an ans"), failure, delta("m2", "whole"), answer("m2", "whole")]);
    expect(settled(after)).toMatchObject([
      { kind: "assistant", state: "discarded", text: "half an ans" },
      { kind: "retry", discards: true, delayMs: 500 },
      { kind: "assistant", state: "complete", text: "whole" },
    ]);
  });

  it("F16 thoughts end when the answer begins, and are one block each", () => {
    const events = [
      thought("m", "let me "),
      thought("m", "see"),
      delta("m", "It is"),
      answer("m", "It is so", "let me see"),
    ];
    const live = reduce(events.slice(0, 3));
    expect(settled(live)).toMatchObject([{ kind: "reasoning", text: "let me see" }]);
    expect(settled(reduce(events))).toMatchObject([
      { kind: "reasoning", text: "let me see" },
      { kind: "assistant", state: "complete", text: "It is so" },
    ]);
  });

  it("F20 F21 what is stored is told as memory, with subject, scope and, on refusal, the reason and its code", () => {
    const args = { subject: "build", fact: "npm test builds first", scope: "repository" };
    const refused = event("tool.execution_complete", {
      toolCallId: "b",
      success: false,
      resultType: "failure",
      result: { content: "x", bytes: 1, lines: 1 },
      error: { code: "invalid_scope", message: "There is no repository here." },
      durationMs: 1,
    });
    const after = reduce([
      start("a", "store_memory", args),
      end("a", "Stored as mem_1 (scope repository). 1 secret was redacted."),
      start("b", "store_memory", args),
      refused,
      start("c", "context_board", {
        command: "add",
        name: "ports",
        description: "which ports are in use",
        context: "…",
      }),
      end("c", "ok"),
    ]);
    expect(settled(after)).toMatchObject([
      { kind: "memory", action: "stored", subject: "build", detail: expect.stringContaining("redacted") },
      { kind: "memory", action: "refused", code: "invalid_scope", detail: "There is no repository here." },
      { kind: "board", action: "added", name: "ports", description: "which ports are in use" },
    ]);
  });

  it("FB9 an event of a newer version is shown with its type and never dropped", () => {
    const value = { id: "x", type: "session.levitated", timestamp: "2026", parentId: null, data: { height: 3 } };
    const after = readTranscript([value], emptyTranscript());
    expect(settled(after)).toMatchObject([{ kind: "event", type: "session.levitated", data: { height: 3 } }]);
  });

  it("F3 FI2 a session that was lived and the same read again give the same settled blocks", () => {
    const step = fc.oneof(
      fc.string().map((text) => [user(text)]),
      fc.tuple(fc.array(fc.string({ minLength: 1 })), fc.boolean(), fc.uuid()).map(([parts, thinks, id]) => {
        const thoughts = thinks ? [thought(id, "why "), thought(id, "not")] : [];
        const said = parts.join("");
        return [...thoughts, ...parts.map((part) => delta(id, part)), answer(id, said, thinks ? "why not" : undefined)];
      }),
      fc
        .array(fc.uuid(), { maxLength: 4 })
        .map((ids) => [
          ...ids.map((id) => start(id)),
          ...ids.map((id) =>
            event("tool.execution_partial_result", { toolCallId: id, text: "some" }, { ephemeral: true }),
          ),
          ...[...ids].reverse().map((id) => end(id)),
        ]),
      fc.constant([turnEnd()]),
      fc.string().map((message) => [event("session.warning", { warningType: "w", message })]),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const events = steps.flat();
        const lived = settled(reduce(events));
        const read = settled(reduce(events.filter((e) => !e.ephemeral)));
        const bare = ({ at: _, ...block }: TranscriptBlock) => block;
        expect(lived.map(bare)).toEqual(read.map(bare));
      }),
      { numRuns: 200 },
    );
  });

  it("FI2 no later event changes or reorders a settled block", () => {
    const events = [user("a"), start("x"), delta("m", "b"), end("x"), answer("m", "b"), turnEnd(), user("c")];
    let before = emptyTranscript();
    for (const one of events) {
      const after = reduceBlocks(before, one);
      const earlier = settled(before);
      expect(settled(after).slice(0, earlier.length)).toEqual(earlier);
      before = after;
    }
  });
});
