// Qwen Code: an OpenAI-compatible client; entries of its own settings may lead elsewhere.
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { fail, ok } from "../../../base/result.ts";
import { basesIn, rootFor } from "../base.ts";
import { keyOrToken } from "../key.ts";
import { argument, given, pastGateway, type Refusal, type Row, set, type User } from "../row.ts";

const BASE = "OPENAI_BASE_URL";
const BY_KEY = "openai";

export const qwen: Row = {
  command: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  bases: basesIn({ openai: BASE }),
  plan(asked) {
    const { args, env } = asked;
    const past = pastBy(asked);
    if (past) return fail(past);
    const own = set(env, BASE);
    return ok({
      args: given(args, "--auth-type") ? args : ["--auth-type", BY_KEY, ...args],
      env: { [BASE]: `${rootFor(asked, "openai", own)}/v1`, ...keyOrToken(asked, "openai", own, "OPENAI_API_KEY") },
    });
  },
};

function pastBy(user: User): Refusal | undefined {
  const { args } = user;
  if (given(args, "--openai-base-url"))
    return pastGateway("qwen", "--openai-base-url leads elsewhere", `Set ${BASE} instead.`);
  const signIn = argument(args, "--auth-type");
  if (signIn !== undefined && signIn !== BY_KEY)
    return pastGateway("qwen", `--auth-type ${signIn} leads elsewhere`, `Use --auth-type ${BY_KEY}.`);
  const path = join(user.home, ".qwen", "settings.json");
  const entry = ownEntry(user, path);
  if (!entry) return undefined;
  const why = `${path} (modelProviders) sends the model "${entry.id}" to ${entry.base}`;
  return pastGateway("qwen", why, `Choose another model with -m, or take the entry out and set ${BASE}=${entry.base}.`);
}

/** The entry for the chosen model, if it names an address of its own: qwen prefers that to the environment. */
function ownEntry({ args, env, read }: User, path: string): { id: string; base: string } | undefined {
  const parsed = parseJson(read(path) ?? "");
  const settings = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const model = isRecord(settings["model"]) ? settings["model"]["name"] : undefined;
  const chosen = argument(args, "-m", "--model") ?? set(env, "OPENAI_MODEL") ?? model;
  const providers = isRecord(settings["modelProviders"]) ? Object.values(settings["modelProviders"]) : [];
  for (const entry of providers.flat().filter(isRecord)) {
    const { id, baseUrl } = entry;
    if (id === chosen && typeof id === "string" && typeof baseUrl === "string" && baseUrl !== "")
      return { id, base: baseUrl };
  }
  return undefined;
}
