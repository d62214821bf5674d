// Which requests are in a format that the proxy understands, told by method, path and content type alone.
import { allWires } from "../../model/wire/registry.ts";
import type { Route } from "../contract.ts";

type ProxyPath = {
  /** What stands for NAME in `/up/NAME/…`, as it was written. */
  upstream: string | undefined;
  /** The path after that, as received. */
  rest: string;
};

const JSON_TYPE = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export function splitPath(path: string): ProxyPath {
  const named = /^\/up\/([^/]*)(\/.*)?$/.exec(path);
  return named ? { upstream: named[1] ?? "", rest: named[2] ?? "/" } : { upstream: undefined, rest: path };
}

/** The format that a path belongs to, whatever is done there; `path` is without its query. */
export function pathRoute(path: string): Route | undefined {
  const { rest } = splitPath(path);
  for (const { name, request } of allWires()) {
    const task = request.task(rest);
    if (task !== undefined) return { wire: name, task };
  }
  return undefined;
}

/** X1. Undefined: the request passes through unread. */
export function routeOf(method: string, path: string, contentType: string | undefined): Route | undefined {
  const readable = contentType === undefined || contentType.trim() === "" || JSON_TYPE.test(contentType);
  return method === "POST" && readable ? pathRoute(path) : undefined;
}

/** X1, X2: what goes upstream at all; every other path is the gateway's own. */
export function isProxyPath(path: string): boolean {
  const isOf = (prefix: string): boolean => path.startsWith(prefix) && path[prefix.length] === "/";
  return isOf("/up") || allWires().some(({ prefix }) => isOf(prefix)) || pathRoute(path) !== undefined;
}
