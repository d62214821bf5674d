// The bell after long work, for a person who looks elsewhere meanwhile.
import type { Envelope } from "../../schema/event/envelope.ts";
import type { App } from "../loop/app.ts";

const LONG_MS = 30_000;

export function ringAfterWork(app: App, event: Envelope): void {
  if (app.face.ui.bell !== "done" || event.type !== "turn.end" || event.agentId !== undefined) return;
  if (event.data.durationMs > LONG_MS) app.terminal.write("\u0007");
}
