// Embedders behind HTTP: Ollama's /api/embed and the OpenAI form.
import { isRecord } from "../../../base/json.ts";
import { type FetchJson, fetchJson } from "../../../model/resolve-fetch.ts";
import { type Embedder, type EmbedFault, unitVectors } from "./contract.ts";

type RemoteOptions = {
  baseUrl: string;
  model: string;
  apiKey?: string;
  timeoutMs?: number;
  fetch?: FetchJson;
};

const TIMEOUT_MS = 8_000;
/** What some models want to be told about a text's part in the search. */
const PREFIXES: { model: RegExp; query: string; passage: string }[] = [
  { model: /nomic-embed/, query: "search_query: ", passage: "search_document: " },
  { model: /embeddinggemma/, query: "task: search result | query: ", passage: "title: none | text: " },
];

export const ollamaEmbedder = (options: RemoteOptions): Embedder =>
  remote(`ollama:${options.model}`, `${trimmed(options.baseUrl)}/api/embed`, options, (answer) =>
    isRecord(answer) ? answer["embeddings"] : undefined,
  );

export const openaiEmbedder = (options: RemoteOptions): Embedder =>
  remote(
    `openai:${options.model}@${new URL(options.baseUrl).host}`,
    `${trimmed(options.baseUrl).replace(/\/v1$/, "")}/v1/embeddings`,
    options,
    (answer) => {
      const data = isRecord(answer) ? answer["data"] : undefined;
      if (!Array.isArray(data)) return undefined;
      const rows = data.filter(isRecord).sort((a, b) => Number(a["index"]) - Number(b["index"]));
      return rows.map((row) => row["embedding"]);
    },
  );

const trimmed = (url: string): string => url.replace(/\/+$/, "");

function remote(id: string, url: string, options: RemoteOptions, read: (answer: unknown) => unknown): Embedder {
  const { model, apiKey, timeoutMs = TIMEOUT_MS, fetch = fetchJson } = options;
  const prefix = PREFIXES.find((p) => p.model.test(model));
  let dims: number | undefined;
  return {
    id,
    get dims() {
      return dims;
    },
    async embed(texts, signal, purpose = "passage") {
      const input = texts.map((text) => (prefix?.[purpose] ?? "") + text);
      const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(url, { timeoutMs, headers, body: { model, input }, signal });
      if (!answer.ok) return { ok: false, error: faultOf(answer.error) };
      const vectors = unitVectors(read(answer.value), texts.length, dims);
      if (vectors.ok) dims ??= vectors.value[0]?.length;
      return vectors;
    },
  };
}

/** A server that refuses these texts answers 400, 413 or 422; everything else may pass. */
const faultOf = (message: string): EmbedFault => ({
  type: /answered (?:400|413|422)/.test(message) ? "refused" : "unavailable",
  message,
});
