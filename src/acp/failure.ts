// Failures of ours as errors of the protocol.
import { RequestError } from "@agentclientprotocol/sdk";
import { errorText, type Failure, FailureError, failureText } from "../base/failure.ts";

const INTERNAL = -32603;
const INVALID = -32602;

/** What happened, what it means for the data and what to do, in the one text that editors show. */
export const refused = (failure: Failure): RequestError =>
  new RequestError(failure.exit === 2 ? INVALID : INTERNAL, failureText(failure), { code: failure.code });

export const invalid = (what: string): RequestError => new RequestError(INVALID, what);

/** A turn that ended in an error: its own words. */
export const turnFailed = (message: string, code?: string): RequestError =>
  new RequestError(INTERNAL, message, ...(code === undefined ? [] : [{ code }]));

export function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return error instanceof FailureError ? refused(error.failure) : turnFailed(errorText(error));
}
