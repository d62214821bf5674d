// One request to a server: bounded, told of an abort, and its failure a value.
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { $ZodError } from "zod/v4/core";
import { MAX_TIMER_MS } from "../../base/abort.ts";
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { CallError, McpAnswer, McpCallOptions, Progress } from "../connection.ts";

/** A call that keeps reporting progress may last so many time-outs in all. */
const MOST_TIMEOUTS = 10;
const MESSAGE_CHARS = 2000;

/**
 * Each request has a controller of its own: the SDK keeps its listener on the signal for ever, and would cancel requests
 * that were answered long ago when the caller's signal aborts.
 */
export async function ask<T>(send: (options: RequestOptions) => Promise<T>, options: McpCallOptions): McpAnswer<T> {
  const { timeoutMs, signal, onProgress } = options;
  if (signal.aborted) return fail({ code: "aborted", message: "The call was cancelled." });
  const own = new AbortController();
  const abort = (): void => own.abort("cancelled by the client");
  signal.addEventListener("abort", abort, { once: true });
  let isOver = false;
  const most = setTimeout(
    () => {
      isOver = true;
      own.abort("time is over");
    },
    Math.min(timeoutMs * MOST_TIMEOUTS, MAX_TIMER_MS),
  );
  most.unref();
  try {
    const bounds: RequestOptions = { signal: own.signal, timeout: Math.min(timeoutMs, MAX_TIMER_MS) };
    return ok(await send(onProgress ? { ...bounds, ...reporting(onProgress) } : bounds));
  } catch (error) {
    if (signal.aborted) return fail({ code: "aborted", message: "The call was cancelled." });
    if (isOver) return fail({ code: "timeout", message: `no answer within ${timeoutMs * MOST_TIMEOUTS} ms in all` });
    return fail(callError(error, timeoutMs));
  } finally {
    clearTimeout(most);
    signal.removeEventListener("abort", abort);
  }
}

const reporting = (onProgress: (progress: Progress) => void): RequestOptions => ({
  resetTimeoutOnProgress: true,
  onprogress: ({ progress, total, message }) =>
    onProgress({ progress, ...optional("total", total), ...optional("message", message) }),
});

function callError(error: unknown, timeoutMs: number): CallError {
  if (error instanceof $ZodError) return { code: "bad_answer", message: "its answer is not what MCP asks for" };
  // Of a failed fetch only the cause says anything.
  const cause = error instanceof Error && error.cause !== undefined ? `: ${errorText(error.cause)}` : "";
  const message = clip(`${errorText(error).replace(/^(MCP error -?\d+: )+/, "")}${cause}`, MESSAGE_CHARS);
  if (!(error instanceof McpError)) return { code: "closed", message, ...optional("http", httpStatus(error)) };
  // The SDK gives its own time-outs and closings the codes that a server could send too.
  if (error.code === ErrorCode.RequestTimeout) return { code: "timeout", message: `no answer within ${timeoutMs} ms` };
  if (error.code === ErrorCode.ConnectionClosed) return { code: "closed", message };
  return { code: "refused", message, rpc: error.code };
}

/** The SDK's HTTP transports put the status into `code`. */
function httpStatus(error: unknown): number | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}
