// Tells a prompt that was too large from every other refusal: one table for the agent and the gateway.
import type { ContextLimit } from "./contract.ts";

type OverflowEvidence = {
  /** Undefined for an error event inside a stream. */
  status?: number | undefined;
  /** As received: JSON, HTML, or nothing. */
  body: string;
  /** Our own estimate of the request, and the limit it was made for. */
  estimatedTokens?: number | undefined;
  promptLimit: number;
};

/** Statuses whose body is worth reading; 413 needs no reading. */
const READ = new Set([400, 422, 500]);
const RATE = /rate.?limit|tokens? per (?:min|day)|\btpm\b|requests per|quota|throttl|too many requests/i;
/** An empty 400 counts only this near to the limit. */
const NEAR = 0.8;

/** `limit` is what the model takes, `tokens` what it was sent, `output` what was asked of it on top. */
const TABLE: readonly RegExp[] = [
  // Anthropic
  /exceed context limit: (?<tokens>\d[\d,]*) \+ (?<output>\d[\d,]*) > (?<limit>\d[\d,]*)/i,
  /prompt is too long(?:: (?<tokens>\d[\d,]*) tokens > (?<limit>\d[\d,]*))?/i,
  /request_too_large|model_context_window_exceeded/i,
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM
  /is too large: (?<output>\d[\d,]*)\W+this model's maximum context length is (?<limit>\d[\d,]*) tokens and your request has (?<tokens>\d[\d,]*)/i,
  /maximum context length is (?<limit>\d[\d,]*)[^(]*\((?<tokens>\d[\d,]*) in the (?:messages|prompt)[^()]*?(?<output>\d[\d,]*) (?:in|for) the completion/i,
  /maximum context length is (?<limit>\d[\d,]*)(?: tokens)?(?:.{0,80}?(?:resulted in|requested(?: about)?|has) (?<tokens>\d[\d,]*))?/i,
  /exceeds the context window/i,
  // GitHub Models, Copilot API
  /max size: (?<limit>\d[\d,]*) tokens/i,
  /prompt token count of (?<tokens>\d[\d,]*) exceeds the limit of (?<limit>\d[\d,]*)/i,
  /tokens_limit_reached/i,
  // Google
  /input token count \(?(?<tokens>\d[\d,]*)\)? exceeds the maximum number of tokens allowed \(?(?<limit>\d[\d,]*)/i,
  // Bedrock
  /input is too long for requested model/i,
  // vLLM
  /too long to fit into the model|max_tokens must be at least 1, got -\d/i,
  // llama.cpp, LM Studio
  /(?:\((?<tokens>\d[\d,]*) tokens\) )?exceeds the available context size(?: \((?<limit>\d[\d,]*) tokens\))?/i,
  /greater than the context length(?: (?:of )?(?<limit>\d[\d,]*))?/i,
  // Ollama
  /exceeds the context length|prompt too long; exceeded max context length/i,
  // xAI, Mistral, Kimi, MiniMax, Groq
  /maximum prompt length is (?<limit>\d[\d,]*)(?:.{0,40}?contains (?<tokens>\d[\d,]*))?/i,
  /(?:contains (?<tokens>\d[\d,]*) tokens.{0,80}?)?too large for model with (?<limit>\d[\d,]*) maximum context length/i,
  /exceeded model token limit(?:: (?<limit>\d[\d,]*))?(?: \(requested: (?<tokens>\d[\d,]*))?/i,
  /context window exceeds limit|reduce the length of the messages/i,
  // Last, because a code names no number.
  /context_length_exceeded/i,
];

export function recogniseOverflow(refusal: OverflowEvidence): ContextLimit | undefined {
  const { status } = refusal;
  // Go's JSON writer escapes the sign that two wordings turn on.
  const body = refusal.body.replace(/\\+u003e/gi, ">");
  if (status === 413) return search(body) ?? { unit: /token/i.test(body) ? "tokens" : "bytes" };
  if (status !== undefined && !READ.has(status)) return undefined;
  if (status === 400 && body.trim() === "") {
    return (refusal.estimatedTokens ?? 0) > NEAR * refusal.promptLimit ? { unit: "tokens" } : undefined;
  }
  return RATE.test(body) ? undefined : search(body);
}

function search(body: string): ContextLimit | undefined {
  for (const pattern of TABLE) {
    const match = pattern.exec(body);
    if (!match) continue;
    const { limit, tokens, output } = match.groups ?? {};
    const room = limit === undefined ? undefined : number(limit) - number(output ?? "0");
    // No room for any prompt at all: the error is about the output that was asked for.
    if (room !== undefined && room <= 0) return undefined;
    return {
      ...(room === undefined ? {} : { reportedLimit: room }),
      ...(tokens === undefined ? {} : { reportedTokens: number(tokens) }),
      unit: match[0] === "request_too_large" ? "bytes" : "tokens",
    };
  }
  return undefined;
}

function number(text: string): number {
  return Number(text.replaceAll(",", ""));
}
