// All calls of one step: in parallel up to the limit, one lane one at a time in call order, some last; every call gets its result.

import { failure } from "../tool/contract.ts";
import type { ReadyCall, RequestedCall } from "./ready-call.ts";
import type { Session } from "./session.ts";
import { checkCall, finish, notRun, refuseCall, runCall } from "./tool-call.ts";

const MAX_CALLS = 128;

export async function runToolStep(
  session: Session,
  turnId: string,
  calls: RequestedCall[],
  signal: AbortSignal,
): Promise<void> {
  for (const call of calls.slice(MAX_CALLS)) {
    const message = `Not run: one step may make at most ${MAX_CALLS} calls. Send the rest in the next step.`;
    await finish(session, call, failure("too_many_calls", message), 0);
  }
  const ready: ReadyCall[] = [];
  for (const call of calls.slice(0, MAX_CALLS)) {
    if (signal.aborted) {
      await finish(session, call, notRun(), 0, "interrupted");
      continue;
    }
    const checked = await checkCall(session, call);
    if (checked.type === "ready") ready.push(checked.ready);
    else await refuseCall(session, turnId, call, checked.outcome);
  }
  await runInLanes(
    session,
    turnId,
    ready.filter((r) => !r.tool.last),
    signal,
  );
  for (const last of ready.filter((r) => r.tool.last))
    await runCall(session, turnId, last, signal, async () => undefined);
}

async function runInLanes(session: Session, turnId: string, ready: ReadyCall[], signal: AbortSignal): Promise<void> {
  const slots = new Slots(session.parts.limits.maxParallelTools);
  const lanes = new Lanes();
  const all = ready.map((one) => {
    let place = lanes.enter(one.lane);
    // Whoever is ahead in the other lane may be waiting for our slot.
    const changeLane = async (lane: string | undefined) => {
      place.leave();
      slots.give();
      place = lanes.enter(lane);
      await place.turn;
      await slots.take();
    };
    return (async () => {
      await place.turn;
      await slots.take();
      try {
        await runCall(session, turnId, one, signal, changeLane);
      } finally {
        slots.give();
        place.leave();
      }
    })();
  });
  const settled = await Promise.allSettled(all);
  const broken = settled.find((s) => s.status === "rejected");
  if (broken) throw broken.reason;
}

/** Calls in one lane go one after another, in the order in which they entered it, whatever became of those before. */
class Lanes {
  readonly #last = new Map<string, Promise<void>>();
  enter(lane: string | undefined): { turn: Promise<void>; leave: () => void } {
    if (lane === undefined) return { turn: Promise.resolve(), leave: () => undefined };
    const turn = this.#last.get(lane) ?? Promise.resolve();
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last.set(lane, left);
    return { turn, leave };
  }
}

/** Lets at most n run at once, first come, first served. */
class Slots {
  #free: number;
  #waiting: (() => void)[] = [];
  constructor(n: number) {
    this.#free = n;
  }
  async take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
