// Which models a custom server has, and how large their windows are.
import type { Failure } from "../base/failure.ts";
import { isRecord } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { clip, nearNames } from "../base/text.ts";
import { catalogEntry } from "../schema/model.ts";
import { baseUrl } from "./base-url.ts";
import { findModel, type ModelCatalog } from "./catalog.ts";
import type { ModelTarget } from "./contract.ts";
import type { ResolveInput } from "./resolve-input.ts";
import { commonWire, wireOf } from "./wire/registry.ts";
import { vendorHeaders } from "./wire/vendor.ts";

const LIST_MS = 10_000;
/** Names that a message gives. */
const NAMES_TOLD = 10;

type ServedModel = { name: string; contextTokens?: number };

/** Models that the custom server lists at `/models`, or one sentence why there is no list. */
export async function listModels(input: ResolveInput): Promise<Result<ServedModel[], string>> {
  const wire = input.wire === undefined ? commonWire : wireOf(input.wire);
  const url = baseUrl(input.baseUrl ?? "", wire.name, "The base URL");
  if (!url.ok) return fail(url.error.what);
  const headers = { ...vendorHeaders(wire.vendor, input.apiKey), ...input.headers };
  const answer = await input.fetchJson(`${url.value}/models`, { timeoutMs: LIST_MS, headers, signal: input.signal });
  if (!answer.ok) return answer;
  const body = answer.value;
  if (isRecord(body) && (body["has_more"] === true || body["nextPageToken"])) return fail("its list has further pages");
  const list = isRecord(body) ? (body["data"] ?? body["models"]) : body;
  return Array.isArray(list) ? ok(list.flatMap(readListed)) : fail("its answer contains no list of models");
}

/** Servers name the window differently: vLLM, OpenRouter, LM Studio, Gemini. */
const WINDOW_FIELDS = ["max_model_len", "context_length", "max_context_length", "inputTokenLimit"];

function readListed(raw: unknown): ServedModel[] {
  if (!isRecord(raw)) return [];
  const name = raw["id"] ?? raw["name"];
  if (typeof name !== "string" || name === "") return [];
  const contextTokens = WINDOW_FIELDS.map((field) => raw[field]).find(
    (n) => typeof n === "number" && Number.isInteger(n) && n > 0,
  );
  return [{ name: name.replace(/^models\//, ""), ...(typeof contextTokens === "number" ? { contextTokens } : {}) }];
}

/** Why a custom server's model cannot be chosen: the server has a list without it. What models.json names is not looked up. */
export async function refusedByList(
  { id, name, provider }: ModelTarget,
  input: ResolveInput,
): Promise<Failure | undefined> {
  if (provider !== "custom" || input.catalog.some((entry) => entry.id === id)) return undefined;
  const list = await listModels(input);
  if (!list.ok || list.value.length === 0) return undefined;
  const names = list.value.map((listed) => listed.name);
  if (names.includes(name) || names.includes(`${name}:latest`)) return undefined;
  const near = nearNames(name, names);
  const more = names.length > NAMES_TOLD ? ", …" : "";
  return {
    code: "unknown_model",
    what: `The server at the base URL has no model ${clip(name, 100)}.`,
    data: "The session keeps its model.",
    next:
      near.length > 0
        ? `Did you mean ${near.join(", ")}?`
        : `It lists ${names.slice(0, NAMES_TOLD).join(", ")}${more}.`,
    exit: 2,
  };
}

/** The catalogue, with the window that the server named when we know none ourselves. */
export function withListed(catalog: ModelCatalog, { name, contextTokens }: ServedModel): ModelCatalog {
  const id = `custom/${name}`;
  if (contextTokens === undefined || findModel(catalog, id) || findModel(catalog, name)) return catalog;
  return [...catalog, catalogEntry.parse({ id, provider: "custom", max_context_window_tokens: contextTokens })];
}
