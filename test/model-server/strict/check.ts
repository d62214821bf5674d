// Asks the wire's checker whether the real provider would refuse a request, and in which words.
import type { Issued } from "../issued.ts";
import { hasLoneSurrogate, object } from "../json.ts";
import type { Recorded, WireName } from "../recorded.ts";
import { anthropicViolations } from "./anthropic.ts";
import { geminiViolations } from "./gemini.ts";
import { chatViolations } from "./openai-chat.ts";
import { responsesViolations } from "./openai-responses.ts";

/** The first thing wrong with the request, or undefined. Checkers yield what they find in the order of checking. */
export function findViolation(request: Recorded, issued: Issued): string | undefined {
  for (const violation of violations(request, issued)) return violation;
  return undefined;
}

function* violations(request: Recorded, issued: Issued): Generator<string> {
  const body = object(request.body);
  // V8 writes and reads half a surrogate pair; the providers' JSON readers do not.
  if (body === undefined || hasLoneSurrogate(body)) {
    yield notJson[request.wire];
    return;
  }
  switch (request.wire) {
    case "openai-chat":
      yield* chatViolations(body);
      return;
    case "openai-responses":
      yield* responsesViolations(body, issued);
      return;
    case "anthropic":
      if (request.headers["anthropic-version"] === undefined) yield "anthropic-version: header is required";
      yield* anthropicViolations(body, issued);
      return;
    case "gemini":
      if (request.stream && !request.query.includes("alt=sse"))
        yield "model-server: only streams with alt=sse are played";
      yield* geminiViolations(body, request.model);
      return;
  }
}

const openaiNotJson =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";

const notJson: Record<WireName, string> = {
  "openai-chat": openaiNotJson,
  "openai-responses": openaiNotJson,
  anthropic: "The request body is not valid JSON: no low surrogate in string: line 1 column 1 (char 0)",
  gemini: "Invalid JSON payload received. Unexpected token.",
};
