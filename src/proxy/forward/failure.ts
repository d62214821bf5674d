// The proxy's own failures: what happened, that nothing is lost, in the client's own format.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { WireName } from "../../schema/model.ts";
import type { Delivery } from "./deliver.ts";
import { answer, errorAnswer } from "./error-shape.ts";
import type { UpstreamFailure } from "./exchange.ts";

type Code = Exclude<UpstreamFailure["code"], "client_gone"> | "shutting_down" | "overloaded";

const ANSWERS: Record<Code, { status: number; what: string; retryAfter?: number }> = {
  upstream_unreachable: { status: 502, what: "Everlong could not reach the upstream" },
  upstream_redirect: { status: 502, what: "The upstream answered with a redirect, which Everlong does not follow" },
  upstream_timeout: { status: 504, what: "The upstream did not answer in time" },
  shutting_down: { status: 503, what: "Everlong is shutting down", retryAfter: 2 },
  overloaded: { status: 503, what: "Everlong has too many requests in flight", retryAfter: 1 },
};

/** Nothing is answered to a client that has left. */
export function answerFailure(
  res: ServerResponse,
  failure: { code: Code | "client_gone"; detail?: string },
  wire: WireName | undefined,
  own: readonly string[] = [],
): Delivery {
  const { code, detail } = failure;
  if (code === "client_gone" || res.destroyed) return { outcome: "incomplete", bytes: 0, failure: "client_gone" };
  const { what, ...rest } = ANSWERS[code];
  const message = `${what}${detail === undefined ? "" : ` (${detail})`}. Nothing is lost: send the request again.`;
  answer(res, errorAnswer(wire, { ...rest, code, message }), own);
  return { outcome: "failed", status: rest.status, bytes: 0, failure: code };
}

/** `h2c` is no WebSocket: such a request is served as if it had not asked. */
export function wantsWebSocket(headers: IncomingHttpHeaders): boolean {
  return /\bwebsocket\b/i.test(headers.upgrade ?? "");
}
