// Which models a custom server has, and how large their windows are.
import { isRecord } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { catalogEntry } from "../schema/model.ts";
import { baseUrl } from "./base-url.ts";
import { type Catalog, findModel } from "./catalog.ts";
import type { ResolveInput } from "./resolve-input.ts";
import { commonWire, wireOf } from "./wire/registry.ts";
import { vendorHeaders } from "./wire/vendor.ts";

const LIST_MS = 10_000;

export type Listed = { name: string; contextTokens?: number };

/** Models that the custom server lists at `/models`, or one sentence why there is no list. */
export async function listModels(input: ResolveInput): Promise<Result<Listed[], string>> {
  const wire = input.wire === undefined ? commonWire : wireOf(input.wire);
  const url = baseUrl(input.baseUrl ?? "", wire.name, "The base URL");
  if (!url.ok) return fail(url.error.what);
  const headers = { ...vendorHeaders(wire.vendor, input.apiKey), ...input.headers };
  const answer = await input.fetchJson(`${url.value}/models`, { timeoutMs: LIST_MS, headers, signal: input.signal });
  if (!answer.ok) return answer;
  const body = answer.value;
  const list = isRecord(body) ? (body["data"] ?? body["models"]) : body;
  return Array.isArray(list) ? ok(list.flatMap(readListed)) : fail("its answer holds no list of models");
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

/** The catalogue, with the window that the server named when we know none ourselves. */
export function withListed(catalog: Catalog, { name, contextTokens }: Listed): Catalog {
  const id = `custom/${name}`;
  if (contextTokens === undefined || findModel(catalog, id) || findModel(catalog, name)) return catalog;
  return [...catalog, catalogEntry.parse({ id, provider: "custom", max_context_window_tokens: contextTokens })];
}
