// What of a server's configuration must not be seen: keys in its environment, headers and address.
import type { ServerConfig } from "./server-config.ts";

/** The name of a variable, an option or a header whose value is a secret. */
const SECRET_NAME = /token|secret|passw|pwd|key|auth|credential|cookie|session/i;
/** Shorter ones would hide ordinary words and numbers. */
const LEAST = 6;

export function configSecrets({ line }: ServerConfig): string[] {
  const values = line.type === "stdio" ? [...named(line.env), ...line.args.flatMap(ofOption)] : ofRemote(line);
  return [...new Set(values)].filter((value) => value.length >= LEAST);
}

const named = (of: Record<string, string>): string[] =>
  Object.entries(of).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));

/** `--token=X`, and the X of `--token X`. */
function ofOption(arg: string, i: number, args: readonly string[]): string[] {
  const [, name, value] = /^(--?[\w-]+)=(.+)$/s.exec(arg) ?? [];
  if (name !== undefined && value !== undefined) return SECRET_NAME.test(name) ? [value] : [];
  const before = args[i - 1] ?? "";
  return /^--?[\w-]+$/.test(before) && SECRET_NAME.test(before) && !arg.startsWith("-") ? [arg] : [];
}

function ofRemote({ url, headers }: Extract<ServerConfig["line"], { url: string }>): string[] {
  const { username, password, searchParams } = new URL(url);
  const parts = [username, password, ...searchParams.values()];
  const sent = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+\s+/, "")]);
  return [...parts, ...parts.map(encodeURIComponent), ...sent];
}
