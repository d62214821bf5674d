// One small JSON request with a time limit: asking a server which models it has.
import { connect } from "node:net";
import { isLoopback } from "../base/address.ts";
import { errorText } from "../base/failure.ts";
import { parseJson } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";

type FetchJsonOptions = {
  timeoutMs: number;
  headers?: Record<string, string>;
  /** Given: sent as JSON by POST. */
  body?: unknown;
  signal?: AbortSignal | undefined;
};
/** The parsed answer, or one sentence why there is none. Never throws, never waits longer than the limit. */
export type FetchJson = (url: string, options: FetchJsonOptions) => Promise<Result<unknown, string>>;

export const fetchJson: FetchJson = async (url, { timeoutMs, headers = {}, body, signal }) => {
  const limit = AbortSignal.timeout(timeoutMs);
  if (isLoopback(url) && !(await isListening(new URL(url), limit))) return fail("nothing listens there");
  try {
    const response = await fetch(url, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      redirect: "manual", // keys must not follow a redirect to another origin
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return fail(`it answered ${response.status}`);
    }
    const parsed = parseJson(await response.text());
    return parsed.ok ? ok(parsed.value) : fail("its answer is not JSON");
  } catch (error) {
    if (limit.aborted) return fail(`no answer within ${timeoutMs} ms`);
    return fail(errorText(error instanceof Error && error.cause instanceof Error ? error.cause : error));
  }
};

/** Asked before `fetch` is used for the first time: loading it takes a tenth of a start, and mostly nobody listens. */
function isListening({ hostname, port, protocol }: URL, limit: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(port || (protocol === "https:" ? 443 : 80)), signal: limit });
    socket.once("connect", () => {
      resolve(true);
      socket.destroy();
    });
    socket.once("close", () => resolve(false)).on("error", () => {});
  });
}
