// Which wire or side question a request is for, by method and path; any prefix before the known part is accepted.
import type { WireName } from "./recorded.ts";

export type Route =
  | { kind: "model"; wire: WireName; model?: string; stream?: boolean }
  | { kind: "count"; wire: "anthropic" | "gemini" }
  | { kind: "models" | "ollama-tags" | "ollama-ps" | "ollama-show" };

export function routeOf(method: string, path: string): Route | undefined {
  if (method === "GET") {
    if (path === "/api/tags") return { kind: "ollama-tags" };
    if (path === "/api/ps") return { kind: "ollama-ps" };
    return path.endsWith("/models") ? { kind: "models" } : undefined;
  }
  if (method !== "POST") return undefined;
  if (path === "/api/show") return { kind: "ollama-show" };
  if (path.endsWith("/chat/completions")) return { kind: "model", wire: "openai-chat" };
  if (path.endsWith("/responses")) return { kind: "model", wire: "openai-responses" };
  if (path.endsWith("/messages")) return { kind: "model", wire: "anthropic" };
  if (path.endsWith("/messages/count_tokens")) return { kind: "count", wire: "anthropic" };
  const google = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/.exec(path);
  if (google === null) return undefined;
  const [, model = "", verb] = google;
  if (verb === "countTokens") return { kind: "count", wire: "gemini" };
  return { kind: "model", wire: "gemini", model: decodeURIComponent(model), stream: verb === "streamGenerateContent" };
}
