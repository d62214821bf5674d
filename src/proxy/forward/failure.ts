// The proxy's own failures: what happened, that nothing is lost, in the client's own format.
import type { ServerResponse } from "node:http";
import type { Delivery } from "./deliver.ts";
import { type AnswerReader, answer, errorAnswer } from "./error-shape.ts";
import type { UpstreamFailure } from "./exchange.ts";

type Code = Exclude<UpstreamFailure["code"], "client_gone">;

const ANSWERS: Record<Code, { status: number; what: string }> = {
  upstream_unreachable: { status: 502, what: "Everlong could not reach the upstream" },
  upstream_redirect: { status: 502, what: "The upstream answered with a redirect, which Everlong does not follow" },
  upstream_timeout: { status: 504, what: "The upstream did not answer in time" },
};

/** A client that has left gets no answer. */
export function answerFailure(
  res: ServerResponse,
  { code, detail }: UpstreamFailure,
  { wire, headers }: AnswerReader,
): Delivery {
  if (code === "client_gone" || res.destroyed) return { outcome: "incomplete", bytes: 0, failure: "client_gone" };
  const { what, status } = ANSWERS[code];
  const message = `${what} (${detail}). Nothing is lost: send the request again.`;
  answer(res, errorAnswer(wire, { status, code, message }), headers);
  return { outcome: "failed", status, bytes: 0, failure: code };
}
