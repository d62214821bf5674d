// What codex's own settings say about its model provider: the few lines that matter here, read without a TOML parser.
import { join } from "node:path";
import { set, type User } from "../row.ts";

/** `base` is missing when the provider cannot be stood in for by an address alone. */
export type Chosen = { name: string; base?: string; keyName?: string };

export const configPath = ({ env, home }: User): string =>
  join(set(env, "CODEX_HOME") ?? join(home, ".codex"), "config.toml");

/** The provider that the user's file chooses; undefined: the vendor's own. */
export function chosenProvider(user: User): Chosen | undefined {
  const text = user.read(configPath(user)) ?? "";
  const [top = "", ...tables] = text.split(/^(?=\s*\[)/m);
  const name = textAt(top, "model_provider");
  if (name === undefined || name === "openai" || name === "everlong") return undefined;
  const escaped = name.replace(/[^\w-]/g, "\\$&");
  const head = new RegExp(`^\\s*\\[\\s*model_providers\\s*\\.\\s*"?${escaped}"?\\s*\\]`);
  const table = tables.find((one) => head.test(one)) ?? "";
  const base = textAt(table, "base_url");
  // Queries, own headers and other ways to sign in would be lost on the way.
  const special = /^\s*(?:query_params|http_headers|env_http_headers|auth|aws|experimental_bearer_token)\b/m.test(
    table,
  );
  const keyName = textAt(table, "env_key");
  return {
    name,
    ...(base === undefined || special ? {} : { base }),
    ...(keyName === undefined ? {} : { keyName }),
  };
}

function textAt(table: string, key: string): string | undefined {
  return new RegExp(`^\\s*${key}\\s*=\\s*(["'])(.*?)\\1`, "m").exec(table)?.[2];
}
