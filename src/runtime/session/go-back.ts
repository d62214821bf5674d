// Going back in a session, open or stored.
import { optional } from "../../base/optional.ts";
import type { RewindOutcome, RewindReport } from "../../session/rewind.ts";
import { setMode } from "../../session/set-mode.ts";
import { keepSelection, selection } from "../agent/select-agent.ts";
import type { ResultPromise } from "../client/open.ts";
import type { SessionVoice } from "./stored-log.ts";

/** The conversation goes back, the user's choices do not: model, agent and mode stay in force. */
export async function goBack(
  voice: SessionVoice,
  model: string,
  rewind: () => ResultPromise<RewindOutcome>,
): ResultPromise<RewindOutcome> {
  const { state, emit } = voice;
  const { mode } = state;
  const agent = selection(state);
  const plan = await rewind();
  if (!plan.ok) return plan;
  if (state.model !== model)
    await emit("session.model_change", { previousModel: state.model, newModel: model, cause: "rewind" });
  await keepSelection(voice, agent);
  await setMode(voice, mode);
  return plan;
}

/** What a face tells of it. */
export const rewindReport = ({ prompts, filesRestored }: RewindOutcome): RewindReport => ({
  prompts,
  ...optional("files", filesRestored),
});
