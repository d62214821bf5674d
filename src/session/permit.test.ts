// The one door is the same for every actor.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { HookOpinion } from "../permission/policy.ts";
import { rules } from "../permission/test-place.ts";
import type { PermissionAnswer } from "../schema/permission.ts";
import { type BenchOptions, bench } from "./tool-call-fixture.ts";

const lists = ["write", "write(a)", "write(b)", "hook", "read"];
const list = fc.subarray(lists).map((texts) => rules(...texts));
const policy = fc.record({
  deny: list,
  ask: list,
  allow: list,
  session: list,
  allowAll: fc.boolean(),
  mode: fc.constantFrom("interactive", "plan", "autopilot"),
});
const opinion: fc.Arbitrary<HookOpinion | undefined> = fc.option(
  fc.record({ decision: fc.constantFrom("allow", "deny", "ask"), reason: fc.constant("r") }),
  { nil: undefined },
);
const answer = fc.constantFrom<BenchOptions["answer"]>(undefined, { type: "once" }, { type: "reject" });
const calls = [
  { name: "touch", args: { path: "a" } },
  { name: "touch", args: { path: ".git/config" } },
  { name: "touch", args: { path: "/elsewhere/a" } },
  { name: "sql", args: { query: "q" } },
];

it("O67 a call that was stopped before its question does not wait for the answer to another one", async () => {
  const open = Promise.withResolvers<PermissionAnswer>();
  const b = bench({ answer: open.promise });
  const { permission, tools } = b.session.parts;
  const tool = tools.offered().tools[0];
  if (!tool) throw new Error("no tool");
  const touch = (path: string, signal: AbortSignal) =>
    permission.permit({ toolCallId: path, tool, input: { path }, signal });
  const asked = touch("a", new AbortController().signal);
  await expect.poll(() => b.questions.length).toBe(1);
  expect(await touch("b", AbortSignal.abort())).toMatchObject({ type: "deny", code: "interrupted" });
  open.resolve({ type: "once" });
  expect((await asked).type).toBe("allow");
});

it("F42 a question that ends with its turn is nobody's refusal, neither in the log nor for the model", async () => {
  const open = Promise.withResolvers<PermissionAnswer>();
  const b = bench({ answer: open.promise });
  const { permission, tools } = b.session.parts;
  const tool = tools.offered().tools[0];
  if (!tool) throw new Error("no tool");
  const stop = new AbortController();
  const asked = permission.permit({ toolCallId: "a", tool, input: { path: "a" }, signal: stop.signal });
  await expect.poll(() => b.questions.length).toBe(1);
  stop.abort();
  open.resolve({ type: "reject" });
  const message = "Interrupted before anybody answered about write a.";
  expect(await asked).toEqual({ type: "deny", code: "interrupted", message });
  const completed = b.events.find(({ type }) => type === "permission.completed");
  expect(completed?.data).toMatchObject({ result: "denied", reason: message });
});

it("OI7 O65 whatever the rules, hooks and answers: a subagent's call is decided as the main agent's would be", async () => {
  await fc.assert(
    fc.asyncProperty(policy, opinion, answer, async (rulesNow, said, reply) => {
      const hooks = said ? { preToolUse: () => ({ opinion: said }) } : {};
      const decided = async (agent?: string) => {
        const b = bench({ policy: rulesNow, hooks, ...(reply ? { answer: reply } : {}), ...(agent ? { agent } : {}) });
        const results = await b.run(calls);
        return { results, asked: b.questions.map(({ request, reason }) => ({ request, reason })) };
      };
      expect(await decided("scout")).toEqual(await decided());
    }),
    { numRuns: 60 },
  );
});
