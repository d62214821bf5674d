// Answers of our own on the proxy's routes, each in the error shape that the client's format knows.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ContextLimit } from "../../model/contract.ts";
import type { ErrorFormat } from "../../model/wire/contract.ts";
import { commonWire, wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { Family } from "../contract.ts";

export type OwnAnswer = {
  status: number;
  /** The headers are raw. */
  headers: readonly string[];
  body: string;
};

/** Whom an answer is for. */
export type AnswerReader = {
  family: Family;
  /** Its format; undefined where none is known. */
  wire: WireName | undefined;
  /** Raw headers of ours for its answer. */
  headers: readonly string[];
};

/** `code` is ours, not the format's, and is told in `x-everlong-error`. */
type OwnError = { status: number; code: string; message: string };

/** Where no wire is known, the common one, which most clients read. */
export const errorFormat = (wire: WireName | undefined): ErrorFormat =>
  (wire === undefined ? commonWire : wireOf(wire)).error;

export function errorAnswer(wire: WireName | undefined, error: OwnError): OwnAnswer {
  const { status, code, message } = error;
  const headers = ["content-type", "application/json", "x-everlong-error", code];
  return { status, headers, body: JSON.stringify(errorFormat(wire).body(status, code, message)) };
}

/** The words by which the format's clients know that their prompt was too long. */
export function contextLengthAnswer(wire: WireName | undefined, status: 400 | 413, limit: ContextLimit): OwnAnswer {
  return errorAnswer(wire, { status, code: "context_length_exceeded", message: errorFormat(wire).tooLong(limit) });
}

/** `own` are further raw headers of ours. A client that has left gets nothing. */
export function answer(res: ServerResponse, answered: OwnAnswer, own: readonly string[] = []): void {
  if (res.destroyed || res.headersSent) return;
  const length = String(Buffer.byteLength(answered.body));
  res.writeHead(answered.status, [...answered.headers, "content-length", length, ...own]);
  res.end(answered.body);
}

/** How long the rest of a body may still come in after its request was answered. */
const LINGER_MS = 2000;

/**
 * The rest is thrown away unread by us: closing at once would reset the connection, and the client would never see why.
 * Who goes on sending is cut off.
 */
export function letGo(req: IncomingMessage): void {
  if (req.complete) return;
  req.resume();
  const cut = setTimeout(() => req.socket.destroy(), LINGER_MS).unref();
  req.once("close", () => clearTimeout(cut));
}
