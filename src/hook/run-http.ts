// An http hook: one POST of the payload, within its time, no redirects, a small answer.
import { readBody } from "../base/body.ts";
import { causeOf, errorText } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { HttpHook } from "./hook.ts";
import { type HttpRule, httpRefusal, needsConsent } from "./http-rule.ts";
import type { HookAnswer } from "./run-command.ts";

export type HttpParts = {
  /** The rule as it is now: a setting may have changed since the hook was loaded. */
  rule: () => HttpRule;
  /** Whether text may be sent there from this folder; must not reject. */
  hasConsent: (url: string) => Promise<boolean>;
  /** Where the variables come from that a header may name. */
  variable: (name: string) => string | undefined;
};

const MAX_BYTES = 256 * 1024;

export async function runHttp(
  hook: HttpHook,
  payload: string,
  { rule, hasConsent, variable }: HttpParts,
  signal: AbortSignal,
): Promise<Result<HookAnswer, string>> {
  const refusal = httpRefusal(hook, rule());
  if (refusal !== undefined) return fail(refusal);
  if (needsConsent(hook.url) && !(await hasConsent(hook.url)))
    return fail(`you have not consented to send text to ${new URL(hook.url).origin} from this folder`);
  const headers = expandHeaders(hook, variable);
  if (!headers.ok) return headers;
  const limit = AbortSignal.timeout(hook.timeoutMs);
  try {
    const response = await fetch(hook.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers.value },
      body: payload,
      redirect: "manual",
      signal: AbortSignal.any([signal, limit]),
    });
    const { bytes, cut } = await readBody(response.body, MAX_BYTES);
    if (!response.ok) return fail(`${hook.url} answered ${response.status}`);
    return cut ? fail(`its answer is over ${MAX_BYTES} bytes`) : ok({ type: "output", text: bytes.toString("utf8") });
  } catch (error) {
    if (signal.aborted) return fail("it was interrupted");
    if (limit.aborted) return fail(`${hook.url} did not answer within ${hook.timeoutMs / 1000} s`);
    return fail(`${hook.url} could not be reached: ${errorText(causeOf(error))}`);
  }
}

/** `$NAME` and `${NAME}`, of the names that the hook may use; all other text stays as it is. */
function expandHeaders(
  { headers, allowedEnvVars }: HttpHook,
  variable: HttpParts["variable"],
): Result<Record<string, string>, string> {
  const missing: string[] = [];
  const expand = (text: string): string =>
    text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? "";
      if (!allowedEnvVars.includes(name)) return whole;
      const value = variable(name);
      if (value === undefined) missing.push(name);
      return value ?? "";
    });
  const expanded = Object.entries(headers).map(([name, text]) => [name, expand(text)] as const);
  if (missing.length > 0) return fail(`the variable ${missing.join(", ")} is not set`);
  return ok(Object.fromEntries(expanded));
}
