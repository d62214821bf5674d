// `everlong token` through a node: what an admin's token may do over HTTP.
import { type Failure, refusal } from "../../base/failure.ts";
import { isRecord } from "../../base/json.ts";
import { type JsonRequest, requestJson } from "../../base/json-request.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { ServiceAddress } from "../../memory/record/strategy-service-address.ts";
import type { IssuedToken, TokenOperations } from "../../server/team/token-operations.ts";
import type { TokenView } from "../../server/team/tokens.ts";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;

export function tokensOfNode(url: string, token: string | undefined): Result<TokenOperations, Failure> {
  const address = ServiceAddress.of(url);
  if (!address.ok) return fail(refusal("usage", `${url} cannot be a node's address.`, address.error, 2));
  if (token === undefined)
    return fail(refusal("usage", "A node needs a token with the scope admin.", "Set EVERLONG_MEMORY_TOKEN to it.", 2));
  const base = `${url.replace(/\/+$/, "")}/api/tokens`;
  const sender = {
    token,
    timeoutMs: TIMEOUT_MS,
    timeoutSetting: "20 s",
    maxBytes: MAX_BYTES,
    mayConnect: async () => true,
  };
  const ask = async <T>(request: JsonRequest): Promise<Result<T, Failure>> => {
    const answer = await requestJson(sender, request, new AbortController().signal);
    if (!answer.ok)
      return fail({
        code: "node_unreachable",
        what: `The node at ${address.value.origin} did not answer: ${answer.error.cause}`,
        data: answer.error.mayBeDone
          ? "It may have been done anyway: everlong token list shows it."
          : "Nothing was changed.",
        exit: 1,
      });
    const { status, body } = answer.value;
    return status < 300 ? ok(body as T) : fail(refusedBy(address.value.origin, status, body));
  };
  return ok({
    issue: (wish) => ask<IssuedToken>({ method: "POST", url: base, body: wish }),
    list: () => ask<{ items: TokenView[] }>({ method: "GET", url: base }),
    revoke: (named) => ask<{ revoked: string[] }>({ method: "DELETE", url: `${base}/${encodeURIComponent(named)}` }),
  });
}

function refusedBy(origin: string, status: number, body: unknown): Failure {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const text = (name: string): string => (typeof error[name] === "string" ? error[name] : "");
  const what = text("message") || `The node at ${origin} answered ${status}.`;
  return refusal(text("code") || `http_${status}`, what, text("hint") || "Check the address.", 1);
}
