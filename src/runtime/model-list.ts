// /model without a name: the models that can be used here, with limit and multiplier.

import { ok } from "../base/result.ts";
import { promptLimit } from "../model/limits.ts";
import type { CommandResult } from "./client/session.ts";
import { catalogOf } from "./model.ts";
import type { ModelInForce } from "./session/model-in-force.ts";
import type { Workspace } from "./workspace.ts";

export async function listModels(workspace: Workspace, model: ModelInForce): Promise<CommandResult> {
  const { values } = workspace.settings;
  const usable = new Set<string>(["offline"]);
  for (const provider of ["openai", "anthropic", "google"] as const)
    if (values[`providers.${provider}.apiKey`]) usable.add(provider);
  if (values["provider.baseUrl"]) usable.add("custom");
  const row = (id: string, limit: number, multiplier: number) =>
    `${id === model.target.id ? "*" : " "} ${id}  limit ${limit}  x${multiplier}`;
  const others = catalogOf(workspace)
    .catalog.filter((e) => usable.has(e.provider) && e.id !== model.target.id)
    .map((e) => row(e.id, promptLimit(e, { setting: values["limits.maxPromptTokens"] }).tokens, e.multiplier));
  const own = row(model.target.id, model.promptLimit, model.target.entry.multiplier);
  return ok([own, ...others].join("\n"));
}
