// The operations over HTTP: the command line speaks to the gateway that runs, in the same words as to the files.
import type { Failure } from "../../base/failure.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, ok } from "../../base/result.ts";
import { ask } from "../ask.ts";
import type { LocalGateway } from "../find.ts";
import type { OperationOutcome, ProxyOperations } from "./contract.ts";

const LIMIT_MS = 60_000;

type Call = { method?: string; query?: Record<string, unknown>; body?: unknown; ifMatch?: string | undefined };

export function remoteOperations(gateway: LocalGateway): ProxyOperations {
  const call = <T>(path: string, what: Call = {}): OperationOutcome<T> =>
    callGateway(gateway, path, what) as OperationOutcome<T>;
  const at = (id: string, rest = ""): string => `/sessions/${encodeURIComponent(id)}${rest}`;
  const items = async <T>(path: string): OperationOutcome<T> => {
    const page = await call<{ items: T }>(path);
    return page.ok ? ok(page.value.items) : page;
  };
  return {
    sessions: (query) => call("/sessions", { query }),
    session: (id) => call(at(id)),
    deleteSession: (id) => call(at(id), { method: "DELETE" }),
    deleteAllSessions: () => call("/sessions", { method: "DELETE", query: { confirm: true } }),
    text: (id, name) => call(at(id, `/${name}`)),
    setText: (id, name, text, ifMatch) => call(at(id, `/${name}`), { method: "PUT", body: { text }, ifMatch }),
    spec: (id) => call(at(id, "/spec")),
    setSpec: (id, change) => call(at(id, "/spec"), { method: "POST", body: change }),
    events: (id, query) => call(at(id, "/events"), { query }),
    requests: (query) => call("/requests", { query }),
    request: (id) => call(`/requests/${encodeURIComponent(id)}`),
    search: (body) => call("/search", { method: "POST", body }),
    stats: (session) => call("/stats", { query: { session } }),
    windows: () => items("/windows"),
    forgetWindow: (model, upstream) => call("/windows", { method: "DELETE", query: { model, upstream } }),
    upstreams: () => items("/upstreams"),
    semantic: () => call("/semantic"),
  };
}

async function callGateway({ address, token }: LocalGateway, path: string, what: Call): OperationOutcome<unknown> {
  const { method = "GET", query = {}, body, ifMatch } = what;
  const fields = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)])).toString();
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, "x-everlong-client": "cli" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (ifMatch !== undefined) headers["if-match"] = ifMatch === "*" ? "*" : `"${ifMatch}"`;
  const target = `/api/proxy${path}${search === "" ? "" : `?${search}`}`;
  const sent = { method, path: target, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const reply = await ask(address, sent, LIMIT_MS);
  if (!reply.ok) return fail(gone(address));
  const read = parseJson(reply.value.text);
  if (!read.ok) return fail(gone(address));
  return reply.value.status < 400 ? ok(read.value) : fail(failureOf(read.value));
}

function failureOf(body: unknown): Failure {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const text = (name: string): string => (typeof error[name] === "string" ? error[name] : "");
  const { code, what, next } = { code: text("code"), what: text("message"), next: text("hint") };
  return { code, what, next, exit: code === "invalid_inputs" ? 2 : 1 };
}

const gone = (address: string): Failure => ({
  code: "gateway_gone",
  what: `The gateway at ${address} did not answer.`,
  data: "The change may or may not have been made.",
  next: "Try again.",
  exit: 1,
});
