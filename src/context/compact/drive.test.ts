// Whole attempts as a session drives them: real token counts, many compactions in a row, and no loop.
import { beforeAll, describe, expect, it } from "vitest";
import { tokenCounter } from "../../model/tokens/counter.ts";
import { countItem } from "../../model/tokens/measure.ts";
import { applyCompaction } from "./apply.ts";
import { fixedTokens } from "./budget.ts";
import type { Carried } from "./carried.ts";
import {
  answer,
  conversation,
  prompt,
  SUMMARY,
  said,
  scripted,
  settings,
  sizes,
  step,
  target,
} from "./compact-fixture.ts";
import { decideCompaction, enoughMessages } from "./decide.ts";
import { finishAttempt } from "./finish.ts";
import { type SessionItem, tokensOf } from "./items.ts";
import { planAttempt } from "./plan.ts";
import { type CompactionState, initialState, nextState } from "./state.ts";
import { writeSummary } from "./write-summary.ts";

beforeAll(() => tokenCounter.load());

const count = (text: string) => tokenCounter.countNow(text);
const counted = (items: readonly SessionItem[]): Promise<SessionItem[]> =>
  Promise.all(items.map(async (item) => ({ ...item, tokens: await countItem(item) })));
const words = (many: number, word: string) => `${word} and then some more of it, `.repeat(Math.ceil(many / 8));

type Ran = { items: SessionItem[]; targetTokens: number; content: string };

async function compact(
  items: readonly SessionItem[],
  limit: number,
  fixed: number,
  carried: Carried,
  background = 0.8,
): Promise<Ran> {
  const planSizes = sizes(limit, fixed);
  const plan = { ...settings, background };
  const planned = planAttempt({ items, sizes: planSizes, settings: plan, trigger: "threshold" });
  if (planned.type !== "planned") throw new Error(planned.type);
  const { end } = await writeSummary(
    scripted(planned.plan.replaced, [answer(SUMMARY.replace("It began", words(9_000, "it began")))], {
      budget: planned.plan.budget,
      effectiveLimit: limit,
      fixedTokens: fixed,
      count,
      ...(carried.checkpointNumber === 0 ? { target: { ...target, provider: "offline" } } : {}),
    }),
  );
  if (end.type !== "summary") throw new Error(end.type);
  const finished = await finishAttempt({
    plan: planned.plan,
    summary: end.parts,
    trigger: "threshold",
    items,
    sizes: planSizes,
    settings: plan,
    carried,
    count,
    countItem: (item) => countItem(item),
  });
  if (finished.type !== "applied") throw new Error(finished.reason);
  const after = applyCompaction(items, { id: `k${items.length}`, ...finished }) ?? [];
  expect(finished.figures.postCompactionTokens).toBeLessThanOrEqual(finished.targetTokens);
  return { items: await counted(after), targetTokens: finished.targetTokens, content: finished.replacementContent };
}

describe("a whole attempt", () => {
  it.each([14_000, 24_000, 200_000])(
    "CE8 at limit %d state is carried over the first and the third compaction, total ≤ T",
    async (limit) => {
      const log: SessionItem[] = [];
      let items: SessionItem[] = [];
      for (let round = 1; round <= 3; round++) {
        const turns = [0, 1, 2, 3].flatMap((at) => {
          const turn = round * 4 + at - 3;
          const id = `r${round}-${at}`;
          return [
            prompt(`p${id}`, turn, `PROMPT-${turn} ${words(limit / 5, "long prompt")}`),
            ...step(id, turn),
            said(`a${id}`, turn),
          ];
        });
        const added = await counted(turns);
        log.push(...added);
        items = [...items, ...added];
        const carried: Carried = {
          prompts: log.filter((item) => item.isPrompt).map(({ id, turn, raw }) => ({ id, turn, text: raw.content })),
          plan: `PLAN ${words(2_000, "plan")}`,
          todos: [{ title: `TODO ${words(500, "todo")}`, status: "pending" }],
          skills: [
            { name: "SKILL-ONE", path: "/one", content: "one" },
            { name: "SKILL-TWO", path: "/two", content: words(2_000, "two") },
          ],
          agent: { name: "AGENT", purpose: "helps", instructions: words(2_000, "agent") },
          checkpointNumber: round,
          recallOn: true,
        };
        const ran = await compact(items, limit, 4_500, carried);
        items = ran.items;
        expect(4_500 + tokensOf(items)).toBeLessThanOrEqual(ran.targetTokens);
        for (const word of ["PROMPT-1 ", "PLAN", "TODO", "SKILL-TWO", "AGENT", "Run the tests.", `checkpoint ${round}`])
          expect(ran.content, `${word} in round ${round}`).toContain(word);
        expect(ran.content.match(/<compaction_notice>/g)).toHaveLength(1);
      }
    },
  );

  it("C86 C99 the offline model's own summary survives a second compaction", async () => {
    const carried: Carried = { prompts: [], recallOn: true, checkpointNumber: 0 };
    const first = await compact(await counted(conversation(10, 4_000)), 24_000, 3_000, carried);
    const more = (await counted(conversation(10, 4_000))).map((item) => ({
      ...item,
      id: `x${item.id}`,
      turn: item.turn + 10,
    }));
    const second = await compact([...first.items, ...more], 24_000, 3_000, carried);
    expect(second.content).toContain("First request [t1]");
    expect(second.content.match(/<overview>/g)).toHaveLength(1);
  });

  it.each([
    [0.05, 3_000],
    [0.05, 12_000],
    [0.8, 12_000],
  ])(
    "CB10 C105 with background %d and a fixed part of %d it compacts only after 0.1 E of new text",
    async (background, fixed) => {
      const limit = 24_000;
      let state: CompactionState = initialState;
      let items: SessionItem[] = [];
      let marker: number | undefined;
      let fresh = 0;
      let compactions = 0;
      for (let turn = 1; turn <= 60; turn++) {
        const added = await counted([
          prompt(`p${turn}`, turn),
          ...step(`s${turn}`, turn, words(300, "output")),
          said(`a${turn}`, turn),
        ]);
        items = [...items, ...added];
        fresh += tokensOf(added);
        const u = (fixedTokens(sizes(limit, fixed)) + tokensOf(items)) / limit;
        state = nextState(state, { type: "measured", historyTokens: tokensOf(items) });
        const enough = () =>
          enoughMessages({ items, marker, minMessages: 4, u, exhaustion: 0.95, effectiveLimit: limit });
        const decision = decideCompaction(state, {
          mode: "on",
          u,
          background,
          exhaustion: 0.95,
          forced: false,
          enough,
        });
        const plan = () =>
          planAttempt({
            items,
            sizes: sizes(limit, fixed),
            settings: { ...settings, background },
            trigger: "threshold",
          });
        if (decision === "send" || plan().type === "nothing_to_compact") continue;
        expect(decision).toBe("start");
        if (compactions > 0) expect(fresh).toBeGreaterThanOrEqual(0.1 * limit);
        state = nextState(nextState(state, { type: "started", trigger: "threshold" }), { type: "summarised" });
        expect(decideCompaction(state, { mode: "on", u, background, exhaustion: 0.95, forced: false, enough })).toBe(
          "apply",
        );
        ({ items } = await compact(items, limit, fixed, { prompts: [], recallOn: true }, background));
        state = nextState(state, { type: "ended", outcome: "applied", historyTokens: tokensOf(items) });
        marker = items.length;
        fresh = 0;
        compactions++;
        expect(enough()).toBe(false);
      }
      expect(compactions).toBeGreaterThan(1);
    },
  );
});
