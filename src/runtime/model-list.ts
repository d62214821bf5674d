// /model without a name: the models that can be used here, with limit and multiplier.
import { ok } from "../base/result.ts";
import type { CommandResult } from "./client.ts";
import type { LiveSession } from "./live-session.ts";
import { catalogOf } from "./model.ts";

export async function listModels(live: LiveSession): Promise<CommandResult> {
  const { values } = live.ground.settings;
  const usable = new Set<string>(["offline"]);
  for (const provider of ["openai", "anthropic", "google"] as const)
    if (values[`providers.${provider}.apiKey`]) usable.add(provider);
  if (values["provider.baseUrl"]) usable.add("custom");
  const rows = catalogOf(live.ground)
    .catalog.filter((entry) => usable.has(entry.provider))
    .map(
      (e) =>
        `${e.id === live.target.id ? "*" : " "} ${e.id}  limit ${e.max_prompt_tokens ?? e.max_context_window_tokens ?? "?"}  x${e.multiplier}`,
    );
  const own = rows.some((r) => r.startsWith("*")) ? [] : [`* ${live.target.id}  limit ${live.limits.promptLimit}`];
  return ok([...own, ...rows].join("\n"));
}
