// Qwen Code: an OpenAI-compatible client; entries of its own settings with other addresses are led through by a launch file.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { basesIn, rootFor, usable } from "../base.ts";
import { keyOrToken } from "../key.ts";
import { type AgentRow, argument, type Base, hasFlag, pastGateway, type Refusal, set, type User } from "../row.ts";

const BASE = "OPENAI_BASE_URL";
const BY_KEY = "openai";
/** Settings that win over the user's own. */
const SYSTEM = "QWEN_CODE_SYSTEM_SETTINGS_PATH";
const SYSTEM_PATH = "/etc/qwen-code/settings.json";

type Tree = Record<string, unknown>;
/** Lists of models, by provider; an entry may name an address, which qwen prefers to the environment. */
type Providers = Readonly<Record<string, readonly unknown[]>>;

export const qwen: AgentRow = {
  command: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  bases(user) {
    const bases = basesIn({ openai: BASE })(user);
    return bases.ok ? ok([...bases.value, ...ownBases(user)]) : bases;
  },
  plan(request) {
    const { args, env, launch } = request;
    const past = pastBy(request);
    if (past) return fail(past);
    const own = set(env, BASE);
    const path = join(launch, "qwen.json");
    const led = ownBases(request).length > 0;
    const text = {
      ...systemSettings(request),
      modelProviders: ledProviders(request, (url) => rootFor(request, "openai", url)),
    };
    return ok({
      args: hasFlag(args, "--auth-type") ? args : ["--auth-type", BY_KEY, ...args],
      env: {
        [BASE]: `${rootFor(request, "openai", own)}/v1`,
        ...keyOrToken(request, "openai", own, "OPENAI_API_KEY"),
        ...(led ? { [SYSTEM]: path } : {}),
      },
      files: led ? [{ path, mode: 0o600, text: `${JSON.stringify(text)}\n` }] : [],
    });
  },
};

function pastBy(user: User): Refusal | undefined {
  const { args } = user;
  if (hasFlag(args, "--openai-base-url"))
    return pastGateway("qwen", "--openai-base-url leads elsewhere", `Set ${BASE} instead.`);
  const signIn = argument(args, "--auth-type");
  if (signIn !== undefined && signIn !== BY_KEY)
    return pastGateway("qwen", `--auth-type ${signIn} leads elsewhere`, `Use --auth-type ${BY_KEY}.`);
  const entry = unledEntry(user);
  if (!entry) return undefined;
  const why = `${userPath(user)} (modelProviders) sends the model "${entry.id}" to ${entry.base}, as "${entry.provider}"`;
  return pastGateway("qwen", why, `Choose another model with -m, or move the entry to modelProviders.${BY_KEY}.`);
}

const userPath = ({ home }: User): string => join(home, ".qwen", "settings.json");
const systemSettings = (user: User): Tree => treeAt(user, set(user.env, SYSTEM) ?? SYSTEM_PATH);

/** The machine's entries replace the user's; a project's are not asked where keys may go. */
function providersOf(user: User): Providers {
  const providers = systemSettings(user)["modelProviders"] ?? treeAt(user, userPath(user))["modelProviders"];
  const lists = Object.entries(isRecord(providers) ? providers : {});
  return Object.fromEntries(lists.filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1])));
}

function ownBases(user: User): Base[] {
  const urls = (providersOf(user)[BY_KEY] ?? []).map(baseOf).filter((url) => url !== undefined && usable(url));
  return [...new Set(urls as string[])].map((url, i) => ({ name: `qwen-${i + 1}`, vendor: "openai", url }));
}

/** The same entries, but with the gateway's address in place of each that it forwards to. */
function ledProviders(user: User, root: (url: string) => string): Providers {
  const providers = providersOf(user);
  const led = (providers[BY_KEY] ?? []).map((entry) => {
    const url = baseOf(entry);
    return isRecord(entry) && url !== undefined && usable(url) ? { ...entry, baseUrl: `${root(url)}/v1` } : entry;
  });
  return { ...providers, [BY_KEY]: led };
}

/** The entry for the chosen model, if it names an address that the gateway does not take over. */
function unledEntry(user: User): { id: string; base: string; provider: string } | undefined {
  const { args, env } = user;
  const model = treeAt(user, userPath(user))["model"];
  const chosen = argument(args, "-m", "--model") ?? set(env, "OPENAI_MODEL") ?? (isRecord(model) ? model["name"] : "");
  const entries = Object.entries(providersOf(user)).flatMap(([provider, list]) =>
    list.filter(isRecord).map((entry) => ({ provider, id: entry["id"], base: baseOf(entry) })),
  );
  const own = entries.filter(({ id }) => id === chosen);
  if (own.some(({ provider, base }) => provider === BY_KEY && (base === undefined || usable(base)))) return undefined;
  const unled = own.find(({ base }) => base !== undefined);
  return unled && { id: String(chosen), base: unled.base ?? "", provider: unled.provider };
}

function baseOf(entry: unknown): string | undefined {
  const base = isRecord(entry) ? entry["baseUrl"] : undefined;
  return typeof base === "string" && base !== "" ? base : undefined;
}

function treeAt({ read }: User, path: string): Tree {
  const parsed = parseJson(read(path) ?? "");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}
