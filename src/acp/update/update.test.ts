// What an editor shows in the end is the same live and from the log, however the answer streamed and however slowly it reads.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Envelope } from "../../schema/event/envelope.ts";
import { Outbox } from "../outbox.ts";
import { noUpdates } from "./state.ts";
import { updatesOf } from "./update.ts";

let count = 0;
const event = (type: string, data: object, more: object = {}): Envelope =>
  ({ id: `e${++count}`, type, timestamp: "t", parentId: null, data, ...more }) as unknown as Envelope;
const passing = (type: string, data: object): Envelope => event(type, data, { ephemeral: true });

/** A client's picture of a session. */
function shown(updates: readonly SessionUpdate[]): unknown {
  const rows = new Map<string, Record<string, unknown>>();
  for (const update of updates) {
    const { sessionUpdate: kind, ...fields } = update;
    if ("messageId" in fields && "content" in fields) {
      const key = `${kind} ${fields.messageId}`;
      const { text = "" } = fields.content as { text?: string };
      rows.set(key, { kind, text: `${rows.get(key)?.["text"] ?? ""}${text}` });
    } else if ("toolCallId" in fields) rows.set(fields.toolCallId, { ...rows.get(fields.toolCallId), ...fields });
    else if (kind !== "usage_update") rows.set(kind, fields);
  }
  return [...rows.values()];
}

const reduce = (events: readonly Envelope[]): SessionUpdate[] => {
  let state = noUpdates;
  return events.flatMap((one) => {
    const reduced = updatesOf(state, one);
    state = reduced.state;
    return reduced.updates;
  });
};

const cuts = (text: string, at: readonly number[]): string[] => {
  const places = [...new Set(at.map((n) => n % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => text.slice(from, places[i] ?? text.length)).filter(Boolean);
};

const words = fc.string({ unit: "binary", maxLength: 60 });
const answer = fc.record({
  thought: words,
  text: words,
  cut: fc.array(fc.nat(60), { maxLength: 6 }),
  /** How much of it streamed before it settled. */
  streamed: fc.nat(8),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("bash", "view", "edit", "create", "task", "mine-echo"),
      args: fc.record({ path: words, command: words, old_str: words, new_str: words }),
      starts: fc.boolean(),
      prints: fc.array(words, { maxLength: 3 }),
      success: fc.boolean(),
      output: words,
    }),
    { maxLength: 3 },
  ),
  todo: fc.option(
    fc.record({ id: fc.constantFrom("a", "b"), title: words, status: fc.constantFrom("pending", "done") }),
  ),
  mode: fc.option(fc.constantFrom("plan", "interactive", "research")),
});

const session = fc.array(answer, { maxLength: 5 }).map((answers) =>
  answers.flatMap(({ thought, text, cut, streamed, calls, todo, mode }, n) => {
    const messageId = `m${n}`;
    const deltas = [
      ...cuts(thought, cut).map((deltaContent) => passing("assistant.reasoning_delta", { messageId, deltaContent })),
      ...cuts(text, cut).map((deltaContent) => passing("assistant.message_delta", { messageId, deltaContent })),
    ];
    // Thought comes before text: what of the text streamed means that all of the thought did.
    const requests = calls.map(({ name, args }, i) => ({ toolCallId: `c${n}.${i}`, name, arguments: args }));
    const ran = calls.flatMap(({ name, starts, prints, success, output }, i) => {
      const toolCallId = `c${n}.${i}`;
      const result = { content: output, bytes: 0, lines: 0 };
      return [
        ...(starts ? [event("tool.execution_start", { toolCallId, toolName: name, arguments: {}, turnId: "t" })] : []),
        ...prints.map((print) => passing("tool.execution_partial_result", { toolCallId, text: print })),
        passing("tool.execution_progress", { toolCallId, progressMessage: "going on" }),
        event("tool.execution_complete", { toolCallId, toolName: name, success, result, durationMs: 1 }),
      ];
    });
    return [
      event("user.message", { messageId: `u${n}`, content: `prompt ${n}`, source: "user", turnId: "t", mode: "plan" }),
      passing("assistant.message_start", { messageId }),
      ...deltas.slice(0, streamed),
      event("assistant.message", {
        messageId,
        content: text,
        reasoningText: thought,
        toolRequests: requests,
        turnId: "t",
      }),
      ...ran,
      event(
        "assistant.message",
        { messageId: `${messageId}.sub`, content: "of another", toolRequests: [] },
        { agentId: "x" },
      ),
      ...(todo ? [event("session.todos_changed", { todos: [todo], removedTodos: [], deps: [], removedDeps: [] })] : []),
      ...(mode ? [event("session.mode_changed", { previousMode: "interactive", newMode: mode })] : []),
    ];
  }),
);

describe("the reduction of events into updates", () => {
  it("Y2 Y3 live and loaded give one picture", () => {
    fc.assert(
      fc.property(session, (events) => {
        const live = reduce(events);
        const loaded = reduce(events.filter((one) => !("ephemeral" in one)));
        expect(shown(live)).toEqual(shown(loaded));
      }),
      { numRuns: 300 },
    );
  });

  it("Y9 through an outbox with any pauses of the reader, too", async () => {
    await fc.assert(
      fc.asyncProperty(session, fc.infiniteStream(fc.nat(3)), async (events, pauses) => {
        const sent: SessionUpdate[] = [];
        const outbox = new Outbox(async (update) => {
          for (let n = pauses.next().value ?? 0; n > 0; n--) await new Promise((resolve) => setImmediate(resolve));
          sent.push(update);
        });
        for (const [i, one] of events.entries()) {
          outbox.add(one);
          if (i % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await outbox.settled();
        expect(shown(sent)).toEqual(shown(reduce(events)));
      }),
      { numRuns: 60 },
    );
  });

  it("Y3 what fails softly is told, and so is a model call that is tried again", () => {
    const events = [
      passing("soft_failure", { part: "recall", code: "x", message: "the index is busy" }),
      passing("model.call_failure", {
        model: "m",
        attempt: 1,
        code: "overloaded",
        message: "Overloaded.",
        willRetry: true,
      }),
      passing("model.call_failure", {
        model: "m",
        attempt: 2,
        code: "overloaded",
        message: "Overloaded.",
        willRetry: false,
      }),
      event("session.warning", { warningType: "w", message: "Look out.", hint: "Do this." }),
    ];
    expect(reduce(events)).toEqual([
      { sessionUpdate: "notice", severity: "warning", title: "recall failed: the index is busy" },
      { sessionUpdate: "notice", severity: "info", title: "Overloaded.", description: "Trying again." },
      { sessionUpdate: "notice", severity: "warning", title: "Look out.", description: "Do this." },
    ]);
  });

  it("Y9 text for a reader that stands still is left out and comes with the settled message", async () => {
    let go: () => void = () => undefined;
    const stand = new Promise<void>((resolve) => {
      go = resolve;
    });
    const sent: SessionUpdate[] = [];
    const outbox = new Outbox(async (update) => {
      await stand;
      sent.push(update);
    });
    const piece = "x".repeat(100_000);
    for (let n = 0; n < 100; n++)
      outbox.add(passing("assistant.message_delta", { messageId: "m", deltaContent: piece }));
    outbox.add(event("assistant.message", { messageId: "m", content: `${piece.repeat(100)}!`, toolRequests: [] }));
    go();
    await outbox.settled();
    expect(shown(sent)).toEqual([{ kind: "agent_message_chunk", text: `${piece.repeat(100)}!` }]);
  });
});
