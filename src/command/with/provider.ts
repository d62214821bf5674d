// Providers of an agent's own settings that have addresses of their own: the gateway forwards to each under a name.
import { rootFor, usable } from "./base.ts";
import type { Base, LaunchRequest, Vendor } from "./row.ts";

export type Provider = {
  /** As the agent calls it. */
  name: string;
  vendor: Vendor;
  /** Undefined: the vendor's usual one. */
  url?: string;
};

/** What agents call the vendors, and what stands behind the address in their base URLs. */
const VENDORS: readonly Provider[] = [
  { name: "openai", vendor: "openai" },
  { name: "anthropic", vendor: "anthropic" },
  { name: "google", vendor: "gemini" },
];

/** Providers that agents have built in; all speak OpenAI's chat format. */
const BUILT_IN: Readonly<Record<string, string>> = {
  cerebras: "https://api.cerebras.ai/v1",
  deepseek: "https://api.deepseek.com",
  groq: "https://api.groq.com/openai/v1",
  openrouter: "https://openrouter.ai/api/v1",
  xai: "https://api.x.ai/v1",
};

/**
 * The vendors, what the settings define, and the chosen one where agents have it built in.
 * `own` has an entry for each provider with an address in the settings; one without a vendor cannot be led through.
 */
export function providersOf(
  own: readonly { name: string; vendor?: Vendor | undefined; url: string }[],
  chosen: string | undefined,
): readonly Provider[] {
  const others = VENDORS.filter(({ name }) => !own.some((provider) => provider.name === name));
  const led = own.flatMap(({ name, vendor, url }) => (vendor && usable(url) ? [{ name, vendor, url }] : []));
  const isBuiltIn = chosen !== undefined && Object.hasOwn(BUILT_IN, chosen) && !own.some(({ name }) => name === chosen);
  const builtIn = isBuiltIn ? [{ name: chosen, vendor: "openai" as const, url: BUILT_IN[chosen] ?? "" }] : [];
  return [...others, ...led, ...builtIn];
}

/** A vendor's own provider keeps the vendor's name: what else goes there follows the same settings. */
export function basesOf(agent: string, providers: readonly Provider[]): readonly Base[] {
  return providers.flatMap(({ name, vendor, url }) => {
    const isVendor = VENDORS.some((usual) => usual.name === name && usual.vendor === vendor);
    const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    return url === undefined ? [] : [{ name: isVendor ? vendor : `${agent}-${slug}`, vendor, url }];
  });
}

/** The base URLs to give to the agent; `versions` is what its SDK expects behind the address. */
export function gatewayBases(
  request: LaunchRequest,
  providers: readonly Provider[],
  versions: Readonly<Record<Vendor, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    providers.map(({ name, vendor, url }) => [name, rootFor(request, vendor, url) + versions[vendor]]),
  );
}
