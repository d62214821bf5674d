// The unmanaged way: bytes stream through in both directions, never kept, never read.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { clientGone, type Delivery } from "./deliver.ts";
import type { AnswerReader } from "./error-shape.ts";
import { exchange, type Limits, type UpstreamCall } from "./exchange.ts";
import { answerFailure } from "./failure.ts";
import { deliverAnswer } from "./survivable.ts";

export async function relay(
  req: IncomingMessage,
  res: ServerResponse,
  target: UpstreamCall,
  { limits, ...client }: AnswerReader & { limits: Limits },
): Promise<Delivery> {
  const answered = await exchange(target, bodyOf(req), limits, clientGone(res));
  return answered.ok ? deliverAnswer(answered.value, res, client) : answerFailure(res, answered.error, client);
}

/** Through a stream of its own: undici destroys a body that it could not send, and the connection would go with it. */
function bodyOf(req: IncomingMessage): PassThrough | undefined {
  const { "content-length": length, "transfer-encoding": coding } = req.headers;
  if (coding === undefined && (length === undefined || length === "0")) return undefined;
  const body = req.pipe(new PassThrough());
  // The rest of an upload that nobody takes any more is read away, so that the client comes to read its answer.
  return body.once("close", () => req.resume());
}
