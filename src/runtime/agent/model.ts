// On which model a subagent runs here: what can be used now, with its price, and the choice among it.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { chooseModel as choose, type ModelChoice, type ModelOffer } from "../../agent/task/choose-model.ts";
import type { Coded } from "../../agent/task/contract.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { findModel, splitName } from "../../model/catalog.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { fetchJson } from "../../model/resolve-fetch.ts";
import { resolveInput } from "../../model/resolve-input.ts";
import { listModels } from "../../model/resolve-list.ts";
import { catalogOf, chooseModel, usableModels } from "../model.ts";
import type { ModelInForce } from "../session/model-in-force.ts";
import type { Workspace } from "../workspace.ts";

export type AgentModel = ModelChoice & { target: ModelTarget };

/** The choice as an agent's record keeps it. */
export const modelSpec = ({ model, effort, note, changed }: ModelChoice) => ({
  model,
  ...optional("reasoningEffort", effort),
  ...optional("note", note),
  ...optional("modelChanged", changed),
});

type Wish = { model?: string | undefined; reasoning_effort?: string | undefined; costGuard?: "off" };

/** `listed`: what the custom server names; undefined when it names nothing, and then any name may be right. */
type ModelOffers = { offers: ModelOffer[]; listed: readonly string[] | undefined };

type ModelOwner = Pick<AgentDefinition, "name" | "models" | "ownModel">;

/** Where models are chosen: what is set here, and the model that the session runs on. */
export type ModelPlace = { workspace: Workspace; model: Pick<ModelInForce, "target">; stopping: AbortController };

export async function modelFor(
  place: ModelPlace,
  definition: ModelOwner,
  wish: Wish,
): Promise<Result<AgentModel, Coded>> {
  const { workspace } = place;
  const { target } = place.model;
  const { values } = workspace.settings;
  const own = ownModel(workspace, definition);
  const isNamed = Object.hasOwn(values["agent.models"], definition.name);
  const wantsNone = wish.model === undefined && definition.models.length === 0 && !isNamed && !own;
  if (wantsNone) {
    const effort = wish.reasoning_effort;
    return ok({ model: target.id, target, ...(effort === undefined ? {} : { effort }) });
  }
  const models = await knownModels(place);
  const chosen = choose({
    agentType: definition.name,
    ...(wish.model === undefined ? {} : { model: wish.model }),
    ...(wish.reasoning_effort === undefined ? {} : { effort: wish.reasoning_effort }),
    candidates: definition.models,
    sessionModel: target.id,
    models: values["agent.models"],
    ...optional("own", own),
    costGuard: wish.costGuard ?? values["agent.costGuard"],
    maxCostRatio: values["agent.maxCostRatio"],
    find: (name) => findOffer(workspace, models, name),
    offers: models.offers,
  });
  if (!chosen.ok) return chosen;
  if (chosen.value.model === target.id) return ok({ ...chosen.value, target });
  const resolved = await chooseModel(workspace, chosen.value.model);
  if (resolved.ok) return ok({ ...chosen.value, target: resolved.value.target });
  return fail({ code: "unknown_model", message: resolved.error.what });
}

/** What is set for this agent alone. */
function ownModel(
  { settings }: Workspace,
  { ownModel: own }: ModelOwner,
): { model: string; effort?: string } | undefined {
  const model = own && (settings.values as Record<string, unknown>)[own.setting];
  return typeof model === "string" ? { model, ...optional("effort", own?.effort) } : undefined;
}

async function knownModels({ workspace, model, stopping }: ModelPlace): Promise<ModelOffers> {
  const { target } = model;
  const { values, sources } = workspace.settings;
  // A custom server is taken to charge what the catalogue says of the name: enough to compare two of its models.
  const own = target.provider === "custom" ? customOffer(workspace, splitName(target.id)[1]) : offerFor(target);
  const others = usableModels(workspace).filter((e) => e.id !== target.id);
  const offers = [own, ...others.map((entry) => offerFor({ id: entry.id, entry }))];
  if (values["provider.baseUrl"] === undefined) return { offers, listed: [] };
  const { catalog } = catalogOf(workspace);
  const list = await listModels(resolveInput(values, sources, { catalog, fetchJson, signal: stopping.signal }));
  if (!list.ok || list.value.length === 0) return { offers, listed: undefined };
  const listed = list.value.map(({ name }) => name);
  const all = [...offers, ...listed.map((name) => customOffer(workspace, name))];
  return { offers: [...new Map(all.map((offer) => [offer.id, offer])).values()], listed };
}

function findOffer(workspace: Workspace, models: ModelOffers, name: string): ModelOffer | undefined {
  const [prefix, rest] = splitName(name);
  const bare = prefix === undefined ? name : rest;
  const offered = models.offers.find(({ id }) => id === name || splitName(id)[1] === name);
  if (offered) return offered;
  if (models.listed !== undefined || (prefix !== undefined && prefix !== "custom")) return undefined;
  return customOffer(workspace, bare);
}

function customOffer(workspace: Workspace, name: string): ModelOffer {
  const id = `custom/${name}`;
  const { catalog } = catalogOf(workspace);
  return { id, ...offerOf(findModel(catalog, id) ?? findModel(catalog, name)) };
}

const offerFor = ({ id, entry }: Pick<ModelTarget, "id" | "entry">): ModelOffer => ({ id, ...offerOf(entry) });

function offerOf(entry: ModelTarget["entry"] | undefined): Omit<ModelOffer, "id"> {
  return {
    ...(entry?.family === undefined ? {} : { family: entry.family }),
    ...(entry?.prices === undefined ? {} : { prices: entry.prices }),
  };
}
