// On which model an agent runs: what was asked for, unless it is unknown or too dear. Never silently another.
import { entryOf } from "../../base/own-entry.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip, nearNames } from "../../base/text.ts";
import type { Coded, ModelChange } from "./contract.ts";

type ModelPrice = { input: number; output: number };
/** A model that can be used now. */
export type ModelOffer = { id: string; family?: string; prices?: ModelPrice };

export type ModelWish = {
  agentType: string;
  /** The call's `model` and `reasoning_effort`. */
  model?: string;
  effort?: string;
  /** `model` of its definition, in order of preference. */
  candidates: readonly string[];
  sessionModel: string;
  /** The setting `agent.models`. */
  models: Readonly<Record<string, string>>;
  /** What the setting for this agent alone says: a name, or `auto` for one of another family. */
  own?: { model: string; effort?: string };
  costGuard: "downgrade" | "refuse" | "off";
  maxCostRatio: number;
  /** Finds a usable model by what people write; undefined when there is none. */
  find: (name: string) => ModelOffer | undefined;
  /** Usable models, the user's own order; for lists and for `auto`. */
  offers: readonly ModelOffer[];
};

export type ModelChoice = {
  model: string;
  effort?: string;
  /** The data of `subagent.model_changed`. */
  changed?: ModelChange;
  /** The first line of the result. */
  note?: string;
};

const LISTED = 20;
const INHERIT = "inherit";

export function chooseModel(wish: ModelWish): Result<ModelChoice, Coded> {
  const wanted = wantedModel(wish);
  if (!wanted.ok) return wanted;
  const { offer, effort = wish.effort, missing } = wanted.value;
  const withEffort = effort === undefined ? {} : { effort };
  if (missing !== undefined) return ok({ ...sessionInstead(wish, missing, "unknown_model"), ...withEffort });
  if (!offer) return ok({ model: wish.sessionModel, ...withEffort });
  const ratio = costRatio(wish, offer);
  if (wish.costGuard === "off" || ratio === undefined || ratio <= wish.maxCostRatio)
    return ok({ model: offer.id, ...withEffort });
  // Beside a model that is free there is no number.
  const rounded = Number.isFinite(ratio) ? Math.round(ratio * 10) / 10 : undefined;
  if (wish.costGuard === "refuse") {
    const message = `${offer.id} ${dearer(rounded)} ${wish.sessionModel}; the limit (agent.maxCostRatio) is ${wish.maxCostRatio}. Choose a cheaper model or leave \`model\` out.`;
    return fail({ code: "model_too_expensive", message });
  }
  return ok({ ...sessionInstead(wish, offer.id, "cost_guard", rounded), ...withEffort });
}

type Wanted = { offer?: ModelOffer; effort?: string; missing?: string };

/** In the order of precedence; a wrong argument is refused, a wrong definition falls back. */
function wantedModel(wish: ModelWish): Result<Wanted, Coded> {
  const { model, agentType, models, candidates, find } = wish;
  if (model !== undefined && model !== INHERIT) {
    const offer = find(model);
    return offer ? ok({ offer }) : fail(unknownModel(model, wish.offers));
  }
  const configured = entryOf(models, agentType);
  if (configured !== undefined) return ok(named(find, [configured]));
  if (candidates.length > 0) return ok(named(find, candidates));
  if (!wish.own) return ok({});
  const effort = wish.effort ?? wish.own.effort;
  const choice = wish.own.model === "auto" ? ofAnotherFamily(wish) : named(find, [wish.own.model]);
  return ok({ ...choice, ...(effort === undefined ? {} : { effort }) });
}

function named(find: ModelWish["find"], names: readonly string[]): Wanted {
  for (const name of names) {
    if (name === INHERIT) return {};
    const offer = find(name);
    if (offer) return { offer };
  }
  return { missing: names.join(", ") };
}

/** A second opinion is worth more from another family; the setting is the consent to send text there. */
function ofAnotherFamily({ find, sessionModel, offers }: ModelWish): Wanted {
  const family = familyOf(find(sessionModel) ?? { id: sessionModel });
  const offer = offers.find((one) => one.id !== "offline" && familyOf(one) !== family);
  return offer ? { offer } : {};
}

const familyOf = ({ id, family }: ModelOffer): string => family ?? id.split("/")[0] ?? id;

/** The ratio of the dearer of input and output; undefined when a price is not known. */
function costRatio({ find, sessionModel }: ModelWish, { prices }: ModelOffer): number | undefined {
  const own = find(sessionModel)?.prices;
  if (!own || !prices) return undefined;
  const ratio = (a: number, b: number): number => (a === 0 ? 0 : a / b);
  return Math.max(ratio(prices.input, own.input), ratio(prices.output, own.output));
}

const dearer = (ratio: number | undefined): string =>
  ratio === undefined
    ? "costs money, unlike the session's model"
    : `costs ${ratio} times as much as the session's model`;

export function sessionInstead(
  { sessionModel }: Pick<ModelWish, "sessionModel">,
  requested: string,
  reason: "unknown_model" | "cost_guard",
  ratio?: number,
): Required<Pick<ModelChoice, "model" | "changed" | "note">> {
  const why = reason === "unknown_model" ? "is not available here" : dearer(ratio);
  return {
    model: sessionModel,
    changed: { requested, used: sessionModel, reason, ...(ratio === undefined ? {} : { ratio }) },
    note: `[Ran on ${sessionModel} instead of ${requested}, which ${why}.]`,
  };
}

function unknownModel(name: string, offers: readonly ModelOffer[]): Coded {
  const ids = offers.map(({ id }) => id);
  const near = nearNames(name, ids);
  const listed = [...near, ...ids.filter((id) => !near.includes(id))].slice(0, LISTED);
  const hint = listed.length === 0 ? "Leave `model` out." : `Available: ${listed.join(", ")}.`;
  return { code: "unknown_model", message: `No such model here: "${clip(name, 80)}". ${hint}` };
}
