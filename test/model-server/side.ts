// Answers to requests that ask no model: model lists, token counts and Ollama's own API.
import { type Json, object, parse } from "./json.ts";
import type { Route } from "./route.ts";
import { tokens } from "./wire/wire.ts";

export type Ollama = {
  /** The context that `/api/ps` reports for a loaded model; without it none is loaded. */
  loadedContext?: number;
  /** The `num_ctx` parameter in `/api/show`. */
  numCtx?: number;
  capabilities?: string[];
};

export type SideOptions = { models?: string[]; ollama?: Ollama };

/** Undefined means 404. Ollama's routes exist only on a server that was given models. */
export function answerSide(
  route: Exclude<Route, { kind: "model" }>,
  rawBody: string,
  options: SideOptions,
): Json | undefined {
  const { models, ollama = {} } = options;
  switch (route.kind) {
    case "count":
      return route.wire === "anthropic" ? { input_tokens: tokens(rawBody) } : { totalTokens: tokens(rawBody) };
    case "models":
      return {
        object: "list",
        data: (models ?? ["scripted"]).map((id) => ({
          id,
          object: "model",
          created: 1_700_000_000,
          owned_by: "scripted",
        })),
      };
    case "ollama-tags":
      return models && { models: models.map(ollamaModel) };
    case "ollama-ps": {
      const loaded = ollama.loadedContext === undefined ? [] : models;
      return (
        models && { models: loaded?.map((name) => ({ ...ollamaModel(name), context_length: ollama.loadedContext })) }
      );
    }
    case "ollama-show": {
      const asked = object(parse(rawBody));
      if (!models?.some((name) => name === asked?.model || name === asked?.name)) return undefined;
      return {
        parameters: ollama.numCtx === undefined ? "" : `num_ctx                        ${ollama.numCtx}`,
        details: { family: "scripted" },
        model_info: { "general.architecture": "scripted", "scripted.context_length": 131_072 },
        capabilities: ollama.capabilities ?? ["completion", "tools"],
      };
    }
  }
}

function ollamaModel(name: string): Json {
  return { name, model: name, size: 1_000_000, digest: "0".repeat(64), details: { family: "scripted" } };
}
