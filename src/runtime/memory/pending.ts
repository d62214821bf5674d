// At the start of a session: how many memories wait for the user. Nothing is opened or asked for this that is not there.

import { existsSync } from "node:fs";
import { optional } from "../../base/optional.ts";
import { strategyKind } from "../../memory/record/choose.ts";
import type { Place, Strategy } from "../../memory/record/contract.ts";
import { isDetached } from "../board/detached.ts";
import type { SessionResources } from "../session/resources.ts";
import { strategySettings } from "./strategy.ts";

type PendingMemory = {
  enabled(): boolean;
  records(): Promise<{ pending(signal: AbortSignal): Promise<number> }>;
};

/** A service is asked after its first answer: one that is down is waited for once. */
export async function tellPending(
  { workspace, main, stopping }: Pick<SessionResources, "workspace" | "main" | "stopping">,
  memory: PendingMemory,
  when: "start" | "answered",
): Promise<void> {
  if (!memory.enabled() || isDetached(workspace)) return;
  const kind = strategyKind(strategySettings(workspace));
  if ((kind === "service") !== (when === "answered")) return;
  if (kind === "embedded" && !existsSync(workspace.paths.store)) return;
  const count = await (await memory.records()).pending(stopping.signal);
  if (count === 0) return;
  const what = count === 1 ? "1 memory" : `${count} memories`;
  await main.emit("session.info", {
    infoType: "memory_pending",
    message: `${what} to review, not in use yet. See /memory review.`,
  });
}

export async function countPending(strategy: Strategy, place: Place, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let after: string | undefined; ; ) {
    const query = { place, status: ["pending"], limit: 500, ...optional("after", after) } as const;
    const listed = await strategy.list(query, signal);
    if (listed.type !== "listed") return count;
    count += listed.records.length;
    after = listed.next;
    if (after === undefined) return count;
  }
}
