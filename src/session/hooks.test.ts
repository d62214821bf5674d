import { describe, expect, it } from "vitest";
import { promptHook, stopHook } from "./hooks.ts";
import { bench, type Hooks } from "./tool-call-fixture.ts";

const message = { messageId: "m1", content: "do it", source: "user" as const };

function opened(hooks: Hooks) {
  const made = bench({ hooks });
  return { ...made, types: () => made.events.map((e) => e.type) };
}

describe("promptHook", () => {
  it("O80 O89 the prompt is changed and added to; what the person typed is still shown", async () => {
    const { session } = opened({
      userPromptSubmitted: ({ prompt }) => ({ modifiedPrompt: `${prompt} well`, additionalContext: "It is late." }),
    });
    expect(await promptHook(session, message)).toEqual({
      type: "go",
      input: { ...message, content: "do it well\n\nIt is late.", display: "do it" },
    });
  });

  it("O89 a blocked prompt leaves the queue, is told of, and starts nothing", async () => {
    const { session, types } = opened({ userPromptSubmitted: () => ({ block: { reason: "not now" } }) });
    session.state.queue.push({ messageId: "m1", content: "do it", delivery: "queue" });
    expect(await promptHook(session, message)).toEqual({ type: "blocked" });
    expect(types()).toEqual(["message.dequeued", "session.error"]);
    expect(session.live.turn.last?.status).toBe("failed");
  });

  it("O92 only what a person says passes it", async () => {
    const { session, trace } = opened({});
    for (const input of [{ ...message, source: "hook" as const }, { source: "notification" as const }])
      expect(await promptHook(session, input)).toEqual({ type: "go", input });
    expect(trace).toEqual([]);
  });

  it("O93 an interrupt ends the hook, and the message is not sent", async () => {
    const made = opened({
      userPromptSubmitted: (_input, signal) => {
        made.session.live.turn.abort?.abort("user");
        expect(signal.aborted).toBe(true);
        return {};
      },
    });
    expect(await promptHook(made.session, message)).toEqual({ type: "blocked" });
    expect(made.session.live.turn).toMatchObject({ abort: undefined, last: { status: "aborted" } });
  });
});

describe("stopHook", () => {
  it("O68 OB12 a hook that always blocks is heard as often as allowed, then the limit is told; a new message starts anew", async () => {
    const active: boolean[] = [];
    const { session, types } = opened({
      agentStop: ({ stopHookActive }) => {
        active.push(stopHookActive);
        return { block: { reason: "more" } };
      },
    });
    for (let n = 0; n < 5; n++) expect(await stopHook(session)).toBe("more");
    expect(types()).toEqual([]);
    expect(await stopHook(session)).toBeUndefined();
    expect(types()).toEqual(["hook.block_limit"]);
    expect(active).toEqual([false, true, true, true, true, true]);
    await promptHook(session, message);
    expect(await stopHook(session)).toBe("more");
  });
});
