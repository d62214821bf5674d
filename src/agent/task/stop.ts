// Ending agents from outside: abort the whole subtree at once, let the executors unwind, then write the ends bottom up.
import { type Core, endRecord, openRecords, type RecordEnd, wake } from "./core.ts";
import { settlesWithin, UNWIND_MS } from "./wait.ts";

/** The agents and all below them that have not ended, parents first. One whose start is being written counts too. */
function subtree(core: Core, roots: readonly string[]): string[] {
  const starting = [...core.lives.values()].filter(({ id }) => !core.records.has(id));
  return [...openRecords(core), ...starting]
    .filter(({ id, parentId }) => roots.includes(id) || roots.some((root) => isBelow(core, parentId, root)))
    .map(({ id }) => id);
}

/** Whether an agent with this parent stands below another; parents that have ended are links too. */
export function isBelow(core: Core, parentId: string | undefined, ancestor: string): boolean {
  for (let at = parentId; at !== undefined; at = core.records.get(at)?.parentId) if (at === ancestor) return true;
  return false;
}

/** Gives the ids whose end it wrote. `endOf` may differ from agent to agent: one fails, those below it are cancelled. */
async function stop(
  core: Core,
  ids: readonly string[],
  endOf: (id: string) => RecordEnd,
  reason: string,
): Promise<string[]> {
  const lives = ids.flatMap((id) => core.lives.get(id) ?? []);
  for (const live of lives) {
    live.stopping = true;
    live.controller.abort(reason);
    wake(live);
  }
  return afterReturn(core, ids, endOf);
}

async function afterReturn(core: Core, ids: readonly string[], endOf: (id: string) => RecordEnd): Promise<string[]> {
  const lives = ids.flatMap((id) => core.lives.get(id) ?? []);
  await settlesWithin(Promise.all(lives.map((live) => live.returned.promise)), UNWIND_MS, core.after);
  const ended: string[] = [];
  for (const id of ids.toReversed()) if (await core.order.run(() => endRecord(core, id, endOf(id)))) ended.push(id);
  return ended;
}

export function cancelRecursive(core: Core, roots: readonly string[], by: string, reason: string): Promise<string[]> {
  return stop(core, subtree(core, roots), () => ({ type: "cancelled", by, reason }), reason);
}

/** Fails one agent; what runs below it has lost its purpose. */
export function failAgent(core: Core, id: string, error: { code: string; message: string }): Promise<string[]> {
  const endOf = (one: string): RecordEnd =>
    one === id ? { type: "failed", error } : { type: "cancelled", by: id, reason: `${id} failed: ${error.code}` };
  return stop(core, subtree(core, [id]), endOf, error.code);
}

/** Those that are idle complete with their latest response: their executors are told that no more messages come. */
export async function completeIdle(core: Core, ids: readonly string[]): Promise<void> {
  const mine = ids.filter((id) => !core.closing.has(id));
  for (const id of mine) core.closing.add(id);
  try {
    const idle = await core.order.run(async () => mine.filter((id) => close(core, id)));
    await afterReturn(core, idle, (id) => ({ type: "completed", result: core.records.get(id)?.latestResponse ?? "" }));
  } finally {
    for (const id of mine) core.closing.delete(id);
  }
}

/** False when a message was quicker, or a cancel. */
function close(core: Core, id: string): boolean {
  const live = core.lives.get(id);
  if (core.records.get(id)?.status !== "idle" || live?.stopping) return false;
  if (live) Object.assign(live, { stopping: true, closed: true });
  wake(live);
  return true;
}
