// Which model a session talks to, and why: by name when one was asked for, else by what is configured.

import { isLoopback } from "../base/address.ts";
import { type Failure, notSent } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { clip } from "../base/text.ts";
import type { ProviderName } from "../schema/model.ts";
import { defaultModel, findModel, nearModels, splitName } from "./catalog.ts";
import type { ModelTarget } from "./contract.ts";
import { toolCapableModel } from "./ollama.ts";
import type { ResolveInput } from "./resolve-input.ts";
import { listModels, withListed } from "./resolve-list.ts";
import { ollamaAt, refusedOffline, targetFor } from "./resolve-target.ts";

export type ResolvedModel = { target: ModelTarget; reason: string; warnings: string[] };

/** Asks the network only for what cannot be known otherwise: a server's only model, or what an Ollama has. */
export async function resolveModel(input: ResolveInput): Promise<Result<ResolvedModel, Failure>> {
  const requested = input.requested?.trim();
  return requested ? byName(requested, input) : byConfiguration(input);
}

async function byName(name: string, input: ResolveInput): Promise<Result<ResolvedModel, Failure>> {
  const [prefix, rest] = splitName(name);
  if (prefix !== undefined && rest === "") return fail(unknownModel(name, input));
  if (prefix === "custom" && input.baseUrl === undefined) return fail(noAddress(name));
  if (prefix !== undefined) return finish(prefix, rest, input, `you asked for ${name}`);
  if (input.baseUrl !== undefined)
    return finish("custom", name, input, `at ${URL.parse(input.baseUrl)?.origin ?? "the base URL"}`);
  const entry = findModel(input.catalog, name);
  if (!entry) return fail(unknownModel(name, input));
  if (entry.provider === "custom") return fail(noAddress(entry.id));
  return finish(entry.provider, name, input, `you asked for ${name}`);
}

async function byConfiguration(input: ResolveInput): Promise<Result<ResolvedModel, Failure>> {
  if (input.baseUrl !== undefined) return onlyListed(input.baseUrl, input);
  const skipped: string[] = [];
  // A model of Google's is used only when it is named.
  for (const provider of ["openai", "anthropic"] as const) {
    const { apiKey, baseUrl } = input.providers[provider];
    const name = defaultModel(input.catalog, provider)?.id;
    if (apiKey === undefined || name === undefined) continue;
    const source = input.keySources[provider] ?? `a key for ${provider}`;
    if (input.offline && !(baseUrl !== undefined && isLoopback(baseUrl))) {
      skipped.push(
        `${source} is set, but the setting offline allows connections to loopback only: ${provider} is not used.`,
      );
      continue;
    }
    return finish(provider, splitName(name)[1], input, `${source} is set; this is the default model of ${provider}`);
  }
  const ollama = ollamaAt(input);
  const local = isLoopback(ollama.origin) ? await toolCapableModel(ollama) : undefined;
  const resolved =
    local === undefined
      ? await finish("offline", "offline", input, "no provider is configured, and no Ollama model with tools was found")
      : await finish("ollama", local, input, `an Ollama answers at ${ollama.origin} and this model can call tools`);
  return resolved.ok ? ok({ ...resolved.value, warnings: [...skipped, ...resolved.value.warnings] }) : resolved;
}

async function onlyListed(baseUrl: string, input: ResolveInput): Promise<Result<ResolvedModel, Failure>> {
  if (input.offline && !isLoopback(baseUrl)) return fail(refusedOffline("The base URL"));
  const checked = await targetFor("custom", "unnamed", input);
  if (!checked.ok) return checked;
  const listed = await listModels(input);
  if (!listed.ok) return fail(needsName(`The server at the base URL could not list its models: ${listed.error}.`));
  const [only, ...others] = listed.value;
  if (only === undefined) return fail(needsName("The server at the base URL lists no model."));
  if (others.length > 0) {
    const names = listed.value.slice(0, 10).map((m) => m.name);
    return fail(
      needsName(
        `The server at the base URL lists ${listed.value.length} models: ${names.join(", ")}${others.length > 9 ? ", …" : ""}.`,
      ),
    );
  }
  const withWindow = { ...input, catalog: withListed(input.catalog, only) };
  return finish("custom", only.name, withWindow, "the only model that the server at the base URL lists");
}

async function finish(
  provider: ProviderName,
  name: string,
  input: ResolveInput,
  reason: string,
): Promise<Result<ResolvedModel, Failure>> {
  const choice = await targetFor(provider, name, input);
  return choice.ok ? ok({ ...choice.value, reason }) : choice;
}

const needsName = (what: string): Failure =>
  notSent("model_needed", what, "Name the model with --model NAME or EVERLONG_MODEL.");

const noAddress = (id: string): Failure =>
  notSent(
    "missing_base_url",
    `${id} is a model of a custom provider, and no base URL is set.`,
    "Set EVERLONG_BASE_URL or --base-url.",
  );

function unknownModel(name: string, input: ResolveInput): Failure {
  const near = nearModels(input.catalog, name);
  const next =
    near.length > 0
      ? `Did you mean ${near.join(", ")}?`
      : "Write provider/name, or set a base URL for a model of your own server.";
  return notSent("unknown_model", `Model not found: ${clip(name, 100)}.`, next);
}
