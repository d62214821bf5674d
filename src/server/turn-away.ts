// The end of a request that did not pass the gate: it gets its answer, and nobody reads what else it sends.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { GatewayRefusal } from "./contract.ts";
import { type RefusalShape, refusalAnswer, sendRefusal } from "./respond.ts";

/** What a stranger's body may cost. */
const MOST_BYTES = 64 * 1024;
/** Time to read the answer: a reset that comes at once would take it away from a client that is still sending. */
const LINGER_MS = 1000;

/** No body, or one that says beforehand that it is short. */
export const isShort = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) <= MOST_BYTES;

/** `expects`: the client waits for leave to send its body, and will not get it. */
export function turnAway(res: ServerResponse, refusal: GatewayRefusal, shape: RefusalShape, expects: boolean): void {
  const { req } = res;
  if (!expects && isShort(req.headers)) return sendRefusal(res, refusal, shape);
  req.socket.pause();
  const closing = { ...refusal, headers: { ...refusal.headers, connection: "close" } };
  const { status, headers, body } = refusalAnswer(closing, shape);
  res.writeHead(status, [...headers, "content-length", String(Buffer.byteLength(body))]);
  res.flushHeaders();
  // Not ended: Node would then read the whole body in order to throw it away.
  res.write(body, () => setTimeout(() => req.socket.destroy(), LINGER_MS).unref());
}
