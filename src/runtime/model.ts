// The model of a session: which one, how it is called, and switching to another.
import { readFileSync } from "node:fs";
import type { Failure } from "../base/failure.ts";
import { fail, type Result } from "../base/result.ts";
import { loadCatalog } from "../model/catalog.ts";
import type { CallModel } from "../model/contract.ts";
import { type ResolvedModel, resolveModel } from "../model/resolve.ts";
import { fetchJson } from "../model/resolve-fetch.ts";
import { resolveInput } from "../model/resolve-input.ts";
import { refusedByList } from "../model/resolve-list.ts";
import { allVendors } from "../model/wire/registry.ts";
import type { CatalogEntry, ProviderName } from "../schema/model.ts";
import type { Workspace } from "./workspace.ts";

export function catalogOf(workspace: Workspace): ReturnType<typeof loadCatalog> {
  let text: string | undefined;
  try {
    text = readFileSync(workspace.paths.models, "utf8");
  } catch {
    text = undefined; // no file of the user's own: the built-in catalogue
  }
  return loadCatalog(text);
}

/** Models of the vendors that have a key, and of these providers. */
export function usableModels(workspace: Workspace, more: readonly ProviderName[] = []): readonly CatalogEntry[] {
  const { values } = workspace.settings;
  const usable = new Set(more);
  for (const { provider } of allVendors()) if (provider && values[`providers.${provider}.apiKey`]) usable.add(provider);
  return catalogOf(workspace).catalog.filter((entry) => usable.has(entry.provider));
}

/** `requested` beats the settings; without either the configuration decides. */
export async function chooseModel(workspace: Workspace, requested?: string): Promise<Result<ResolvedModel, Failure>> {
  const { catalog, warnings } = catalogOf(workspace);
  const { values, sources } = workspace.settings;
  const resolved = await resolveModel(
    resolveInput(values, sources, { catalog, fetchJson, ...(requested === undefined ? {} : { requested }) }),
  );
  if (resolved.ok) resolved.value.warnings.unshift(...warnings);
  return resolved;
}

/** For a name that a person types: one that the server's own list does not have is refused. */
export async function chooseListedModel(
  workspace: Workspace,
  requested: string,
): Promise<Result<ResolvedModel, Failure>> {
  const chosen = await chooseModel(workspace, requested);
  if (!chosen.ok) return chosen;
  const { values, sources } = workspace.settings;
  const { catalog } = catalogOf(workspace);
  const refusal = await refusedByList(chosen.value.target, resolveInput(values, sources, { catalog, fetchJson }));
  return refusal ? fail(refusal) : chosen;
}

/** One way to call any model; the code of each kind is loaded when it is first called. */
export const callAnyModel: CallModel = async (target, request, options) => {
  if (target.provider === "offline") {
    const { callOffline } = await import("../model/offline/call-offline.ts");
    return callOffline(target, request, options);
  }
  const { callModel } = await import("../model/call.ts");
  return callModel(target, request, options);
};
