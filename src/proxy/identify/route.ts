// Which requests are in a format that the proxy understands, told by method, path and content type alone.
import type { Route } from "../contract.ts";

export type ProxyPath = {
  /** What stands for NAME in `/up/NAME/…`, as it was written. */
  upstream: string | undefined;
  /** The path after that, as received. */
  rest: string;
};

const ROUTES: Readonly<Record<string, Route>> = {
  "/chat/completions": { wire: "openai-chat", task: "generate" },
  "/responses": { wire: "openai-responses", task: "generate" },
  "/responses/compact": { wire: "openai-responses", task: "compact" },
  "/messages": { wire: "anthropic", task: "generate" },
  "/messages/count_tokens": { wire: "anthropic", task: "count" },
};

const GEMINI = /:(generateContent|streamGenerateContent|countTokens)$/;
const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export function splitPath(path: string): ProxyPath {
  const named = /^\/up\/([^/]*)(\/.*)?$/.exec(path);
  return named ? { upstream: named[1] ?? "", rest: named[2] ?? "/" } : { upstream: undefined, rest: path };
}

/** Without a leading `/v1`. */
export function afterVersion(rest: string): string {
  return rest.replace(/^\/v1(?=\/|$)/, "");
}

/** The format that a path belongs to, whatever is done there; `path` is without its query. */
export function pathRoute(path: string): Route | undefined {
  const { rest } = splitPath(path);
  const short = afterVersion(rest);
  if (Object.hasOwn(ROUTES, short)) return ROUTES[short];
  const gemini = GEMINI.exec(rest)?.[1];
  return gemini === undefined ? undefined : { wire: "gemini", task: gemini === "countTokens" ? "count" : "generate" };
}

/** X1. Undefined: the request passes through unread. */
export function routeOf(method: string, path: string, contentType: string | undefined): Route | undefined {
  const readable = contentType === undefined || contentType.trim() === "" || JSON_TYPE.test(contentType);
  return method === "POST" && readable ? pathRoute(path) : undefined;
}

/** X1, X2: what goes upstream at all; every other path is the gateway's own. */
export function isProxyPath(path: string): boolean {
  return /^\/(?:v1|v1beta|up)\//.test(path) || pathRoute(path) !== undefined;
}
