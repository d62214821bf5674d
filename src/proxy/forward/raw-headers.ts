// Raw headers: name and value by turns, in the order and case they came in, so that passing them on changes nothing.

/** These headers belong to one connection, never to the message. `trailer` is one too: trailers are not passed on. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function headerOf(raw: readonly string[], name: string): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() === name) return raw[at + 1];
  }
  return undefined;
}

/** It gives the headers without the named ones, which are in lower case. */
function without(raw: readonly string[], names: ReadonlySet<string>): string[] {
  const rest: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? "";
    if (!names.has(name.toLowerCase())) rest.push(name, raw[at + 1] ?? "");
  }
  return rest;
}

/** It leaves out what belongs to the connection, and what its `Connection` header names besides. */
export function endToEnd(raw: readonly string[]): string[] {
  const named = (headerOf(raw, "connection") ?? "").split(",").map((name) => name.trim().toLowerCase());
  return without(raw, new Set([...HOP_BY_HOP, ...named]));
}

/** Nobody's page may read an answer of the gateway, whatever the upstream would let it. */
export function withoutCors(raw: readonly string[]): string[] {
  const names = raw.filter((name, at) => at % 2 === 0 && /^access-control-/i.test(name));
  return names.length === 0 ? [...raw] : without(raw, new Set(names.map((name) => name.toLowerCase())));
}

/** Ours in place of equal names: a gateway behind this one may have set them already. */
export function withOwn(raw: readonly string[], own: readonly string[]): string[] {
  if (own.length === 0) return [...raw];
  const names = new Set(own.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  return [...without(raw, names), ...own];
}
