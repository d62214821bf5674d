// What holds of every planned request, over random histories of all four wires that grow turn by turn.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newIssued } from "../../../test/model-server/issued.ts";
import { findViolation } from "../../../test/model-server/strict/check.ts";
import { isRecord } from "../../base/json.ts";
import { groups } from "../../model/wire/group.ts";
import type { Insertion } from "../contract.ts";
import { below, halved, type RequestBudget } from "./budget.ts";
import {
  bodyOf,
  budget,
  itemsOf,
  LaneRun,
  momentsOf,
  rawsAt,
  type Sent,
  strictRequest,
  type Turn,
  turns,
  wires,
} from "./plan-fixture.ts";
import type { QuotedSnippet } from "./recall-block.ts";

const snippets: QuotedSnippet[] = ["one thing that was said", "another thing"].map((text, index) => ({
  text,
  ref: `t${index}.1`,
  role: "tool",
  score: 1,
  from: "session",
}));
const recall = async () => ({ snippets });
const STATE = "<everlong_state>\n<todo>\n- go on\n</todo>\n</everlong_state>";
const runs = { numRuns: 30 };

const violation = (wire: Sent["body"]["wire"], bytes: Buffer): string | undefined =>
  findViolation(strictRequest(wire, bytes), newIssued());

type Pass = { sent: Sent; before: Sent | undefined };
/** All requests of a session, one after the other. */
async function session(
  wire: Parameters<typeof rawsAt>[0],
  history: readonly Turn[],
  check: (pass: Pass) => void,
  more: { state?: (index: number) => string; budget?: RequestBudget } = {},
): Promise<void> {
  const run = new LaneRun(wire);
  let before: Sent | undefined;
  for (const [index, moment] of momentsOf(history).entries()) {
    const state = more.state?.(index) ?? STATE;
    const sent = await run.send(rawsAt(wire, history, moment), { state, recall, budget: more.budget ?? budget });
    check({ sent, before });
    before = sent;
  }
}
const sessions = (check: (pass: Pass) => void, more?: Parameters<typeof session>[3]) =>
  fc.assert(
    fc.asyncProperty(wires, turns, (wire, history) => session(wire, history, check, more)),
    runs,
  );

const texts = (value: unknown): string => JSON.stringify(value);

describe("every planned request", () => {
  it("XI1 PI6 X44 is valid for its format, whatever was left out, shortened or put in", async () => {
    let cuts = 0;
    await sessions(({ sent }) => {
      if (sent.newEpoch) cuts++;
      expect(violation(sent.body.wire, sent.bytes)).toBeUndefined();
    });
    expect(cuts).toBeGreaterThan(20);
  });

  it("XI2 X40 kept items have their bytes, order is the client's, everything beside the history is as received", async () => {
    await sessions(({ sent }) => {
      const { body, bytes, pieces } = sent;
      expect(bytes.subarray(0, body.history.start).equals(body.bytes.subarray(0, body.history.start))).toBe(true);
      const rest = body.bytes.subarray(body.history.end);
      expect(bytes.subarray(bytes.length - rest.length).equals(rest)).toBe(true);
      const places = pieces.flatMap((piece) => (piece.type === "kept" ? [piece.at] : []));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      for (const piece of pieces) {
        if (piece.type === "made" && !piece.id.includes("/"))
          expect(sent.lane.cut?.shortened[piece.id]).toBe(piece.json);
      }
    });
  });

  it("XI4 X38 X79 within an epoch each request extends the one before it, also when every lane state is read back from JSON", async () => {
    let compared = 0;
    let breaks = 0;
    await sessions(
      ({ sent, before }) => {
        if (!before) return;
        const settled = before.history.slice(0, -1).map(texts);
        const shares = sent.history.slice(0, settled.length).map(texts);
        if (sent.newEpoch) breaks += texts(settled) === texts(shares) ? 0 : 1;
        else {
          compared++;
          expect(shares).toEqual(settled);
          expect(sent.lane.epoch).toBe(before.lane.epoch);
        }
      },
      { state: (index) => STATE.replace("go on", `step ${index % 5}`) },
    );
    expect(compared).toBeGreaterThan(200);
    expect(breaks).toBeGreaterThan(5);
  });

  it("XI5 is at most usable, or nothing more could be left out", async () => {
    let cuts = 0;
    await sessions(({ sent }) => {
      if (sent.newEpoch) cuts++;
      if (sent.tokensSent <= budget.usable) return;
      const droppable = sent.rows.filter(({ action, kind }) => action === "keep" && kind === "message");
      // System, head, newest prompt and the newest group with up to four calls.
      expect(droppable.length).toBeLessThanOrEqual(12);
    });
    expect(cuts).toBeGreaterThan(20);
  });

  it("XI6 PI6 P27 X35 X41 X42 holds the state, the head, the newest prompt and the newest group", async () => {
    await sessions(({ sent }) => {
      const whole = texts(sent.history);
      expect(whole).toContain("- go on");
      const kept = new Set(sent.rows.filter(({ action }) => action !== "drop").map(({ at }) => at));
      const first = sent.items.findIndex(({ role }) => role === "assistant");
      for (const { at } of sent.items.slice(0, first === -1 ? undefined : first)) expect(kept).toContain(at);
      const prompt = sent.items.findLast(({ isPrompt }) => isPrompt);
      expect(kept).toContain(prompt?.at);
      const newest = groups(sent.items).findLast(({ kind }) => kind === "step");
      for (const at of newest?.indexes ?? []) expect(kept).toContain(at);
      expect(kept).toContain(sent.items.at(-1)?.at);
    });
  });

  it("X62 X78 blocks stand at the tail: nothing but what the client sent last comes after or holds a new one", async () => {
    await sessions(({ sent, before }) => {
      const old = new Set(before?.lane.insertions.map(key));
      const added = sent.lane.insertions.filter((one) => one.kind !== "notice" && !old.has(key(one)));
      for (const { anchor } of added) expect(anchor).toBe(sent.items.at(-1)?.id);
      for (const item of sent.history.filter(isRecord)) {
        if (["system", "developer"].includes(String(item["role"]))) expect(texts(item)).not.toContain("everlong_");
      }
    });
  });

  it("X96 PI7 rows and figures describe what is sent", async () => {
    await sessions(({ sent }) => {
      const { rows } = sent;
      expect(rows.filter(({ at }) => at !== undefined)).toHaveLength(sent.items.length);
      const sum = (sized: readonly { tokens: number }[]): number =>
        sized.reduce((total, { tokens }) => total + tokens, 60);
      expect(sent.tokensIn).toBe(sum(sent.items));
      expect(sent.tokensSent).toBe(sum(rows.filter(({ action }) => action !== "drop")));
      expect(rows.filter(({ action }) => action === "drop")).toHaveLength(sent.dropped.length);
      expect(rows.filter(({ action }) => action === "shorten")).toHaveLength(sent.shortened.length);
    });
  });

  it("XB13 X47 calls that lost their results and results that lost their calls are repaired in every cut request", async () => {
    let cuts = 0;
    const plain = turns.map((all) =>
      all.map((turn) => ({ ...turn, steps: turn.steps.map((step) => ({ ...step, reasoning: false })) })),
    );
    const lost = fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(wires, plain, lost, async (wire, history, gone) => {
        const raws = withIds(rawsAt(wire, history, momentsOf(history).at(-1) ?? { turn: 0, step: 0 }));
        const seen = itemsOf(bodyOf(wire, raws)).filter(({ role }) => role !== "system");
        const mayGo = seen.map(({ toolCallIds, toolResultFor }) => toolCallIds.length + toolResultFor.length > 0);
        const left = raws.filter((_, at) => !mayGo[at] || !gone.includes(at));
        const sent = await new LaneRun(wire).send(left, { state: STATE });
        if (sent.newEpoch) cuts++;
        expect(violation(wire, sent.bytes)).toBeUndefined();
      }),
      { numRuns: 150 },
    );
    expect(cuts).toBeGreaterThan(10);
  });

  it("X91 after a refusal the same request comes out smaller, twice", async () => {
    await fc.assert(
      fc.asyncProperty(wires, turns, async (wire, history) => {
        const moment = momentsOf(history).at(-1);
        const raws = rawsAt(wire, history, moment ?? { turn: 0, step: 0 });
        const learned: RequestBudget = { ...budget, window: 5_000, usable: 4_000, high: 3_200 };
        const run = new LaneRun(wire);
        const { lane } = run;
        const first = await run.send(raws);
        const smaller = below(learned, first.tokensSent);
        const second = await run.send(raws, { lane, mode: "context-error", budget: smaller });
        const third = await run.send(raws, { lane, mode: "context-error", budget: halved(smaller) });
        expect(second.newEpoch).toBe("context-error");
        expect(second.tokensSent).toBeLessThanOrEqual(first.tokensSent);
        expect(third.tokensSent).toBeLessThanOrEqual(second.tokensSent);
        expect(violation(wire, third.bytes)).toBeUndefined();
      }),
      runs,
    );
  });
});

const key = ({ kind, anchor, text }: Insertion): string => `${kind} ${anchor} ${text}`;

/** Gemini's calls with ids: without them nobody could tell which result is missing. */
const withIds = (raws: readonly unknown[]): unknown[] =>
  raws.map((raw, at) => {
    if (!isRecord(raw) || !Array.isArray(raw["parts"])) return raw;
    const parts = raw["parts"].map((part: Record<string, object>, k) => {
      const { functionCall, functionResponse } = part;
      if (functionCall) return { ...part, functionCall: { id: `c${at}-${k}`, ...functionCall } };
      return functionResponse ? { functionResponse: { id: `c${at - 1}-${k}`, ...functionResponse } } : part;
    });
    return { ...raw, parts };
  });
