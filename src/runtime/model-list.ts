// The models that can be used here, with limit and multiplier.
import { promptLimit } from "../model/limits.ts";
import type { ModelRow } from "./client/session.ts";
import { catalogOf } from "./model.ts";
import type { ModelInForce } from "./session/model-in-force.ts";
import type { Workspace } from "./workspace.ts";

export function listModels(workspace: Workspace, model: ModelInForce): ModelRow[] {
  const { values } = workspace.settings;
  const usable = new Set<string>(["offline"]);
  for (const provider of ["openai", "anthropic", "google"] as const)
    if (values[`providers.${provider}.apiKey`]) usable.add(provider);
  if (values["provider.baseUrl"]) usable.add("custom");
  const { id, entry } = model.target;
  const setting = values["limits.maxPromptTokens"];
  const others = catalogOf(workspace).catalog.filter((e) => usable.has(e.provider) && e.id !== id);
  return [
    { id, promptLimit: model.promptLimit, multiplier: entry.multiplier, isInUse: true },
    ...others.map((e) => ({
      id: e.id,
      promptLimit: promptLimit(e, { setting }).tokens,
      multiplier: e.multiplier,
      isInUse: false,
    })),
  ];
}
