// The window: what preparing a request costs as a session grows, how much of it the provider's cache can serve, calls per summary.
import type { SummaryInput } from "../src/context/compact/summary-input.ts";
import { writeSummary } from "../src/context/compact/write-summary.ts";
import type { CallOutcome } from "../src/model/contract.ts";
import { tokenCounter } from "../src/model/tokens/counter.ts";
import { countItem } from "../src/model/tokens/measure.ts";
import { prepareRequest } from "../src/session/prepare.ts";
import { type Item, sessionOf, target, turn } from "../src/session/prepare-fixture.ts";
import type { Session } from "../src/session/session.ts";
import { alternate, timed } from "./measure.ts";

const never = new AbortController().signal;

async function preparation(): Promise<void> {
  const sessions = [1_000, 10_000].map((count) =>
    sessionOf(Array.from({ length: count / 2 }, () => turn(800)).flat(), 50_000_000),
  );
  await tokenCounter.load();
  for (const session of sessions) await prepareRequest(session, never, false);
  const grow = async (session: Session): Promise<number> => {
    session.state.items.push(...turn(800));
    const withNew = await timed(() => prepareRequest(session, never, false));
    const again = await timed(() => prepareRequest(session, never, false));
    return Math.max(0.001, withNew - again);
  };
  const whole = (session: Session) => () => timed(() => prepareRequest(session, never, false));
  const [small, large] = sessions as [Session, Session];
  const told = (name: string, m: { baseline: number; product: number }, goal: string): void =>
    console.log(
      `${name}: ${m.product.toFixed(2)} ms, baseline ${m.baseline.toFixed(2)} ms, ratio ${(m.product / m.baseline).toFixed(2)} (target ${goal})`,
    );
  for (let n = 0; n < 20; n++) for (const session of sessions) await grow(session);
  told("C151 preparing at 10,000 messages / at 1,000", await alternate(41, whole(small), whole(large)), "<= 2");
  told(
    "what the newest turn adds to it, 10,000 / 1,000",
    await alternate(
      101,
      () => grow(small),
      () => grow(large),
    ),
    "<= 2",
  );
  const body = () => timed(() => JSON.stringify(large.state.items.map((item) => item.raw)));
  told("C150 preparing at 10,000 / one JSON.stringify of them", await alternate(41, body, whole(large)), "<= 0.5");
  const cut = () => {
    const fresh = sessionOf(large.state.items, 500_000);
    return timed(() => prepareRequest(fresh, never, false));
  };
  told("C150 computing a new cut at 10,000 / one JSON.stringify of them", await alternate(21, body, cut), "<= 2");
  const huge = sessionOf(Array.from({ length: 50_000 }, () => turn(800)).flat(), 500_000_000);
  await prepareRequest(huge, never, false);
  told("C151 preparing at 100,000 messages / at 1,000", await alternate(5, whole(small), whole(huge)), "printed");
  const before = tokenCounter.tokenisedChars;
  const added = turn(800);
  large.state.items.push(...added);
  await prepareRequest(large, never, false);
  const chars = added.reduce((sum, { raw }) => sum + raw.content.length, 0);
  console.log(
    `characters tokenised / characters added: ${((tokenCounter.tokenisedChars - before) / chars).toFixed(3)} (target <= 1.05)`,
  );
}

/** Of the previous request's bytes, how many the next one begins with. */
function shared(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return at / before.length;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

async function prefixes(): Promise<void> {
  const limit = 64_000;
  const session = sessionOf([], limit);
  const ours: number[] = [];
  const sliding: number[] = [];
  let breaks = 0;
  let before: { ours: string; sliding: string } | undefined;
  for (let n = 0; n < 300; n++) {
    session.state.items.push(...turn(3_000));
    const ready = await prepareRequest(session, never, false);
    if (ready.type !== "ready") throw new Error("the request does not fit");
    const text = (items: readonly Item[]): string => items.map((item) => JSON.stringify(item.raw)).join(",");
    const body = {
      ours: text(ready.items),
      sliding: text(session.state.items.slice(-Math.min(ready.items.length, 100))),
    };
    if (before) {
      ours.push(shared(before.ours, body.ours));
      sliding.push(shared(before.sliding, body.sliding));
      if (!body.ours.startsWith(before.ours)) breaks++;
    }
    before = body;
  }
  console.log(
    `C153 bytes shared with the previous request over 300 truncation-only turns: mean ${mean(ours).toFixed(3)}, sliding window ${mean(sliding).toFixed(3)} (target >= 0.95)`,
  );
  console.log(
    `prefix breaks: ${breaks}, one in ${(300 / Math.max(1, breaks)).toFixed(0)} requests (target <= 1 in 20)`,
  );
}

async function calls(): Promise<void> {
  const answer = (content: string): CallOutcome =>
    ({
      type: "answer",
      answer: { content, toolRequests: [], finishReason: "stop", ttftMs: 0 },
    }) as unknown as CallOutcome;
  const failure: CallOutcome = {
    type: "failure",
    code: "server_error",
    message: "down",
    retryable: true,
    retryAfterMs: 0,
  } as unknown as CallOutcome;
  const replies: Record<string, CallOutcome> = {
    good: answer("<overview>all</overview>"),
    empty: answer(""),
    failing: failure,
    "refused for size": { type: "context_limit", message: "too large", unit: "tokens" },
  };
  for (const [size, limit] of [
    ["fits", 200_000],
    ["in parts", 16_000],
  ] as const) {
    for (const [name, reply] of Object.entries(replies)) {
      let count = 0;
      const items = Array.from({ length: 100 }, () => turn(2_000)).flat();
      const sized = await Promise.all(items.map(async (item) => ({ ...item, tokens: await countItem(item) })));
      const input = {
        items: sized,
        budget: 6_000,
        system: "system",
        tools: [],
        fixedTokens: 2_000,
        target,
        effectiveLimit: limit,
        sessionId: "s",
        maxChunks: 8,
        call: async () => {
          count++;
          return reply;
        },
        count: (text: string) => tokenCounter.countNow(text),
        shorten: async () => undefined,
        signal: never,
        clock: { sleep: async () => true, monotonic: () => performance.now() },
        timeoutMs: 1_000,
      } as unknown as SummaryInput;
      const { end } = await writeSummary(input);
      const most = size === "fits" && name !== "refused for size" ? 2 : 17;
      console.log(`calls of one attempt, ${size}, ${name}: ${count}, ${end.type} (target <= ${most})`);
    }
  }
}

export async function bench(): Promise<void> {
  await preparation();
  await prefixes();
  await calls();
}
