// What codex's own settings say about its model provider.

import { join } from "node:path";
import { parse, type TomlTable } from "smol-toml";
import { isRecord } from "../../../base/json.ts";
import { optional } from "../../../base/optional.ts";
import { entryOf } from "../../../base/own-entry.ts";
import { set, type User } from "../row.ts";

/** `base` is missing when the provider cannot be stood in for by an address alone. */
type CodexProvider = { name: string; base?: string; keyName?: string };

export const configPath = ({ env, home }: User): string =>
  join(set(env, "CODEX_HOME") ?? join(home, ".codex"), "config.toml");

/** Queries, own headers and other ways to sign in would be lost on the way. */
const SPECIAL = ["query_params", "http_headers", "env_http_headers", "auth", "aws", "experimental_bearer_token"];

/** The provider that the user's file chooses; undefined: the vendor's own. */
export function chosenProvider(user: User): CodexProvider | undefined {
  const { model_provider: name, model_providers: providers } = readConfig(user.read(configPath(user)) ?? "");
  if (typeof name !== "string" || name === "openai" || name === "everlong") return undefined;
  const provider = isRecord(providers) && entryOf(providers, name);
  const table = isRecord(provider) ? provider : {};
  const isSpecial = SPECIAL.some((key) => Object.hasOwn(table, key));
  const text = (key: string): string | undefined => (typeof table[key] === "string" ? table[key] : undefined);
  return {
    name,
    ...optional("base", isSpecial ? undefined : text("base_url")),
    ...optional("keyName", text("env_key")),
  };
}

function readConfig(text: string): TomlTable {
  try {
    return parse(text);
  } catch {
    return {}; // codex says itself what is wrong with its file, and does not start
  }
}
