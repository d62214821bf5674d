// What the rule over the editor says of a turn: calls that failed are counted, those that the person stopped are not.
import { expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { lookOf } from "../theme/look.ts";
import { renderActivity } from "../view/activity.ts";
import { idle, reduceActivity } from "./activity.ts";

const event = (type: string, data: object): Envelope =>
  ({ id: "e", parentId: null, timestamp: "2026-11-18T08:00:00.000Z", type, data }) as Envelope;
const call = (id: string, end: object): Envelope[] => [
  event("tool.execution_start", { toolCallId: id, toolName: "bash", arguments: { command: "npm test" } }),
  event("tool.execution_complete", { toolCallId: id, toolName: "bash", result: { content: "" }, ...end }),
];

function ruleAfter(status: string, ...calls: Envelope[]): string {
  const events = [event("turn.start", {}), ...calls, event("turn.end", { status, durationMs: 12_000 })];
  const { last } = events.reduce(reduceActivity, idle);
  return stripAnsi(renderActivity(undefined, last, { now: 0, hasMotion: false }, 60, lookOf())).replace(/ ?─+ ?/g, "");
}

it("F11 F24 how the last turn went: time, calls and failures; what was interrupted is no failure", () => {
  const failed = call("a", { success: true, result: { content: "no\n[exit code 2, 0.1 s]" } });
  expect(ruleAfter("done", ...failed, ...call("b", { success: true }))).toBe("done in 12s · 2 calls · 1 failed");
  const stopped = call("c", { success: false, resultType: "interrupted" });
  expect(ruleAfter("aborted", ...stopped)).toBe("interrupted after 12s · 1 call");
});

it("F11 what runs is named with its command", () => {
  const [start] = call("a", {});
  const { now } = [event("turn.start", {}), start as Envelope].reduce(reduceActivity, idle);
  expect(now?.words).toBe("running npm test");
});
