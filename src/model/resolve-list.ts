// Which models can be used now: asked of servers that list theirs, and taken from the catalogue for the rest.
import type { Failure } from "../base/failure.ts";
import { isRecord } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { clip, nearNames } from "../base/text.ts";
import { catalogEntry, type WireName } from "../schema/model.ts";
import { baseUrl, isLoopback } from "./base-url.ts";
import { type Catalog, findModel } from "./catalog.ts";
import type { ModelTarget } from "./contract.ts";
import { promptLimit } from "./limits.ts";
import { ollamaModels } from "./ollama.ts";
import type { ResolveInput } from "./resolve-input.ts";
import { ollamaAt } from "./resolve-target.ts";

const LIST_MS = 10_000;
/** Names that a message gives. */
const LISTED = 10;
/** Some list only the first few unless they are asked for more. */
const WHOLE_LIST: Record<WireName, string> = {
  anthropic: "?limit=1000",
  gemini: "?pageSize=1000",
  "openai-chat": "",
  "openai-responses": "",
};

export type Listed = { name: string; contextTokens?: number };

/** Models that the custom server lists at `/models`, or one sentence why there is no list. */
export async function listModels(input: ResolveInput): Promise<Result<Listed[], string>> {
  const wire = input.wire ?? "openai-chat";
  const url = baseUrl(input.baseUrl ?? "", wire, "The base URL");
  return url.ok ? listAt({ ...input, wire, baseUrl: url.value }) : fail(url.error.what);
}

type ListedServer = Pick<ModelTarget, "baseUrl" | "wire" | "headers"> & { apiKey?: string | undefined };

async function listAt(
  server: ListedServer & Pick<ResolveInput, "fetchJson" | "signal">,
): ReturnType<typeof listModels> {
  const { wire, apiKey, fetchJson, signal } = server;
  const headers = { ...keyHeaders(wire, apiKey), ...server.headers };
  const url = `${server.baseUrl}/models${WHOLE_LIST[wire]}`;
  const answer = await fetchJson(url, { timeoutMs: LIST_MS, headers, signal });
  if (!answer.ok) return answer;
  const body = answer.value;
  const list = isRecord(body) ? (body["data"] ?? body["models"]) : body;
  return Array.isArray(list) ? ok(list.flatMap(readListed)) : fail("its answer holds no list of models");
}

function keyHeaders(wire: string, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {};
  if (wire === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
  return wire === "gemini" ? { "x-goog-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

/** Servers name the window differently: vLLM, OpenRouter, LM Studio, Gemini. */
const WINDOW_FIELDS = ["max_model_len", "context_length", "max_context_length", "inputTokenLimit"];

function readListed(raw: unknown): Listed[] {
  if (!isRecord(raw)) return [];
  const name = raw["id"] ?? raw["name"];
  if (typeof name !== "string" || name === "") return [];
  const contextTokens = WINDOW_FIELDS.map((field) => raw[field]).find(
    (n) => typeof n === "number" && Number.isInteger(n) && n > 0,
  );
  return [{ name: name.replace(/^models\//, ""), ...(typeof contextTokens === "number" ? { contextTokens } : {}) }];
}

/** Why a model cannot be chosen: its server has a list, and the name is not in it. What the catalogue names is not looked up. */
export async function refusedByList(target: ModelTarget, input: ResolveInput): Promise<Failure | undefined> {
  const { id, name, provider, baseUrl: address } = target;
  if (address === undefined || input.catalog.some((entry) => entry.id === id)) return undefined;
  if (provider !== "custom" && findModel(input.catalog, id)) return undefined; // a dated snapshot
  const list = await listAt({ ...target, fetchJson: input.fetchJson, signal: input.signal });
  if (!list.ok || list.value.length === 0) return undefined;
  const names = list.value.map((listed) => listed.name);
  if (names.includes(name) || names.includes(`${name}:latest`)) return undefined;
  const near = nearNames(name, names);
  const listed = names.slice(0, LISTED).join(", ");
  return {
    code: "unknown_model",
    what: `The server at ${new URL(address).origin} has no model ${clip(name, 100)}.`,
    data: "The session stays on its model.",
    next:
      near.length > 0 ? `Did you mean ${near.join(", ")}?` : `It lists ${listed}${names.length > LISTED ? ", …" : ""}.`,
    exit: 2,
  };
}

/** The catalogue, with the window that the server named when we know none ourselves. */
export function withListed(catalog: Catalog, { name, contextTokens }: Listed): Catalog {
  const id = `custom/${name}`;
  if (contextTokens === undefined || findModel(catalog, id) || findModel(catalog, name)) return catalog;
  return [...catalog, catalogEntry.parse({ id, provider: "custom", max_context_window_tokens: contextTokens })];
}

export type UsableModel = { id: string; promptLimit: number; multiplier: number };

/** For `/model`: what the given keys and the servers on hand allow; a server that does not answer is left out. */
export async function usableModels(input: ResolveInput): Promise<UsableModel[]> {
  const [custom, ollama] = await Promise.all([customNames(input), ollamaNames(input)]);
  const has = (provider: string): boolean => {
    if (provider === "offline") return true;
    if (provider === "custom") return custom.length > 0;
    if (provider !== "openai" && provider !== "anthropic" && provider !== "google") return false;
    const { apiKey, baseUrl: url } = input.providers[provider];
    return apiKey !== undefined && (!input.offline || (url !== undefined && isLoopback(url)));
  };
  const listed = new Map(input.catalog.filter((e) => has(e.provider)).map((e) => [e.id, e]));
  for (const id of [...custom.map((c) => `custom/${c.name}`), ...ollama.map((name) => `ollama/${name}`)]) {
    if (listed.has(id)) continue;
    const contextTokens = custom.find((c) => `custom/${c.name}` === id)?.contextTokens;
    const provider = id.startsWith("ollama/") ? "ollama" : "custom";
    listed.set(
      id,
      catalogEntry.parse({ id, provider, ...(contextTokens ? { max_context_window_tokens: contextTokens } : {}) }),
    );
  }
  return [...listed.values()].map((entry) => ({
    id: entry.id,
    promptLimit: promptLimit(entry, { setting: input.maxPromptTokens }).tokens,
    multiplier: entry.multiplier,
  }));
}

async function customNames(input: ResolveInput): Promise<Listed[]> {
  if (input.baseUrl === undefined || (input.offline && !isLoopback(input.baseUrl))) return [];
  const listed = await listModels(input);
  return listed.ok ? listed.value : [];
}

async function ollamaNames(input: ResolveInput): Promise<string[]> {
  const ollama = ollamaAt(input);
  return isLoopback(ollama.origin) ? ((await ollamaModels(ollama)) ?? []) : [];
}
