// One request for JSON to a service of somebody else: a limit of time, a limit of size, and no redirect is ever followed.

import { readBody } from "./body.ts";
import { causeOf, errorCode, errorText } from "./failure.ts";
import { parseJson } from "./json.ts";
import { fail, ok, type Result } from "./result.ts";

export type JsonFault = {
  code: "timeout" | "aborted" | "unreachable" | "redirect" | "too_large" | "invalid_answer" | "no_consent";
  cause: string;
  /** The request may have done its work all the same. */
  mayBeDone: boolean;
};
/** `body` is undefined when the answer is not JSON; `text` is the answer as it came. */
export type JsonAnswer = { status: number; body: unknown; text: string; headers: Headers };
type JsonSender = {
  token: string | undefined;
  timeoutMs: number;
  /** The setting that the limit comes from. */
  timeoutSetting: string;
  maxBytes: number;
  /** Asked before each connection: a consent that is taken back counts from then on. */
  mayConnect: () => Promise<boolean>;
  /** Further headers, made from the request as it leaves. */
  sign?: (request: { method: string; url: string; body: string }) => Readonly<Record<string, string>>;
};
export type JsonRequest = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
};

/** Never throws, never takes longer than the limit. */
export async function requestJson(
  { token, timeoutMs, timeoutSetting, maxBytes, mayConnect, sign }: JsonSender,
  { method, url, body, headers = {} }: JsonRequest,
  signal: AbortSignal,
): Promise<Result<JsonAnswer, JsonFault>> {
  const late = AbortSignal.timeout(timeoutMs);
  const isRead = method === "GET";
  const faulty = (code: JsonFault["code"], cause: string, mayBeDone = !isRead) => fail({ code, cause, mayBeDone });
  if (!(await mayConnect())) return faulty("no_consent", "the folder or the address is no longer allowed.", false);
  const text = body === undefined ? undefined : JSON.stringify(body);
  try {
    const response = await fetch(url, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
        ...sign?.({ method, url, body: text ?? "" }),
      },
      ...(text === undefined ? {} : { body: text }),
      redirect: "manual",
      signal: AbortSignal.any([late, signal]),
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      return faulty("redirect", `it answered ${response.status}, and redirects are not followed.`, false);
    }
    const { bytes, cut } = await readBody(response.body, maxBytes);
    if (cut) return faulty("too_large", `its answer is larger than ${maxBytes / 1024} KB.`);
    const answer = bytes.toString("utf8");
    const parsed = answer === "" ? ({ ok: true, value: undefined } as const) : parseJson(answer);
    // A gateway in between may say what is wrong in HTML: the status tells enough.
    if (!parsed.ok && response.ok) return faulty("invalid_answer", "its answer is not JSON.");
    return ok({
      status: response.status,
      body: parsed.ok ? parsed.value : undefined,
      text: answer,
      headers: response.headers,
    });
  } catch (error) {
    if (late.aborted) return faulty("timeout", `no answer within ${timeoutMs} ms (${timeoutSetting}).`);
    if (signal.aborted) return faulty("aborted", "it was cancelled.");
    const cause = causeOf(error);
    return faulty(
      "unreachable",
      `${errorText(cause)}.`,
      !isRead && !/ECONNREFUSED|ENOTFOUND/.test(errorCode(cause) ?? ""),
    );
  }
}
