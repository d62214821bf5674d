// Switching to another model: history that would not fit there is compacted first, by the model that knows it.
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { nextState } from "../../context/compact/state.ts";
import type { ModelTarget } from "../../model/contract.ts";
import type { ResolvedModel } from "../../model/resolve.ts";
import { compactNow } from "../../session/compact-now.ts";
import { cancelCompaction } from "../../session/compaction.ts";
import { tellUsage } from "../../session/prepare.ts";
import { exclusively } from "../../session/run.ts";
import { refreshSystemPrompt } from "../../session/turn.ts";
import { beginEpoch, look } from "../../session/window.ts";
import { chooseModel } from "../model.ts";
import type { Ground } from "../start.ts";
import type { LiveSession } from "./live-session.ts";

/** True when the whole history, counted for that model, passes its exhaustion threshold. */
async function isTooLarge(live: LiveSession, target: ModelTarget): Promise<boolean> {
  const { session } = live;
  const { exhaustion } = session.parts.context();
  const view = await look(session, target.promptLimit);
  const history = view.items.reduce((sum, item) => sum + item.tokens, 0);
  return view.sizes.systemTokens + view.sizes.toolDefinitionsTokens + history > exhaustion * target.promptLimit;
}

/** `choose`: how strictly the name is taken. */
export async function switchModel(
  live: LiveSession,
  name: string,
  choose: (ground: Ground, name: string) => ReturnType<typeof chooseModel> = chooseModel,
): Promise<Result<string, Failure>> {
  const chosen = await choose(live.ground, name);
  if (!chosen.ok) return chosen;
  const before = live.target;
  // Between turns only, and in one piece: no request is ever prepared for one model and sent to another.
  const ready = await exclusively(
    live.session,
    async () => {
      const room = await makeRoom(live, chosen.value.target, before);
      if (room.ok) await useModel(live, chosen.value, before.id, "user");
      return room;
    },
    "turn",
  );
  if (!ready.ok) return ready;
  return ok(
    [
      ...ready.value,
      `Model: ${live.target.id} (prompt limit ${live.limits.promptLimit})`,
      ...chosen.value.warnings,
    ].join("\n"),
  );
}

/** On resume: the model is another one than the session's so far. The old one writes the summary if it can be called. */
export async function resumeOnModel(live: LiveSession, resolved: ResolvedModel, before: string): Promise<void> {
  const { session } = live;
  await refreshSystemPrompt(session);
  const old = await chooseModel(live.ground, before);
  const told = await makeRoom(live, resolved.target, old.ok ? old.value.target : resolved.target);
  if (told.ok) {
    for (const message of told.value) await session.emit("session.info", { infoType: "model_switch", message });
    await useModel(live, resolved, before, "resume");
  } else if (old.ok) await useModel(live, old.value, before, "resume");
}

async function makeRoom(
  live: LiveSession,
  target: ModelTarget,
  summariser: ModelTarget,
): Promise<Result<string[], Failure>> {
  const { session, options } = live;
  if (!(await isTooLarge(live, target))) return ok([]);
  const ask = options.prompts.question;
  const { mode } = session.parts.context();
  if (mode === "off" || (mode === "manual" && !ask))
    return ok(["The history is larger than the new model's window; requests are truncated."]);
  const { signal } = live.stopping;
  const yes = "compact first";
  if (ask) {
    const question = `The history is larger than what ${target.id} takes. Compact it first?`;
    const answer = await ask({ question, choices: [yes, "stay with the current model"], allowFreeform: false }, signal);
    if (answer !== yes) return fail(stayed(target));
  }
  await cancelCompaction(session, "superseded");
  const done = await compactNow(session, { trigger: "model_switch", switchTo: target, summariser });
  if (done?.outcome === "applied")
    return ok([`The history was compacted first: ${done.preCompactionTokens} → ${done.postCompactionTokens} tokens.`]);
  if (ask) {
    const question = "The compaction did not succeed. Switch anyway and truncate requests?";
    const answer = await ask(
      { question, choices: ["switch and truncate", "stay with the current model"], allowFreeform: false },
      signal,
    );
    if (answer !== "switch and truncate") return fail(stayed(target));
  }
  return ok(["Warning: the history could not be compacted for the new model; requests are truncated."]);
}

const stayed = (target: ModelTarget): Failure => ({
  code: "switch_declined",
  what: `The model was not switched to ${target.id}.`,
  data: "Nothing was changed.",
  next: "Choose a model with a larger window, or compact first.",
  exit: 1,
});

async function useModel(
  live: LiveSession,
  resolved: ResolvedModel,
  previousModel: string,
  cause: string,
): Promise<void> {
  const { session } = live;
  // What the old model still summarises was meant for its own window.
  await cancelCompaction(session, "superseded");
  live.target = resolved.target;
  live.modelReason = resolved.reason;
  live.gauge.forget();
  const { window } = session.live;
  window.cut = undefined;
  window.retryBuffer = 0;
  window.compaction = nextState(window.compaction, { type: "model_switched" });
  beginEpoch(session, "model_switch");
  if (previousModel !== resolved.target.id) {
    await session.emit("session.model_change", { previousModel, newModel: resolved.target.id, cause });
  }
  await tellUsage(session);
}
