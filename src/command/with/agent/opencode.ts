// opencode: settings of its own kind in one variable, joined to what the user has there.
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { isRecord } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { basesOf, gatewayBases, type Provider, providersOf } from "../provider.ts";
import { type AgentRow, argument, pastGateway, refusal, set, type User, type Vendor } from "../row.ts";

const CONTENT = "OPENCODE_CONFIG_CONTENT";
const VERSIONS = { openai: "/v1", anthropic: "/v1", gemini: "/v1beta" };
/** By the package that an entry names; one that names none is OpenAI-compatible. */
const PACKAGES: Readonly<Record<string, Vendor>> = {
  "@ai-sdk/openai-compatible": "openai",
  "@ai-sdk/openai": "openai",
  "@ai-sdk/anthropic": "anthropic",
  "@ai-sdk/google": "gemini",
};
const USUAL: Readonly<Record<string, string>> = { anthropic: "@ai-sdk/anthropic", google: "@ai-sdk/google" };

type Tree = { [key: string]: unknown };

export const opencode: AgentRow = {
  command: "opencode",
  install: "npm install -g opencode-ai",
  bases(user) {
    const settings = settingsOf(user);
    return settings ? ok(basesOf("opencode", opencodeProviders(user, settings))) : fail(unreadable);
  },
  plan(request) {
    const [theirs, settings] = [contentOf(request), settingsOf(request)];
    if (!theirs || !settings) return fail(unreadable);
    const providers = opencodeProviders(request, settings);
    const model = chosenModel(request, settings);
    const chosen = model?.split("/")[0];
    if (chosen !== undefined && !providers.some(({ name }) => name === chosen))
      return fail(
        pastGateway(
          "opencode",
          `The model ${model} belongs to the provider "${chosen}", whose address the gateway does not know`,
          advice,
        ),
      );
    const ours = Object.entries(gatewayBases(request, providers, VERSIONS)).map(([name, baseURL]) => [
      name,
      { options: { baseURL } },
    ]);
    return ok({ env: { [CONTENT]: JSON.stringify(merged(theirs, { provider: Object.fromEntries(ours) })) } });
  },
};

const advice = "Give it npm and options.baseURL in your own opencode.json, or use a model of another provider.";

function opencodeProviders(user: User, settings: Tree): readonly Provider[] {
  const entries = isRecord(settings["provider"]) ? settings["provider"] : {};
  const own = Object.entries(entries).flatMap(([name, entry]) => {
    const options = isRecord(entry) ? entry["options"] : undefined;
    const base = isRecord(options) ? options["baseURL"] : undefined;
    if (!isRecord(entry) || typeof base !== "string" || base.trim() === "") return [];
    const npm = entry["npm"] ?? USUAL[name] ?? "@ai-sdk/openai-compatible";
    const url = base.replace(/\{env:(\w+)\}/g, (_, variable: string) => user.env[variable] ?? "");
    return [{ name, vendor: typeof npm === "string" ? PACKAGES[npm] : undefined, url }];
  });
  return providersOf(own, chosenModel(user, settings)?.split("/")[0]);
}

function chosenModel({ args }: User, settings: Tree): string | undefined {
  const model = argument(args, "-m", "--model") ?? settings["model"];
  return typeof model === "string" ? model : undefined;
}

/** The user's own files and the variable, as opencode joins them. A project's files are not asked where keys may go. */
function settingsOf(user: User): Tree | undefined {
  const { env, home, read } = user;
  const theirs = contentOf(user);
  const folder = join(set(env, "XDG_CONFIG_HOME") ?? join(home, ".config"), "opencode");
  const file = set(env, "OPENCODE_CONFIG");
  const paths = [
    ...["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(folder, name)),
    ...(file ? [file] : []),
  ];
  const trees = paths.map((path) => parse(read(path) ?? "", [], { allowTrailingComma: true }) as unknown);
  return theirs && [...trees.filter(isRecord), theirs].reduce(merged, {});
}

/** The user's value; undefined when it is no settings object. Comments are allowed there. */
function contentOf({ env }: User): Tree | undefined {
  const text = set(env, CONTENT);
  const value: unknown = text === undefined ? {} : parse(text, [], { allowTrailingComma: true });
  return isRecord(value) ? value : undefined;
}

function merged(theirs: Tree, ours: Tree): Tree {
  const joined = Object.entries(ours).map(([key, value]) => {
    const provider = theirs[key];
    return [key, isRecord(provider) && isRecord(value) ? merged(provider, value) : value];
  });
  return { ...theirs, ...Object.fromEntries(joined) };
}

const unreadable = refusal("config_unreadable", `${CONTENT} is set but is not a JSON object.`, "Fix it, or unset it.");
