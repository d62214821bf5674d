// Replay: live equals replayed after every event, results stand in call order, a rewind takes back exactly the chain.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { soakCount } from "../../test/tool/soak.ts";
import { canonicalJson } from "../base/json.ts";
import { type DurableEnvelope, type DurableType, type EventData, readEvent } from "../schema/event/envelope.ts";
import { applyEvent, replay } from "./replay.ts";
import { planRewind } from "./rewind.ts";
import { emptyState, plainState, type SessionState } from "./state.ts";

const SEQUENCES = soakCount(2000, 20_000);

/** Writes events as the log does: parent is the last event, unless a rewind says otherwise. */
class Writer {
  readonly events: DurableEnvelope[] = [];
  readonly live: SessionState = emptyState();
  #n = 0;

  emit<T extends DurableType>(type: T, data: EventData<T>, parentId?: string): void {
    const event = {
      id: `e${++this.#n}`,
      type,
      timestamp: new Date(this.#n * 1000).toISOString(),
      parentId: parentId ?? this.live.lastEventId,
      data,
    } as unknown as DurableEnvelope;
    expect(readEvent(event).type).toBe("known");
    this.events.push(event);
    applyEvent(this.live, event);
  }

  start(): this {
    this.emit("session.start", {
      sessionId: "s",
      version: 1,
      producer: "everlong",
      everlongVersion: "0",
      startTime: "2026-01-01T00:00:00.000Z",
      model: "m",
      modelReason: "test",
      mode: "interactive",
      context: { cwd: "/w" },
    });
    return this;
  }

  user(content: string): void {
    const ref = `t${this.live.promptCount + 1}`;
    this.emit("turn.start", { turnId: ref, cause: "user" });
    this.emit("user.message", {
      messageId: `m${this.#n}`,
      turnId: ref,
      ref,
      content,
      source: "user",
      mode: "interactive",
    });
  }

  assistant(content: string, calls: string[] = []): void {
    this.emit("assistant.message", {
      messageId: `a${this.#n}`,
      turnId: "t",
      step: 1,
      model: "m",
      content,
      toolRequests: calls.map((toolCallId) => ({ toolCallId, name: "bash", arguments: {} })),
      finishReason: calls.length > 0 ? "tool_calls" : "stop",
    });
  }

  result(toolCallId: string): void {
    this.emit("tool.execution_complete", {
      toolCallId,
      success: true,
      resultType: "success",
      result: { content: `result ${toolCallId}`, bytes: 1, lines: 1 },
      durationMs: 1,
    });
  }

  rewind(to: string): boolean {
    const plan = planRewind(this.live, to);
    if (!plan.ok) return false;
    const { target, eventsRemoved, parentId } = plan.value;
    this.emit(
      "session.snapshot_rewind",
      { upToEventId: target.id, eventsRemoved, filesRestored: [], filesSkipped: [] },
      parentId,
    );
    return true;
  }
}

const figures: EventData<"session.compaction_complete"> = {
  ...{ success: false, outcome: "failed", compactionAttemptId: "k", trigger: "manual", model: "m" },
  ...{ tokenLimit: 9, systemTokens: 0, conversationTokens: 0, toolDefinitionsTokens: 0, targetTokens: 0 },
  ...{ preCompactionTokens: 0, postCompactionTokens: 0, messagesRemoved: 0, tokensRemoved: 0 },
  ...{ preCompactionMessagesLength: 0, postCompactionMessagesLength: 0, tokenAccountingBasis: "estimated" },
};

const roles = (state: SessionState) =>
  state.items.map((i) => (i.raw.role === "tool" ? `tool:${i.raw.toolCallId}` : i.raw.role));

describe("replay", () => {
  it("A5.3 results enter history in call order, however the calls finished", () => {
    const w = new Writer().start();
    w.user("go");
    w.assistant("", ["a", "b", "c"]);
    for (const id of ["c", "a", "b"]) w.result(id);
    expect(roles(w.live)).toEqual(["user", "assistant", "tool:a", "tool:b", "tool:c"]);
    w.result("a");
    expect(roles(w.live), "a second result for one call is ignored").toHaveLength(5);
  });

  it("A8.15 a rewind takes the target and all later events off the chain; numbers are never used again", () => {
    const w = new Writer().start();
    for (const text of ["one", "two", "three"]) {
      w.user(text);
      w.assistant(`answer to ${text}`);
      w.emit("turn.end", { turnId: "t", status: "done", steps: 1, durationMs: 1 });
    }
    expect(w.rewind("t2")).toBe(true);
    expect(w.live.items.map((i) => (i.raw as { content: string }).content)).toEqual(["one", "answer to one"]);
    w.user("two again");
    const last = w.events.at(-1);
    expect(last?.type === "user.message" && last.data.ref).toBe("t4");
    expect(w.rewind("no-such-event")).toBe(false);
  });

  it("C130 failed, cancelled and not applicable compactions change nothing; an applied one sets the marker anew", () => {
    const w = new Writer().start();
    for (const text of ["one", "two", "three"]) {
      w.user(text);
      w.assistant(`answer to ${text}`);
    }
    const content = { replacementContent: "SUMMARY", boundaryEventId: w.live.items[3]?.id ?? "" };
    for (const outcome of ["failed", "cancelled", "not_applicable"] as const) {
      const before = w.live.items;
      w.emit("session.compaction_complete", { ...figures, ...content, success: false, outcome });
      expect([w.live.items, w.live.marker, w.live.checkpoints]).toEqual([before, undefined, []]);
    }
    w.emit("session.compaction_complete", { ...figures, ...content, success: true, outcome: "applied" });
    expect(w.live.items.map((i) => (i.raw as { content: string }).content)).toEqual([
      "SUMMARY",
      "three",
      "answer to three",
    ]);
    expect(w.live.marker).toBe(3);
    expect(plainState(replay(w.events))).toEqual(plainState(w.live));
  });

  it("C152 L8 after twenty compactions the state holds what came since the last one, and no event is looked at twice", () => {
    const w = new Writer().start();
    for (let round = 1; round <= 20; round++) {
      for (let turn = 1; turn <= 20; turn++) {
        w.user(`prompt ${round}.${turn}`);
        w.assistant(`answer ${round}.${turn}`);
      }
      const boundaryEventId = w.live.items.at(-3)?.id ?? "";
      const applied = { success: true, outcome: "applied", replacementContent: `SUMMARY ${round}` } as const;
      w.emit("session.compaction_complete", { ...figures, ...applied, boundaryEventId });
    }
    const looks = new Map<string, number>();
    const watched = w.events.map((event) => {
      const { data } = event;
      const get = (): unknown => {
        looks.set(event.id, (looks.get(event.id) ?? 0) + 1);
        return data;
      };
      return Object.defineProperty({ ...event }, "data", { get, enumerable: true });
    });
    const state = replay(watched);
    expect(plainState(state)).toEqual(plainState(w.live));
    expect(state.items.map((item) => item.raw.content)).toEqual(["SUMMARY 20", "prompt 20.20", "answer 20.20"]);
    const looksAt = (round: number): number[] =>
      w.events.slice(1 + round * 61, 61 * (round + 1)).map(({ id }) => looks.get(id) ?? 0);
    // An early event is followed by many compactions, a late one by two: it costs no more.
    expect(looksAt(1)).toEqual(looksAt(18));
  });

  it("A8.16 undo goes back to before the last message, and cannot pass the start", () => {
    const w = new Writer().start();
    expect(planRewind(w.live, undefined).ok).toBe(false);
    w.user("one");
    const plan = planRewind(w.live, undefined);
    expect(plan.ok && plan.value.target.type).toBe("turn.start");
    expect(planRewind(w.live, w.events[0]!.id).ok).toBe(false);
  });

  it("A5.15 todos are rebuilt from their events", () => {
    const w = new Writer().start();
    const todo = (id: string, status: "pending" | "done") => ({ id, title: id, status });
    w.emit("session.todos_changed", {
      todos: [todo("a", "pending"), todo("b", "pending")],
      removedTodos: [],
      deps: [{ todo_id: "b", depends_on: "a" }],
      removedDeps: [],
    });
    w.emit("session.todos_changed", {
      todos: [todo("a", "done")],
      removedTodos: ["b"],
      deps: [],
      removedDeps: [{ todo_id: "b", depends_on: "a" }],
    });
    expect([...w.live.todos.values()]).toEqual([todo("a", "done")]);
    expect(w.live.deps).toEqual([]);
  });

  const step = fc.oneof(
    fc.record({ op: fc.constant("user" as const), text: fc.string({ minLength: 1 }) }),
    fc.record({ op: fc.constant("answer" as const), text: fc.string(), calls: fc.nat(3) }),
    fc.record({ op: fc.constant("result" as const), pick: fc.nat(5) }),
    fc.record({ op: fc.constant("rewind" as const), back: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ op: fc.constant("queue" as const), text: fc.string() }),
    fc.record({ op: fc.constant("mode" as const) }),
    fc.record({ op: fc.constant("model" as const), name: fc.constantFrom("m", "n") }),
    fc.record({ op: fc.constant("abort" as const) }),
  );

  it("P6 AI1 PI2 live state equals replay(log) after every event, and replay(a ++ b) equals apply(replay(a), b)", () => {
    let sequences = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.nat(), (steps, cut) => {
        const w = new Writer().start();
        let call = 0;
        for (const s of steps) {
          if (s.op === "user") w.user(s.text);
          else if (s.op === "answer")
            w.assistant(
              s.text,
              Array.from({ length: s.calls }, () => `c${call++}`),
            );
          else if (s.op === "result") {
            const open = w.live.openCalls[s.pick % Math.max(1, w.live.openCalls.length)];
            if (open) w.result(open.toolCallId);
          } else if (s.op === "rewind") w.rewind(String(s.back));
          else if (s.op === "queue")
            w.emit("message.queued", { messageId: `q${call++}`, content: s.text, delivery: "steer" });
          else if (s.op === "mode")
            w.emit("session.mode_changed", {
              previousMode: w.live.mode,
              newMode: w.live.mode === "plan" ? "interactive" : "plan",
            });
          else if (s.op === "model") w.emit("session.model_change", { newModel: s.name, cause: "user" });
          else w.emit("abort", { reason: "user", turnId: "t" });
        }
        const logged = JSON.parse(JSON.stringify(w.events)) as DurableEnvelope[];
        const replayed = replay(logged);
        expect(canonicalJson(plainState(replayed))).toBe(canonicalJson(plainState(w.live)));
        const at = cut % (logged.length + 1);
        const resumed = replay(logged.slice(0, at));
        for (const e of logged.slice(at)) applyEvent(resumed, e);
        expect(canonicalJson(plainState(resumed))).toBe(canonicalJson(plainState(replayed)));
        sequences++;
      }),
      { numRuns: SEQUENCES },
    );
    expect(sequences).toBe(SEQUENCES);
  });
});
