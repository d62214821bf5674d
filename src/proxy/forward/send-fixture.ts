// For tests of managed requests: the events of a Responses stream, and one request through a gateway that sends.
import type { Observation } from "../observe/observer.ts";
import { get, sending } from "./forward-fixture.ts";
import type { SendOptions, SendOutcome } from "./send.ts";

export const EVENTS = { "content-type": "text/event-stream" };
export const JSON_TYPE = { "content-type": "application/json" };
export const recognise = { promptLimit: 100_000, estimatedTokens: 90_000 };
export const created = {
  type: "response.created",
  response: { status: "in_progress", instructions: "x".repeat(50_000) },
};
export const progress = { ...created, type: "response.in_progress" };
export const delta = { type: "response.output_text.delta", delta: "Hi" };
export const completed = { type: "response.completed", response: { usage: { input_tokens: 7, output_tokens: 2 } } };
export const tooLong = {
  code: "context_length_exceeded",
  message: "Your input exceeds the context window of this model.",
};
export const failed = { type: "response.failed", response: { status: "failed", error: tooLong } };

export function post(url: string, body = "{}") {
  return get(url, { method: "POST", body, headers: JSON_TYPE });
}

/** What a gateway that sends with these options has seen of one request. */
export async function through(origin: string, options: Partial<SendOptions>) {
  let sent: SendOutcome | undefined;
  const { url, delivered } = await sending(origin, options, (seen) => {
    sent = seen;
  });
  const got = await post(url);
  const observed = sent?.type === "failure" ? undefined : await sent?.observed();
  return { got, sent: sent as SendOutcome, observed: observed as Observation, delivered: await delivered[0] };
}
