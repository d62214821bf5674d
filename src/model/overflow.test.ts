// Every row of the context-limit table, and everything that must not be taken for one.
import { describe, expect, it } from "vitest";
import type { ContextLimit } from "./contract.ts";
import { recogniseOverflow } from "./overflow.ts";

type Row = [source: string, status: number, body: string, expected: Omit<ContextLimit, "unit"> & { unit?: "bytes" }];

const openai = (message: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type: "invalid_request_error", code } });
const anthropic = (message: string, type = "invalid_request_error") =>
  JSON.stringify({ type: "error", error: { type, message } });

const ROWS: Row[] = [
  ["any: HTML", 413, "<html><h1>413 Request Entity Too Large</h1></html>", { unit: "bytes" }],
  ["any: empty", 413, "", { unit: "bytes" }],
  ["OpenAI code", 400, openai("Too much.", "context_length_exceeded"), {}],
  [
    "OpenAI",
    400,
    openai(
      "This model's maximum context length is 128,000 tokens. However, your messages resulted in 130,512 tokens.",
      "context_length_exceeded",
    ),
    { reportedLimit: 128000, reportedTokens: 130512 },
  ],
  [
    "OpenAI with output",
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, you requested 8500 tokens (7500 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ),
    { reportedLimit: 7192, reportedTokens: 7500 },
  ],
  [
    "OpenRouter",
    400,
    openai(
      "This endpoint's maximum context length is 65536 tokens. However, you requested about 70000 tokens (69000 of text input, 1000 in the output).",
    ),
    { reportedLimit: 65536, reportedTokens: 70000 },
  ],
  [
    "vLLM",
    400,
    openai(
      "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 8192 tokens and your request has 7500 input tokens (1000 > 8192 - 7500).",
    ),
    { reportedLimit: 7192, reportedTokens: 7500 },
  ],
  [
    "OpenAI Responses",
    400,
    openai("Your input exceeds the context window of this model. Please adjust your input and try again."),
    {},
  ],
  [
    "GitHub Models",
    413,
    JSON.stringify({
      error: {
        code: "tokens_limit_reached",
        message: "Request body too large for gpt-4o model. Max size: 8000 tokens.",
      },
    }),
    { reportedLimit: 8000 },
  ],
  ["GitHub Models code", 400, JSON.stringify({ error: { code: "tokens_limit_reached" } }), {}],
  [
    "Copilot API",
    400,
    openai("prompt token count of 140000 exceeds the limit of 128000", "model_max_prompt_tokens_exceeded"),
    { reportedLimit: 128000, reportedTokens: 140000 },
  ],
  [
    "Anthropic",
    400,
    anthropic("prompt is too long: 210,000 tokens > 200,000 maximum"),
    { reportedLimit: 200000, reportedTokens: 210000 },
  ],
  [
    "Anthropic through a Go proxy",
    400,
    '{"error":{"message":"prompt is too long: 210000 tokens \\u003e 200000 maximum"}}',
    { reportedLimit: 200000, reportedTokens: 210000 },
  ],
  ["Anthropic bytes", 413, anthropic("Request exceeds the maximum size", "request_too_large"), { unit: "bytes" }],
  [
    "Anthropic with output",
    400,
    anthropic(
      "input length and `max_tokens` exceed context limit: 188,240 + 21,333 > 200,000, decrease input length or `max_tokens` and try again",
    ),
    { reportedLimit: 178667, reportedTokens: 188240 },
  ],
  [
    "Google",
    400,
    JSON.stringify({
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      },
    }),
    { reportedLimit: 1048576, reportedTokens: 1200000 },
  ],
  [
    "Bedrock",
    400,
    JSON.stringify({ __type: "ValidationException", message: "Input is too long for requested model." }),
    {},
  ],
  [
    "vLLM fit",
    400,
    openai("The decoder prompt (length 5000) is too long to fit into the model (context length 4096)"),
    {},
  ],
  ["vLLM negative", 400, openai("max_tokens must be at least 1, got -812."), {}],
  [
    "llama.cpp",
    400,
    openai("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"),
    { reportedLimit: 4096, reportedTokens: 5000 },
  ],
  [
    "LM Studio",
    400,
    openai("The number of tokens to keep from the initial prompt is greater than the context length."),
    {},
  ],
  ["Ollama", 400, openai("the input length exceeds the context length"), {}],
  ["Ollama too", 400, openai("prompt too long; exceeded max context length by 512 tokens"), {}],
  [
    "xAI",
    400,
    openai("This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    { reportedLimit: 131072, reportedTokens: 140000 },
  ],
  ["Groq", 400, openai("Please reduce the length of the messages or completion."), {}],
  ["Groq 413", 413, openai("Request too large: Limit 6000, Requested 7000 tokens", "rate_limit_exceeded"), {}],
  [
    "Mistral",
    400,
    JSON.stringify({ message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length" }),
    { reportedLimit: 32768, reportedTokens: 40000 },
  ],
  [
    "Kimi",
    400,
    openai("Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"),
    { reportedLimit: 8192, reportedTokens: 9000 },
  ],
  ["MiniMax", 400, openai("invalid params, context window exceeds limit (2013)"), {}],
];

const recognise = (status: number | undefined, body: string, estimatedTokens = 0) =>
  recogniseOverflow({ status, body, estimatedTokens, promptLimit: 1000 });

describe("A2.16 context limits", () => {
  for (const [source, status, body, expected] of ROWS) {
    it(`A2.16 ${source}: HTTP ${status}`, () => {
      expect(recognise(status, body)).toEqual({ unit: "tokens", ...expected });
    });
    if (status === 413) continue;
    it(`A2.16 ${source}: in a stream, as 422 and 500, in capitals, never with 402, 429, 401`, () => {
      for (const other of [undefined, 422, 500])
        expect(recognise(other, body)).toEqual({ unit: "tokens", ...expected });
      expect(recognise(status, body.toUpperCase().replaceAll("U003E", "u003e"))).toBeDefined();
      for (const other of [402, 429, 401, 503]) expect(recognise(other, body)).toBeUndefined();
    });
  }

  it("A2.16 request_too_large in a stream is a limit in bytes", () => {
    expect(recognise(undefined, anthropic("Request too large", "request_too_large"))).toEqual({ unit: "bytes" });
  });

  it("A2.16 an empty 400 counts only over 80 % of the limit", () => {
    expect(recognise(400, "", 801)).toEqual({ unit: "tokens" });
    expect(recognise(400, " \n", 800)).toBeUndefined();
    expect(recognise(500, "", 999)).toBeUndefined();
  });

  it("A2.16 an error about the output size alone is none", () => {
    expect(
      recognise(400, openai("max_tokens is too large: 200000. This model supports at most 16384 completion tokens.")),
    ).toBeUndefined();
    expect(
      recognise(400, anthropic("max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens")),
    ).toBeUndefined();
    const vllm =
      "'max_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 100 input tokens";
    expect(recognise(400, openai(vllm))).toBeUndefined();
  });

  it("A2.16 AI13 rate and quota wordings are none, whatever else they say", () => {
    const both = "maximum context length is 8192 tokens";
    for (const words of [
      "Rate limit reached",
      "tokens per minute",
      "You exceeded your current quota",
      "ThrottlingException",
    ]) {
      for (const status of [400, 500, undefined])
        expect(recognise(status, openai(`${words}: ${both}`))).toBeUndefined();
    }
  });
});
