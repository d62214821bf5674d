// Autopilot's decision at idle, from the events alone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageSource, TurnStatus } from "../../schema/event/conversation.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { AgentMode } from "../../schema/permission.ts";
import { event } from "../event-fixture.ts";
import { autopilotFacts, decide } from "./decide.ts";

const start = event("session.start", { mode: "autopilot" });
const message = (source: MessageSource) => event("user.message", { source, content: "go" });
const ended = (status: TurnStatus = "done") => event("turn.end", { status });
const complete = (success?: boolean) =>
  event("session.task_complete", success === undefined ? {} : { summary: "s", success });
const turn = (source: MessageSource, status?: TurnStatus) => [message(source), ended(status)];
const mode = (newMode: AgentMode, previousMode: AgentMode = "autopilot") =>
  event("session.mode_changed", { previousMode, newMode });

const at = (events: DurableEnvelope[], limit = 5, now: AgentMode = "autopilot") =>
  decide(autopilotFacts(events, now), now, limit);

describe("autopilot", () => {
  it("O120 an idle session that is not complete goes on, as often as the limit allows", () => {
    const events = [start, ...turn("user")];
    for (let n = 0; n < 3; n++) {
      expect(at(events, 3)).toMatchObject({ type: "continue", prompt: expect.stringContaining("task_complete") });
      events.push(...turn("autopilot"));
    }
    expect(at(events, 3)).toEqual({ type: "stop", reason: "max_continuations", continuations: 3 });
    expect(at([start, ...turn("user")], 0)).toMatchObject({ reason: "max_continuations", continuations: 0 });
  });

  it("O120 the count restarts at a real message, not at a notification or a hook's reason", () => {
    const worked = [start, ...turn("user"), ...turn("autopilot"), ...turn("autopilot")];
    expect(at([...worked, ...turn("notification"), ...turn("hook")], 2)).toMatchObject({
      reason: "max_continuations",
    });
    expect(at([...worked, ...turn("user")], 2)).toMatchObject({ type: "continue" });
    expect(at([...worked, ...turn("command")], 2)).toMatchObject({ type: "continue" });
  });

  it("O119 O122 completion stops it, and success:false means that it gave up", () => {
    const asked = [start, message("user")];
    expect(at([...asked, complete(), ended()])).toMatchObject({ type: "stop", reason: "task_complete" });
    expect(at([...asked, complete(true), ended()])).toMatchObject({ reason: "task_complete" });
    expect(at([...asked, complete(false), ended()])).toMatchObject({ reason: "gave_up" });
    expect(at([...asked, complete(true), ended(), ...turn("notification", "failed")])).toMatchObject({
      reason: "task_complete",
    });
    expect(at([...asked, complete(), ended(), ...turn("user")])).toMatchObject({ type: "continue" });
  });

  it("O122 an error, a limit, an abort and a change of mode stop it", () => {
    expect(at([start, ...turn("user", "failed")])).toMatchObject({ reason: "error" });
    expect(at([start, ...turn("user", "limit")])).toMatchObject({ reason: "error" });
    expect(at([start, ...turn("user", "aborted")])).toMatchObject({ reason: "aborted" });
    expect(at([start, ...turn("user"), mode("interactive")], 5, "interactive")).toMatchObject({
      reason: "mode_changed",
    });
  });

  it("O122 a stop is told once", () => {
    const stopped = event("session.autopilot_stopped", { reason: "error", continuations: 0 });
    expect(at([start, ...turn("user", "failed"), stopped])).toEqual({ type: "nothing" });
    expect(at([start, ...turn("user", "failed"), stopped, ...turn("user")])).toMatchObject({ type: "continue" });
  });

  it("O118 other modes know nothing of it; switched on within a turn it counts from then on", () => {
    const interactive = event("session.start", { mode: "interactive" });
    expect(at([interactive, ...turn("user")], 5, "interactive")).toEqual({ type: "nothing" });
    expect(at([interactive, message("user"), mode("autopilot", "plan"), ended()])).toMatchObject({ type: "continue" });
    expect(at([start])).toEqual({ type: "nothing" });
    expect(at([start, mode("research"), ...turn("command"), mode("autopilot", "research")])).toEqual({
      type: "nothing",
    });
  });

  it("O71 what subagents do counts for nothing", () => {
    const child = event("turn.end", { status: "failed" }, "agent-1");
    expect(at([start, ...turn("user"), child])).toMatchObject({ type: "continue" });
  });

  it("OI11 whatever the turns do, continuations stay within the limit", () => {
    const statuses = fc.array(fc.constantFrom<TurnStatus>("done", "done", "done", "failed", "aborted"), {
      minLength: 60,
      maxLength: 60,
    });
    fc.assert(
      fc.property(statuses, fc.integer({ min: 0, max: 20 }), (outcomes, limit) => {
        const events = [start, ...turn("user", outcomes[0])];
        let continued = 0;
        for (const status of outcomes.slice(1)) {
          const decision = at(events, limit);
          if (decision.type === "stop")
            events.push(event("session.autopilot_stopped", { ...decision, reason: decision.reason }));
          if (decision.type !== "continue") continue;
          continued++;
          events.push(...turn("autopilot", status));
        }
        expect(continued).toBeLessThanOrEqual(limit);
        expect(at(events, limit)).toEqual({ type: "nothing" });
      }),
    );
  });
});
