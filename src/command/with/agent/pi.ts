// pi: a launch extension that gives its providers the gateway's address.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { basesOf, gatewayBases, type Provider, providersOf } from "../provider.ts";
import { type AgentRow, argument, pastGateway, set, type User, type Vendor } from "../row.ts";

/** These manage packages and take no extension. */
const COMMANDS = new Set(["install", "remove", "uninstall", "update", "list", "config"]);

const VERSIONS = { openai: "/v1", anthropic: "", gemini: "/v1beta" };
const APIS: Readonly<Record<string, Vendor>> = {
  "openai-completions": "openai",
  "openai-responses": "openai",
  "anthropic-messages": "anthropic",
  "google-generative-ai": "gemini",
};
/** The format of vendors whose entry in models.json only changes the address. */
const USUAL_APIS: Readonly<Record<string, string>> = {
  openai: "openai-responses",
  anthropic: "anthropic-messages",
  google: "google-generative-ai",
};

export const pi: AgentRow = {
  command: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
  ownFlags: ["--print"],
  bases: (user) => ok(isPackageCommand(user) ? [] : basesOf("pi", piProviders(user))),
  plan(request) {
    const { args, launch } = request;
    if (isPackageCommand(request)) return ok({});
    const providers = piProviders(request);
    const chosen = chosenProvider(request);
    if (chosen !== undefined && !providers.some(({ name }) => name === chosen))
      return fail(pastGateway("pi", `The provider "${chosen}" has an address that the gateway does not know`, advice));
    const path = join(launch, "pi.ts");
    const text = [
      "// Written by `everlong with pi` for one run.",
      "export default function (pi) {",
      `  for (const [name, baseUrl] of Object.entries(${JSON.stringify(gatewayBases(request, providers, VERSIONS))}))`,
      "    pi.registerProvider(name, { baseUrl });",
      "}",
      "",
    ].join("\n");
    return ok({ args: ["-e", path, ...args], files: [{ path, mode: 0o600, text }] });
  },
};

const advice =
  "Define it in pi's models.json with baseUrl and api (openai-completions, openai-responses, anthropic-messages or google-generative-ai), or use another --provider.";

const isPackageCommand = ({ args }: User): boolean => COMMANDS.has(args[0] ?? "");

const piProviders = (user: User): readonly Provider[] => providersOf(ownProviders(user), chosenProvider(user));

/** By its argument, as the first part of the model, or in pi's own settings. */
function chosenProvider(user: User): string | undefined {
  const provider = argument(user.args, "--provider");
  if (provider !== undefined) return provider;
  const [prefix = "", rest] = argument(user.args, "--model")?.split("/") ?? [];
  const settings = jsonOf(user, "settings.json");
  const usual = typeof settings["defaultProvider"] === "string" ? settings["defaultProvider"] : undefined;
  // A model's name may hold a slash of its own, so the first part counts only where it names a provider.
  const isProvider = rest !== undefined && providersOf(ownProviders(user), prefix).some(({ name }) => name === prefix);
  return isProvider ? prefix : usual;
}

/** Those with an address of their own. */
function ownProviders(user: User): { name: string; vendor?: Vendor | undefined; url: string }[] {
  const { providers } = jsonOf(user, "models.json");
  return Object.entries(isRecord(providers) ? providers : {}).flatMap(([name, entry]) => {
    if (!isRecord(entry) || typeof entry["baseUrl"] !== "string") return [];
    return [{ name, vendor: vendorOf(name, entry), url: entry["baseUrl"] }];
  });
}

/** Undefined where its models do not all go the same way. */
function vendorOf(name: string, entry: Record<string, unknown>): Vendor | undefined {
  const models = Array.isArray(entry["models"]) ? entry["models"].filter(isRecord) : [];
  if (models.some((model) => model["baseUrl"] !== undefined)) return undefined;
  const usual = entry["api"] ?? USUAL_APIS[name];
  const apis = models.length === 0 ? [usual] : models.map((model) => model["api"] ?? usual);
  const vendors = new Set(apis.map((api) => (typeof api === "string" ? APIS[api] : undefined)));
  return vendors.size === 1 ? [...vendors][0] : undefined;
}

function jsonOf({ env, home, read }: User, file: string): Record<string, unknown> {
  const parsed = parseJson(read(join(set(env, "PI_CODING_AGENT_DIR") ?? join(home, ".pi", "agent"), file)) ?? "");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}
