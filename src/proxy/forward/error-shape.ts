// Answers of our own on the proxy's routes, each in the error shape that the client's format knows.
import type { ServerResponse } from "node:http";
import type { ContextLimit } from "../../model/contract.ts";
import type { ErrorFormat } from "../../model/wire/contract.ts";
import { commonWire, wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";

export type OwnAnswer = {
  status: number;
  /** Raw. */
  headers: readonly string[];
  body: string;
};

type OwnError = {
  status: number;
  /** Told in `x-everlong-error`; ours, not the format's. */
  code: string;
  message: string;
  /** Seconds. */
  retryAfter?: number;
};

/** Where no wire is known, the common one, which most clients read. */
export const errorFormat = (wire: WireName | undefined): ErrorFormat =>
  (wire === undefined ? commonWire : wireOf(wire)).error;

export function errorAnswer(wire: WireName | undefined, error: OwnError): OwnAnswer {
  const { status, code, message, retryAfter } = error;
  const headers = ["content-type", "application/json", "x-everlong-error", code];
  if (retryAfter !== undefined) headers.push("retry-after", String(retryAfter));
  return { status, headers, body: JSON.stringify(errorFormat(wire).body(status, code, message)) };
}

/** The words by which the format's clients know that their prompt was too long. */
export function contextLengthAnswer(wire: WireName | undefined, status: 400 | 413, limit: ContextLimit): OwnAnswer {
  const format = errorFormat(wire);
  return {
    status,
    headers: ["content-type", "application/json", "x-everlong-error", "context_length_exceeded"],
    body: JSON.stringify(format.body(status, "context_length_exceeded", format.tooLong(limit))),
  };
}

/** `own` are further raw headers of ours. A client that has left gets nothing. */
export function answer(res: ServerResponse, answered: OwnAnswer, own: readonly string[] = []): void {
  if (res.destroyed || res.headersSent) return;
  const length = String(Buffer.byteLength(answered.body));
  res.writeHead(answered.status, [...answered.headers, "content-length", length, ...own]);
  res.end(answered.body);
}
