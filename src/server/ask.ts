// One request to a gateway on this machine, on a connection of its own, with a limit in time and size.
import { request } from "node:http";
import { errorCode } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { readStream } from "../proxy/body/read-stream.ts";

type GatewayQuestion = { method?: string; path: string; headers?: Record<string, string>; body?: string };
type GatewayReply = { status: number; headers: Readonly<Record<string, string | string[] | undefined>>; text: string };

const MAX_BYTES = 64 * 1024 * 1024;

/** The error is the system's code where there is one; `nobody` listens when the connection is refused. */
export function ask(
  address: string,
  what: GatewayQuestion,
  limitMs: number,
  signal?: AbortSignal,
): Promise<Result<GatewayReply, string>> {
  const { promise, resolve } = Promise.withResolvers<Result<GatewayReply, string>>();
  const limit = AbortSignal.timeout(limitMs);
  const { method = "GET", body } = what;
  const sent = request(`${address}${what.path}`, {
    method,
    agent: false,
    headers: what.headers ?? {},
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  sent.once("error", (error) => resolve(fail(errorCode(error) === "ECONNREFUSED" ? "nobody" : "broken")));
  sent.once("response", async (answer) => {
    const read = await readStream(answer, { maxBytes: MAX_BYTES, silenceMs: limitMs });
    sent.destroy();
    if (!read.ok) return resolve(fail(read.error));
    resolve(ok({ status: answer.statusCode ?? 0, headers: answer.headers, text: read.value.toString("utf8") }));
  });
  sent.end(body);
  return promise;
}
