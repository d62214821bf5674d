// Which headers go upstream, and with whose key.
import { keyHeader } from "../../model/wire/vendor.ts";
import type { Headers } from "../contract.ts";
import { HOP_BY_HOP } from "../forward/raw-headers.ts";
import { headersOf } from "../identify/header.ts";
import { credentialHeaders, type IsToken, keyIn, ownCredential } from "../identify/identity.ts";
import type { Destination } from "./choose.ts";

/** These headers are meant for the gateway. */
const OURS = /^x-(?:cliproxyapi|everlong|proxypilot)-|^x-(?:repo-path|workspace-root|project-root)$/;
/** `host` and `expect` are the sender's own matter, as everything of one connection. */
const OF_SENDER = new Set([...HOP_BY_HOP, "host", "expect"]);
/** These describe the body as it was received; a changed one is sent plain, with its own length. */
const OF_BODY = new Set(["content-length", "content-encoding"]);

type Forwarding = {
  target: Pick<Destination, "upstream" | "vendor">;
  /** The query with its `?`, or empty: a Gemini key may stand there. */
  search: string;
  /** The caller presented the gateway token. */
  token: boolean;
  isToken: IsToken;
  /** The body is not the bytes received. */
  changed: boolean;
};

/** X7, X8: from Node's `rawHeaders` to the flat list that undici takes; names, order and repetitions stay. */
export function forwardHeaders(
  raw: readonly string[],
  { target, search, token, isToken, changed }: Forwarding,
): string[] {
  const headers = headersOf(raw);
  const dropped = connectionNames(headers);
  const credentials = credentialHeaders();
  const sent: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = "", value = ""] = [raw[i], raw[i + 1]];
    const lower = name.toLowerCase();
    if (OURS.test(lower) || OF_SENDER.has(lower) || dropped.has(lower)) continue;
    if (changed && OF_BODY.has(lower)) continue;
    if (credentials.includes(lower) && isToken(keyIn(value))) continue;
    sent.push(name, value);
  }
  const key = token && ownCredential(headers, search, isToken) === undefined ? target.upstream.apiKey : undefined;
  return key === undefined ? sent : [...sent, ...keyHeader(target.vendor, key, headers)];
}

/** The query as it goes on: the gateway token is not accepted there and goes nowhere. */
export function forwardSearch(search: string, isToken: IsToken): string {
  const parts = search
    .slice(1)
    .split("&")
    .filter((part) => !isToken(decoded(part.replace(/^[^=]*=?/, ""))));
  return parts.length === 0 || search === "" ? "" : `?${parts.join("&")}`;
}

/** The sender declares headers to be of this connection only; those that the body needs are not its to declare. */
function connectionNames(headers: Headers): Set<string> {
  const names = (headers["connection"] ?? "").toLowerCase().split(",");
  return new Set(names.map((name) => name.trim()).filter((name) => !OF_BODY.has(name)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text; // not an encoding: the text is what it is
  }
}
