// What preparing a request costs in a long session, counted in texts that are read instead of time.
import { beforeAll, expect, it } from "vitest";
import { tokenCounter } from "../model/tokens/counter.ts";
import { prepareRequest } from "./prepare.ts";
import { type Item, reads, sessionOf, watchedTurn } from "./prepare-fixture.ts";
import type { Session } from "./session.ts";

const never = new AbortController().signal;
const MESSAGES = 10_000;
const turnsOf = (messages: number): Item[] => Array.from({ length: messages / 2 }, () => watchedTurn(80)).flat();

beforeAll(() => tokenCounter.load());

/** How many texts are read for the session's next request; `JSON.stringify` of it would read each once. */
async function readsFor(session: Session): Promise<number> {
  const before = reads.count;
  expect((await prepareRequest(session, never, false)).type).toBe("ready");
  return reads.count - before;
}

it("C150 C151 of a history that was counted before only what is new is read, however long it is", async () => {
  const costs: number[] = [];
  for (const messages of [1_000, MESSAGES]) {
    const session = sessionOf(turnsOf(messages), 50_000_000);
    expect(await readsFor(session)).toBeLessThanOrEqual(4 * messages);
    session.state.items.push(...watchedTurn(80));
    costs.push(await readsFor(session));
    expect(await readsFor(session), "nothing is new").toBe(0);
  }
  expect(costs[1]).toBe(costs[0]);
  expect(costs[1]).toBeLessThanOrEqual(10);
});

it("C150 a new cut reads each text at most twice, and the requests behind it hardly any", async () => {
  const items = turnsOf(MESSAGES);
  const session = sessionOf(items, 400_000);
  await readsFor(session);
  expect(session.live.window.cut, "it fits").toBeUndefined();
  while (!session.live.window.cut) {
    session.state.items.push(...Array.from({ length: 50 }, () => watchedTurn(80)).flat());
    const before = reads.count;
    await prepareRequest(session, never, false);
    const counted = 100 * 4;
    expect(reads.count - before).toBeLessThanOrEqual(2 * session.state.items.length + counted);
  }
  session.state.items.push(...watchedTurn(80));
  expect(await readsFor(session)).toBeLessThanOrEqual(0.5 * session.state.items.length);
});
