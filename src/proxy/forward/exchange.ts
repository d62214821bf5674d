// One call to an upstream: the request goes out, the answer's head comes back, or a value says why not.
import { STATUS_CODES } from "node:http";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { errorCode } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { endToEnd, headerOf, withoutCors } from "./raw-headers.ts";

export type UpstreamCall = {
  /** The upstream's pool; it holds the limit for connecting. */
  dispatcher: Dispatcher;
  origin: string;
  /** The path has its query. */
  path: string;
  method: string;
  /** Raw; what `forwardHeaders` lets go on to this upstream. */
  headers: readonly string[];
};

/** The limits are in milliseconds. Time in which the client does not read counts for neither. */
export type Limits = { firstByteMs: number; silenceMs: number };

export type UpstreamAnswer = {
  status: number;
  statusText: string;
  /** Raw, without those of the connection. */
  headers: readonly string[];
  body: Readable;
  /** Reads along while the body is delivered. */
  watch?: AnswerWatch;
};

/** It sees each chunk after the client got it. */
export type AnswerWatch = {
  write(chunk: Buffer): void;
  /** After the last one. False: the answer is not whole, although its upstream ended it cleanly. */
  end(): boolean | Promise<boolean>;
};

export type UpstreamFailure = {
  code: "upstream_unreachable" | "upstream_redirect" | "upstream_timeout" | "client_gone";
  /** It names the host and the system's code, and nothing of the request. */
  detail: string;
};

const LATE = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "ETIMEDOUT"]);

/** A stream as body is destroyed with the call; the signal ends the call, its answer's body included. */
export async function exchange(
  target: UpstreamCall,
  body: Readable | Buffer | undefined,
  limits: Limits,
  signal: AbortSignal,
): Promise<Result<UpstreamAnswer, UpstreamFailure>> {
  const { dispatcher, origin, path, method, headers } = target;
  try {
    const answer = await dispatcher.request({
      origin,
      path,
      method,
      headers: headers as string[],
      body: body ?? null,
      signal,
      responseHeaders: "raw",
      headersTimeout: limits.firstByteMs,
      bodyTimeout: limits.silenceMs,
    });
    const raw = withoutCors(endToEnd(answer.headers as unknown as string[]));
    const { statusCode: status } = answer;
    if (status >= 300 && status < 400 && status !== 304 && headerOf(raw, "location") !== undefined) {
      drop(answer.body);
      return fail({ code: "upstream_redirect", detail: `${new URL(origin).host} answered ${status}` });
    }
    return ok({ status, statusText: statusLine(status, answer.statusText), headers: raw, body: answer.body });
  } catch (error) {
    return fail(failureOf(error, origin, signal));
  }
}

/** Ends an answer that will not be delivered. */
export function discard(answer: UpstreamAnswer): void {
  drop(answer.body);
}

function drop(body: Readable): void {
  // Nobody waits for it any more: that it ends early is no news.
  body.on("error", () => undefined).destroy();
}

/** Node takes latin1 without control characters only; undici has read it as UTF-8. */
function statusLine(status: number, text: string): string {
  return /^[\t\x20-\x7e]*$/.test(text) ? text : (STATUS_CODES[status] ?? "");
}

function failureOf(error: unknown, origin: string, signal: AbortSignal): UpstreamFailure {
  const code = errorCode(error) ?? "no code";
  const detail = `${new URL(origin).host}: ${code}`;
  if (signal.aborted) return { code: "client_gone", detail };
  return { code: LATE.has(code) ? "upstream_timeout" : "upstream_unreachable", detail };
}
