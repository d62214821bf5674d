// A cut whose items are stored while the anchor is made: what is planned a second time, and what is asked of memory.
import { describe, expect, it } from "vitest";
import { ok } from "../../base/result.ts";
import type { PromptQuestion, RequestPlanInput } from "../plan/contract.ts";
import { newLane } from "../plan/plan.ts";
import { bodyOf, budget, itemsOf, rawsAt, settings, words } from "../plan/plan-fixture.ts";
import type { StorableItem } from "../remember/store-items.ts";
import type { ItemSighting } from "../store/see.ts";
import type { ProxySession } from "../store/session.ts";
import type { PlanContext } from "./context.ts";
import { storedPlan } from "./stored-plan.ts";

const turns = Array.from({ length: 30 }, (_, n) => ({
  prompt: `prompt ${n}`,
  steps: [{ reasoning: false, calls: [{ text: words(300, `t${n}`) }] }],
  answer: `answer ${n}`,
}));
const body = bodyOf("openai-chat", rawsAt("openai-chat", turns, { turn: 29, step: 1 }));
const items = itemsOf(body);
const session = { id: "s1", no: 1, path: "sessions/s1" } as ProxySession;

/** Storage that refuses items, and an anchor that says nothing until items have left. */
async function planned(refused: readonly string[] = []) {
  const asked: PromptQuestion[] = [];
  const ensured = new Set<string>();
  let [refsTaken, hasLeft] = [0, false];
  const remember = {
    ensure: async (_session: unknown, _lane: number, given: readonly StorableItem[]) => {
      for (const { own } of given) ensured.add(own);
      return ok({ refused: given.map(({ own }) => own).filter((own) => refused.includes(own)) });
    },
    drop: async () => {
      hasLeft = true;
      return ok(undefined);
    },
    anchor: async () => ok(undefined),
  };
  const context = { remember, settings: { anchor: { fileMaxChars: 1_000 } } } as unknown as PlanContext;
  const sight = { take: async () => void refsTaken++ } as unknown as ItemSighting;
  const input: RequestPlanInput = {
    ...{ body, items, fixedTokens: 60, kind: "main", mode: "normal", budget, model: "m", settings },
    lane: newLane({ kind: "main", tools: ["bash"], system: "s" }),
    refOf: ({ at }) => `s1:t1.${at}`,
    recall: async (question) => {
      asked.push(question);
      return { snippets: [] };
    },
  };
  const state = async (): Promise<string> => (hasLeft ? `<everlong_state>\n${words(200)}\n</everlong_state>` : "");
  const outcome = await storedPlan(context, input, { session, lane: 1, state, sight });
  if (!outcome.ok) throw new Error(outcome.error.what);
  return { plan: outcome.value, asked, refsTaken, ensured };
}

describe("a cut", () => {
  it("N33 is made once when the anchor fits beside it, and memory is asked one question", async () => {
    const { plan, asked, refsTaken } = await planned();
    expect(plan.newState).toBe(true);
    expect(refsTaken).toBe(1);
    expect(new Set(asked.map(({ standing }) => [...standing].join(" "))).size).toBe(1);
    expect(plan.tokensSent).toBeLessThanOrEqual(budget.high);
  });

  it("X71 is made with its first prompt stored, which the anchor names", async () => {
    const { plan, ensured } = await planned();
    const first = items.find(({ role }) => role === "user");
    expect(plan.dropped).not.toContain(first);
    expect(ensured).toContain(first?.own);
  });

  it("X42 is made anew without the items that could not be stored", async () => {
    const usual = await planned();
    const own = usual.plan.dropped[3]?.own ?? "";
    const { plan, refsTaken } = await planned([own]);
    expect(own).not.toBe("");
    expect(plan.dropped.map((item) => item.own)).not.toContain(own);
    expect(plan.dropped.length).toBeGreaterThan(0);
    expect(refsTaken).toBe(2);
  });
});
