// At the start of a session: how many memories wait for the user. Nothing is opened or asked for this that is not there.
import { existsSync } from "node:fs";
import { strategyKind } from "../../memory/record/choose.ts";
import { isDetached } from "../board/board.ts";
import type { LiveSession } from "../session/live-session.ts";
import { strategySettings } from "./strategy.ts";

export async function tellPending(live: LiveSession): Promise<void> {
  const { ground, memory, session, stopping } = live;
  if (!memory.enabled() || isDetached(ground) || !existsSync(ground.paths.store)) return;
  if (strategyKind(strategySettings(ground)) !== "embedded") return;
  const count = await (await memory.records()).pending(stopping.signal);
  if (count === 0) return;
  const what = count === 1 ? "1 memory waits" : `${count} memories wait`;
  await session.emit("session.info", {
    infoType: "memory_pending",
    message: `${what} for you and ${count === 1 ? "is" : "are"} not in use: /memory review shows ${count === 1 ? "it" : "them"}.`,
  });
}
