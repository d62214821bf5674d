// Switching to another model: history that would not fit there is compacted first, by the model that knows it.
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { nextState } from "../../context/compact/state.ts";
import type { ModelTarget } from "../../model/contract.ts";
import type { ResolvedModel } from "../../model/resolve.ts";
import { compactionReasonText } from "../../schema/compaction-reason.ts";
import { compactNow } from "../../session/compact-now.ts";
import { cancelCompaction } from "../../session/compaction.ts";
import { tellUsage } from "../../session/prepare.ts";
import { exclusively } from "../../session/run.ts";
import type { Session } from "../../session/session.ts";
import { refreshSystemPrompt } from "../../session/turn.ts";
import { beginEpoch, look } from "../../session/window.ts";
import { chooseModel } from "../model.ts";
import type { Workspace } from "../workspace.ts";
import type { ModelInForce } from "./model-in-force.ts";
import type { SessionResources } from "./resources.ts";

export type SwitchServices = Pick<SessionResources, "workspace" | "options" | "stopping"> & {
  session: Session;
  model: ModelInForce;
};

/** True when the whole history, counted for that model, passes its exhaustion threshold. */
async function isTooLarge(services: SwitchServices, target: ModelTarget): Promise<boolean> {
  const { session } = services;
  const { exhaustion } = session.parts.context.settings();
  const view = await look(session, target.promptLimit);
  const history = view.items.reduce((sum, item) => sum + item.tokens, 0);
  return view.sizes.systemTokens + view.sizes.toolDefinitionsTokens + history > exhaustion * target.promptLimit;
}

/** `choose`: how strictly the name is taken. */
export async function switchModel(
  services: SwitchServices,
  name: string,
  choose: (workspace: Workspace, name: string) => ReturnType<typeof chooseModel> = chooseModel,
): Promise<Result<string, Failure>> {
  const chosen = await choose(services.workspace, name);
  if (!chosen.ok) return chosen;
  const before = services.model.target;
  // Between turns only, and in one piece: no request is ever prepared for one model and sent to another.
  const ready = await exclusively(
    services.session,
    async () => {
      const room = await makeRoom(services, chosen.value.target, before);
      if (room.ok) await useModel(services, chosen.value, before.id, "user");
      return room;
    },
    "turn",
  );
  if (!ready.ok) return ready;
  return ok(
    [
      ...ready.value,
      `Model: ${services.model.target.id} (prompt limit ${services.model.promptLimit})`,
      ...chosen.value.warnings,
    ].join("\n"),
  );
}

/** On resume: the model is another one than the session's so far. The old one writes the summary if it can be called. */
export async function resumeOnModel(services: SwitchServices, resolved: ResolvedModel, before: string): Promise<void> {
  const { session } = services;
  await refreshSystemPrompt(session);
  const old = await chooseModel(services.workspace, before);
  const warning = await makeRoom(services, resolved.target, old.ok ? old.value.target : resolved.target);
  if (warning.ok) {
    for (const message of warning.value) await session.emit("session.info", { infoType: "model_switch", message });
    await useModel(services, resolved, before, "resume");
  } else if (old.ok) await useModel(services, old.value, before, "resume");
}

async function makeRoom(
  services: SwitchServices,
  target: ModelTarget,
  summariser: ModelTarget,
): Promise<Result<string[], Failure>> {
  const { session, options } = services;
  if (!(await isTooLarge(services, target))) return ok([]);
  const ask = options.prompts.question;
  const { mode } = session.parts.context.settings();
  if (mode === "off" || (mode === "manual" && !ask))
    return ok(["The history is larger than the new model's window; requests are truncated."]);
  const { signal } = services.stopping;
  const yes = "compact first";
  if (ask) {
    const question = `The history is larger than what ${target.id} takes. Compact it first?`;
    const answer = await ask({ question, choices: [yes, "stay with the current model"], allowFreeform: false }, signal);
    if (answer !== yes) return fail(stayed(target));
  }
  await cancelCompaction(session, "superseded");
  const outcome = await compactNow(session, { trigger: "model_switch", switchTo: target, summariser });
  if (outcome?.outcome === "applied")
    return ok([
      `The history was compacted first: ${outcome.preCompactionTokens} → ${outcome.postCompactionTokens} tokens.`,
    ]);
  if (ask) {
    const why = outcome?.outcomeReason ?? outcome?.failureReason ?? "no_room";
    const question = `The history was not compacted: ${compactionReasonText(why)}. Switch anyway and truncate requests?`;
    const answer = await ask(
      { question, choices: ["switch and truncate", "stay with the current model"], allowFreeform: false },
      signal,
    );
    if (answer !== "switch and truncate") return fail(stayed(target));
  }
  return ok(["Warning: the history could not be compacted for the new model; requests are truncated."]);
}

const stayed = (target: ModelTarget): Failure =>
  refusal(
    "switch_declined",
    `The model was not switched to ${target.id}.`,
    "Choose a model with a larger window, or compact first.",
  );

async function useModel(
  services: SwitchServices,
  resolved: ResolvedModel,
  previousModel: string,
  cause: string,
): Promise<void> {
  const { session } = services;
  // What the old model still summarises was meant for its own window.
  await cancelCompaction(session, "superseded");
  services.model.use(resolved);
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
