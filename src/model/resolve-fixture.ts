// What the tests about choosing a model share: plain input, and real servers that answer with JSON.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import { builtInCatalog } from "./catalog.data.ts";
import { resolveModel } from "./resolve.ts";
import { type FetchJson, fetchJson } from "./resolve-fetch.ts";
import type { ResolveInput } from "./resolve-input.ts";

export const noNetwork: FetchJson = async (url) => {
  throw new Error(`asked the network: ${url}`);
};
export const silent: FetchJson = async () => ({ ok: false, error: "nothing there" });

/** The real thing, on a machine that may be busy. */
export const patient: FetchJson = (url, options) => fetchJson(url, { ...options, timeoutMs: 30_000 });

export function input(more: Partial<ResolveInput> = {}): ResolveInput {
  const providers = { openai: {}, anthropic: {}, google: {}, ollama: {}, ...more.providers };
  return {
    headers: {},
    offline: false,
    keySources: {},
    catalog: builtInCatalog,
    fetchJson: noNetwork,
    ...more,
    providers,
  };
}
export async function target(more: Partial<ResolveInput>) {
  const resolved = await resolveModel(input(more));
  if (!resolved.ok) throw new Error(resolved.error.what);
  return resolved.value;
}
export async function failure(more: Partial<ResolveInput>) {
  const resolved = await resolveModel(input(more));
  if (resolved.ok) throw new Error(`resolved to ${resolved.value.target.id}`);
  return resolved.error;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
/** A real server that answers each path with the given JSON, and remembers what it was asked. */
export async function serve(answers: Record<string, unknown | ((body: unknown) => unknown)>) {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, authorization: request.headers.authorization });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answers[path];
      const text = Buffer.concat(chunks).toString();
      const body = typeof answer === "function" ? answer(text === "" ? undefined : JSON.parse(text)) : answer;
      response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? {}));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
