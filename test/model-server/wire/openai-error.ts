// The error shape that OpenAI's two wires share.
import type { Json } from "../json.ts";
import type { Refusal } from "./wire.ts";

const known: Record<number, { type: string; code: string | null }> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  402: { type: "insufficient_quota", code: "insufficient_quota" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  413: { type: "tokens_limit_reached", code: "tokens_limit_reached" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};

export function openaiError({ status, message, detail }: Refusal): Json {
  const usual = known[status] ?? { type: status >= 500 ? "server_error" : "invalid_request_error", code: null };
  return { error: { message, type: detail.type ?? usual.type, param: null, code: detail.code ?? usual.code } };
}
