// What an Ollama has to offer: its models, which of them can call tools, and how much context they run with.
import { isRecord } from "../base/json.ts";
import type { FetchJson } from "./resolve-fetch.ts";

const PROBE_MS = 200;
const DETAIL_MS = 2_000;
const MOST_ASKED = 12;
export const OLLAMA_FALLBACK_CONTEXT = 4_096;

export type Ollama = {
  origin: string;
  fetchJson: FetchJson;
  headers: Record<string, string>;
  signal?: AbortSignal | undefined;
};

const records = (value: unknown, key: string): Record<string, unknown>[] => {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
};

/** Names of the installed models, loaded ones first; undefined when nothing answers in time. */
async function ollamaModels(ollama: Ollama): Promise<string[] | undefined> {
  const options = { timeoutMs: PROBE_MS, headers: ollama.headers, signal: ollama.signal };
  const [tags, running] = await Promise.all([
    ollama.fetchJson(`${ollama.origin}/api/tags`, options),
    ollama.fetchJson(`${ollama.origin}/api/ps`, options),
  ]);
  if (!tags.ok || !isRecord(tags.value)) return undefined;
  const loaded = running.ok ? records(running.value, "models") : [];
  const names = [...loaded, ...records(tags.value, "models")].map((m) => m["name"]);
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

/** The first model that can call tools. */
export async function toolCapableModel(ollama: Ollama): Promise<string | undefined> {
  const names = (await ollamaModels(ollama)) ?? [];
  const details = await Promise.all(names.slice(0, MOST_ASKED).map((name) => ollamaDetails(ollama, name)));
  return names.find((_, index) => details[index]?.capabilities.includes("tools"));
}

type OllamaDetails = {
  capabilities: string[];
  /** What the model runs with: of the loaded model, else its num_ctx. */
  contextTokens?: number;
};

/** Undefined when the model is not known there or nothing answers. */
export async function ollamaDetails(ollama: Ollama, name: string): Promise<OllamaDetails | undefined> {
  const options = { timeoutMs: DETAIL_MS, headers: ollama.headers, signal: ollama.signal };
  const [show, running] = await Promise.all([
    ollama.fetchJson(`${ollama.origin}/api/show`, { ...options, body: { model: name } }),
    ollama.fetchJson(`${ollama.origin}/api/ps`, options),
  ]);
  if (!show.ok || !isRecord(show.value)) return undefined;
  const loaded = running.ok ? records(running.value, "models").find((m) => sameModel(m["name"], name)) : undefined;
  const contextTokens = positive(loaded?.["context_length"]) ?? positive(numCtx(show.value["parameters"]));
  const capabilities = show.value["capabilities"];
  return {
    capabilities: Array.isArray(capabilities) ? capabilities.filter((c) => typeof c === "string") : [],
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

const withTag = (name: string): string => (name.includes(":") ? name : `${name}:latest`);
const sameModel = (a: unknown, b: string): boolean => typeof a === "string" && withTag(a) === withTag(b);

/** `parameters` is text, one `name value` a line. */
function numCtx(parameters: unknown): number | undefined {
  const value = typeof parameters === "string" ? /^num_ctx\s+(\d+)/m.exec(parameters)?.[1] : undefined;
  return value === undefined ? undefined : Number(value);
}

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
