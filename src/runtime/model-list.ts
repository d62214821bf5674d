// /model without a name: the models that can be used here, with limit and multiplier.
import { ok } from "../base/result.ts";
import { promptLimit } from "../model/limits.ts";
import type { CommandResult } from "./client.ts";
import { catalogOf } from "./model.ts";
import type { LiveSession } from "./session/live-session.ts";

export async function listModels(live: LiveSession): Promise<CommandResult> {
  const { values } = live.workspace.settings;
  const usable = new Set<string>(["offline"]);
  for (const provider of ["openai", "anthropic", "google"] as const)
    if (values[`providers.${provider}.apiKey`]) usable.add(provider);
  if (values["provider.baseUrl"]) usable.add("custom");
  const row = (id: string, limit: number, multiplier: number) =>
    `${id === live.target.id ? "*" : " "} ${id}  limit ${limit}  x${multiplier}`;
  const others = catalogOf(live.workspace)
    .catalog.filter((e) => usable.has(e.provider) && e.id !== live.target.id)
    .map((e) => row(e.id, promptLimit(e, { setting: values["limits.maxPromptTokens"] }).tokens, e.multiplier));
  const own = row(live.target.id, live.limits.promptLimit, live.target.entry.multiplier);
  return ok([own, ...others].join("\n"));
}
