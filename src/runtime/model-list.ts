// /model without a name: the models that can be used here, with limit and multiplier.
import { ok } from "../base/result.ts";
import { fetchJson } from "../model/resolve-fetch.ts";
import { resolveInput } from "../model/resolve-input.ts";
import { usableModels } from "../model/resolve-list.ts";
import type { CommandResult } from "./client.ts";
import { catalogOf } from "./model.ts";
import type { LiveSession } from "./session/live-session.ts";

export async function listModels(live: LiveSession): Promise<CommandResult> {
  const { values, sources } = live.ground.settings;
  const { catalog } = catalogOf(live.ground);
  const { signal } = live.stopping;
  const usable = await usableModels(resolveInput(values, sources, { catalog, fetchJson, signal }));
  const row = (id: string, limit: number, multiplier: number) =>
    `${id === live.target.id ? "*" : " "} ${id}  limit ${limit}  x${multiplier}`;
  const others = usable
    .filter(({ id }) => id !== live.target.id)
    .map(({ id, promptLimit, multiplier }) => row(id, promptLimit, multiplier));
  const own = row(live.target.id, live.limits.promptLimit, live.target.entry.multiplier);
  return ok([own, ...others].join("\n"));
}
