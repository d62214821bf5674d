// Which names this gateway answers to: rebinding a foreign name to loopback ends here.
import { isLoopbackHost } from "../base/address.ts";
import type { RefusalCode } from "./refusal.ts";

const FORM = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,252}[a-z0-9])?)(?::(\d{1,5}))?$/;

/** The raw headers are read because Node keeps only the first of two. Undefined: the name is ours. */
export function hostProblem(rawHeaders: readonly string[], names: ReadonlySet<string>): RefusalCode | undefined {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "host");
  const [, name, port] = (hosts.length === 1 && FORM.exec(hosts[0]?.toLowerCase() ?? "")) || [];
  if (name === undefined || Number(port ?? 1) > 65_535) return "bad_host";
  return isLoopbackHost(name) || names.has(name) ? undefined : "forbidden_host";
}

/** The names under which a gateway bound to `host` may be called, beside the loopback names. */
export function ownNames(host: string, allowed: readonly string[]): ReadonlySet<string> {
  const bound = host.includes(":") ? `[${host}]` : host;
  return new Set([bound, ...allowed].map((name) => name.toLowerCase()));
}
