// All calls of one step: in parallel up to the limit, one lane one at a time in call order, some last; every call gets its result.
import { failure } from "../tool/contract.ts";
import type { Session } from "./session.ts";
import { type Call, checkCall, finish, notRun, type ReadyCall, refuseCall, runCall } from "./tool-call.ts";

const MAX_CALLS = 128;

export async function runToolStep(session: Session, turnId: string, calls: Call[], signal: AbortSignal): Promise<void> {
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
  for (const last of ready.filter((r) => r.tool.last)) await runCall(session, turnId, last, signal);
}

async function runInLanes(session: Session, turnId: string, ready: ReadyCall[], signal: AbortSignal): Promise<void> {
  const slots = new Slots(session.parts.limits.maxParallelTools);
  const lanes = new Map<string, Promise<void>>();
  const all = ready.map((one) => {
    const before = one.lane === undefined ? undefined : lanes.get(one.lane);
    const run = (async () => {
      await before;
      await slots.take();
      try {
        await runCall(session, turnId, one, signal);
      } finally {
        slots.give();
      }
    })();
    // A lane goes on after a failure; the failure itself is reported by `all`.
    if (one.lane !== undefined)
      lanes.set(
        one.lane,
        run.catch(() => undefined),
      );
    return run;
  });
  const settled = await Promise.allSettled(all);
  const broken = settled.find((s) => s.status === "rejected");
  if (broken) throw broken.reason;
}

/** At most n at once, first come, first served. */
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
