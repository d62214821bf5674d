// The mode of the main conversation: changing it is an event.
import type { AgentMode } from "../schema/permission.ts";
import type { Conversation } from "./session.ts";

export async function setMode({ state, emit }: Pick<Conversation, "state" | "emit">, mode: AgentMode): Promise<void> {
  const previousMode = state.mode;
  if (mode !== previousMode) await emit("session.mode_changed", { previousMode, newMode: mode });
}
