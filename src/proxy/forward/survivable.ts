// A prompt that stays too long, told in the form that the client survives: some resend a 413 for ever, others die of it.
import type { ServerResponse } from "node:http";
import { isRecord, parseJson } from "../../base/json.ts";
import type { ContextLimit } from "../../model/contract.ts";
import type { WireName } from "../../schema/model.ts";
import type { Family } from "../contract.ts";
import { type Delivery, deliver } from "./deliver.ts";
import { type AnswerReader, answer, contextLengthAnswer, errorFormat, type OwnAnswer } from "./error-shape.ts";
import { discard, type UpstreamAnswer } from "./exchange.ts";
import type { SendOutcome, SizeRefusal } from "./send.ts";

const NEEDS: Partial<Record<Family, 400 | 413>> = { codex: 400, gemini: 400, pi: 400, sdk: 400, copilot: 413 };

export function survivable(
  family: Family,
  wire: WireName | undefined,
  refused: SizeRefusal,
  limit: ContextLimit,
): OwnAnswer | "as-came" {
  const status = NEEDS[family];
  if (status === undefined) return "as-came";
  if (refused.status === status && (status === 413 || says(wire, refused.body))) return "as-came";
  return contextLengthAnswer(wire, status, limit);
}

/** Ends a refused request for good. */
export async function deliverRefusal(
  sent: Extract<SendOutcome, { type: "context-error" }>,
  res: ServerResponse,
  client: AnswerReader,
): Promise<Delivery> {
  const reply = survivable(client.family, client.wire, sent.refused, sent.limit);
  return reply === "as-came" ? deliver(sent.answer, res, client.headers) : replaced(sent.answer, res, reply, client);
}

/** Codex would send a request that was answered with 413 again, unchanged. */
export async function deliverAnswer(
  upstream: UpstreamAnswer,
  res: ServerResponse,
  client: AnswerReader,
): Promise<Delivery> {
  if (client.family !== "codex" || upstream.status !== 413) return deliver(upstream, res, client.headers);
  return replaced(upstream, res, contextLengthAnswer(client.wire, 400, { unit: "bytes" }), client);
}

function replaced(
  upstream: UpstreamAnswer,
  res: ServerResponse,
  reply: OwnAnswer,
  { headers }: AnswerReader,
): Delivery {
  discard(upstream);
  answer(res, reply, headers);
  return { outcome: "complete", status: reply.status, bytes: 0 };
}

/** Whether the body is already what the format's clients look for. */
function says(wire: WireName | undefined, body: string): boolean {
  const parsed = parseJson(body);
  const error = parsed.ok && isRecord(parsed.value) ? parsed.value["error"] : undefined;
  return isRecord(error) && errorFormat(wire).saysTooLong(error);
}
