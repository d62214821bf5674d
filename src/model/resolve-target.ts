// From a provider and a name to a target: address, wire, key and limits.

import { isLoopback } from "../base/address.ts";
import { type Failure, notSent } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type CatalogEntry, catalogEntry, type ProviderName, type WireName } from "../schema/model.ts";
import { baseUrl, ollamaOrigin } from "./base-url.ts";
import { findModel } from "./catalog.ts";
import type { ModelTarget } from "./contract.ts";
import { outputLimit, promptLimit } from "./limits.ts";
import { OLLAMA_FALLBACK_CONTEXT, type Ollama, ollamaDetails } from "./ollama.ts";
import type { ResolveInput } from "./resolve-input.ts";
import type { WireVendor } from "./wire/contract.ts";
import { allVendors, allWires, commonWire, wireOf } from "./wire/registry.ts";

type TargetChoice = { target: ModelTarget; warnings: string[] };

const vendorOf = (provider: ProviderName): WireVendor | undefined =>
  allVendors().find((vendor) => vendor.provider === provider);

type CatalogFinding = { entry: CatalogEntry; warnings: string[] };

export async function targetFor(
  provider: ProviderName,
  name: string,
  input: ResolveInput,
): Promise<Result<TargetChoice, Failure>> {
  if (provider === "offline") return ok({ target: offlineTarget(input), warnings: [] });
  const id = `${provider}/${name}`;
  const address = addressOf(provider, input);
  const wire = wireFor(provider, findModel(input.catalog, id), address.vendorOwn, input.wire);
  const url = baseUrl(address.text, wire, address.source);
  if (!url.ok) return url;
  if (input.offline && !isLoopback(url.value)) return fail(refusedOffline(id));
  const apiKey = keyOf(provider, input);
  if (apiKey === undefined && address.vendorOwn) return fail(missingKey(provider, id));
  const { entry, warnings } = provider === "ollama" ? await ollamaEntry(name, input) : entryFor(provider, name, input);
  const maxOutputTokens = outputLimit(entry, input.maxOutputTokens);
  const keySource = provider === "custom" || input.providers[provider].apiKey !== undefined ? provider : "custom";
  const target: ModelTarget = {
    id,
    provider,
    name,
    wire,
    baseUrl: url.value,
    ...(apiKey === undefined ? {} : { apiKey }),
    keySource: input.keySources[keySource] ?? vendorOf(provider)?.keyVariable ?? "EVERLONG_API_KEY",
    headers: headersFor(provider, input),
    entry,
    promptLimit: promptLimit(entry, { setting: input.maxPromptTokens }).tokens,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  return ok({ target, warnings });
}

function offlineTarget(input: ResolveInput): ModelTarget {
  const entry =
    findModel(input.catalog, "offline") ?? catalogEntry.parse({ id: "offline", provider: "offline", multiplier: 0 });
  const limit = promptLimit(entry, { setting: input.maxPromptTokens }).tokens;
  return {
    id: "offline",
    provider: "offline",
    name: "offline",
    wire: commonWire.name,
    headers: {},
    entry,
    promptLimit: limit,
  };
}

type Address = { text: string; source: string; vendorOwn: boolean };

function addressOf(provider: Exclude<ProviderName, "offline">, input: ResolveInput): Address {
  if (provider === "custom")
    return { text: input.baseUrl ?? "", source: "The base URL (EVERLONG_BASE_URL, --base-url)", vendorOwn: false };
  const source = `The address of ${provider} (providers.${provider}.baseUrl)`;
  const configured = input.providers[provider].baseUrl;
  if (provider === "ollama") return { text: ollamaOrigin(configured), source, vendorOwn: false };
  const own = vendorOf(provider)?.address ?? "";
  const text = configured?.trim() || own;
  return { text, source, vendorOwn: URL.parse(text)?.origin === URL.parse(own)?.origin };
}

/** The user's word, else the vendor's one wire, else the catalogue's; at another address only one that is sure to be spoken. */
function wireFor(
  provider: ProviderName,
  entry: CatalogEntry | undefined,
  vendorOwn: boolean,
  named: WireName | undefined,
): WireName {
  if (named !== undefined) return named;
  const ofVendor = allWires().filter(({ vendor }) => vendor.provider === provider);
  if (ofVendor.length === 1 && ofVendor[0]) return ofVendor[0].name;
  const usual = entry?.wire ?? commonWire.name;
  const elsewhere = ofVendor.length > 0 && !vendorOwn ? wireOf(usual).call.elsewhere : undefined;
  return elsewhere ?? usual;
}

/** A key without an address of its own can only be meant for the vendor; with one it belongs to that address. */
function keyOf(provider: Exclude<ProviderName, "offline">, input: ResolveInput): string | undefined {
  if (provider === "custom") return input.apiKey;
  return (
    input.providers[provider].apiKey ??
    (input.baseUrl === undefined && provider !== "ollama" ? input.apiKey : undefined)
  );
}

/** The same rule for configured headers: they may hold a secret of the custom provider. */
function headersFor(provider: ProviderName, input: ResolveInput): Record<string, string> {
  return provider === "custom" || input.baseUrl === undefined ? { ...input.headers } : {};
}

/** A custom server is taken to hold the catalogue's model of that name, but what it charges is not known. */
function entryFor(provider: ProviderName, name: string, input: ResolveInput): CatalogFinding {
  const id = `${provider}/${name}`;
  const own = findModel(input.catalog, id);
  if (own) return { entry: own, warnings: [] };
  const namesake = provider === "custom" ? findModel(input.catalog, name) : undefined;
  const { prices: _prices, wire: _wire, default: _default, ...limits } = namesake ?? {};
  const entry = catalogEntry.parse({ ...limits, id, provider, multiplier: 1 });
  if (provider === "custom") return { entry, warnings: [] };
  const limit = promptLimit(entry, { setting: input.maxPromptTokens }).tokens;
  const advice = "Set EVERLONG_MAX_PROMPT_TOKENS or add it to models.json.";
  return {
    entry,
    warnings: [`${id} is not in the catalogue: a prompt limit of ${limit} tokens is assumed. ${advice}`],
  };
}

export function ollamaAt(input: ResolveInput): Ollama {
  const { apiKey, baseUrl: host } = input.providers.ollama;
  const headers = {
    ...headersFor("ollama", input),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return { origin: ollamaOrigin(host), fetchJson: input.fetchJson, headers, signal: input.signal };
}

/** Ollama cuts a prompt in silence at the context that the model runs with, so that is the limit. */
async function ollamaEntry(name: string, input: ResolveInput): Promise<CatalogFinding> {
  const id = `ollama/${name}`;
  const listed = findModel(input.catalog, id);
  if (listed) return { entry: listed, warnings: [] };
  const details = await ollamaDetails(ollamaAt(input), name);
  const context = details?.contextTokens ?? OLLAMA_FALLBACK_CONTEXT;
  const can = details?.capabilities;
  const supports = {
    tools: can?.includes("tools") ?? true,
    images: can?.includes("vision") ?? false,
    reasoning: can?.includes("thinking") ?? false,
  };
  const entry = catalogEntry.parse({ id, provider: "ollama", max_context_window_tokens: context, supports });
  if (details?.contextTokens !== undefined || input.maxPromptTokens !== undefined) return { entry, warnings: [] };
  const warning = `Ollama does not say how much context ${name} runs with: ${context} tokens are assumed (set num_ctx, or EVERLONG_MAX_PROMPT_TOKENS).`;
  return { entry, warnings: [warning] };
}

function missingKey(provider: ProviderName, id: string): Failure {
  const variable = vendorOf(provider)?.keyVariable ?? "EVERLONG_API_KEY";
  return notSent(
    "missing_key",
    `${id} needs a key, and ${variable} is not set.`,
    `Set ${variable}, or choose another model with --model (offline needs no key).`,
    1,
  );
}

export const refusedOffline = (what: string): Failure =>
  notSent(
    "refused_offline",
    `${what} is not on this machine, and the setting offline (EVERLONG_OFFLINE) allows connections to loopback only.`,
    "Use a model on loopback or --model offline, or unset EVERLONG_OFFLINE.",
    1,
  );
