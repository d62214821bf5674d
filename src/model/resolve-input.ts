// What choosing a model depends on, as plain values, and how to get it from the settings.
import { type ProviderName, type VendorName, vendorNames, type WireName } from "../schema/model.ts";
import type { Sources } from "../settings/resolve.ts";
import type { Settings } from "../settings/table.ts";
import type { ModelCatalog } from "./catalog.ts";
import type { FetchJson } from "./resolve-fetch.ts";

const ofVendors = <V>(make: (vendor: VendorName) => V): Record<VendorName, V> =>
  Object.fromEntries(vendorNames.map((vendor) => [vendor, make(vendor)])) as Record<VendorName, V>;

type Account = { apiKey?: string | undefined; baseUrl?: string | undefined };

export type ResolveInput = {
  /** What the user asked for; undefined chooses by what is configured. */
  requested?: string | undefined;
  /** The custom provider. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Only when the user set it: it overrides every other rule about wires. */
  wire?: WireName | undefined;
  headers: Readonly<Record<string, string>>;
  providers: Readonly<Record<VendorName, Account>>;
  maxPromptTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
  /** Connect to loopback only. */
  offline: boolean;
  /** Variable or setting that each key came from, for messages. */
  keySources: Readonly<Partial<Record<ProviderName, string>>>;
  catalog: ModelCatalog;
  fetchJson: FetchJson;
  signal?: AbortSignal | undefined;
};

type ResolveSources = { catalog: ModelCatalog; fetchJson: FetchJson; signal?: AbortSignal; requested?: string };

export function resolveInput(values: Settings, sources: Sources, choice: ResolveSources): ResolveInput {
  const account = (vendor: VendorName): Account => ({
    apiKey: values[`providers.${vendor}.apiKey`],
    baseUrl: values[`providers.${vendor}.baseUrl`],
  });
  const source = (key: `providers.${VendorName}.apiKey` | "provider.apiKey"): string =>
    sources[key].startsWith("environment ") ? sources[key].slice("environment ".length) : `setting ${key}`;
  return {
    requested: values.model,
    baseUrl: values["provider.baseUrl"],
    apiKey: values["provider.apiKey"],
    wire: values["provider.wire"],
    headers: values["provider.headers"],
    providers: ofVendors(account),
    maxPromptTokens: values["limits.maxPromptTokens"],
    maxOutputTokens: values["limits.maxOutputTokens"],
    offline: values.offline,
    keySources: {
      custom: source("provider.apiKey"),
      ...ofVendors((vendor) => source(`providers.${vendor}.apiKey`)),
    },
    ...choice,
  };
}
