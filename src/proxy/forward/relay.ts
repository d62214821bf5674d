// The unmanaged way: bytes stream through in both directions, never kept, never read.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import type { WireName } from "../../schema/model.ts";
import type { Family } from "../contract.ts";
import { clientGone, type Delivery, deliver } from "./deliver.ts";
import { answer, contextLengthAnswer } from "./error-shape.ts";
import { discard, exchange, type Limits, type UpstreamCall } from "./exchange.ts";
import { answerFailure } from "./failure.ts";

export type RelayOptions = {
  limits: Limits;
  /** Whose error shape our own failures take. */
  wire?: WireName | undefined;
  family?: Family | undefined;
  /** Raw headers of ours for the answer. */
  headers?: readonly string[];
};

export async function relay(
  req: IncomingMessage,
  res: ServerResponse,
  target: UpstreamCall,
  options: RelayOptions,
): Promise<Delivery> {
  const { wire, headers: own = [] } = options;
  const answered = await exchange(target, bodyOf(req), options.limits, clientGone(res));
  if (!answered.ok) return answerFailure(res, answered.error, wire, own);
  const { status } = answered.value;
  if (status === 413 && options.family === "codex") {
    discard(answered.value);
    answer(res, contextLengthAnswer(wire, 400, { unit: "bytes" }), own);
    return { outcome: "complete", status: 400, bytes: 0 };
  }
  return deliver(answered.value, res, own);
}

/** Through a stream of its own: undici destroys a body that it could not send, and the connection would go with it. */
function bodyOf(req: IncomingMessage): PassThrough | undefined {
  const { "content-length": length, "transfer-encoding": coding } = req.headers;
  if (coding === undefined && (length === undefined || length === "0")) return undefined;
  const body = req.pipe(new PassThrough());
  // The rest of an upload that nobody takes any more is read away, so that the client comes to read its answer.
  return body.once("close", () => req.resume());
}
