// `everlong token` through a node: what an admin's token may do over HTTP, and what members decide for themselves.
import { type Failure, refusal } from "../../base/failure.ts";
import { isRecord } from "../../base/json.ts";
import { type JsonRequest, requestJson } from "../../base/json-request.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { ServiceAddress } from "../../memory/record/strategy-service-address.ts";
import type { SharingOperations, SharingView } from "../../server/team/sharing-operations.ts";
import type { IssuedToken, TokenOperations } from "../../server/team/token-operations.ts";
import type { TokenView } from "../../server/team/tokens.ts";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;

type NodeCall = <T>(request: Omit<JsonRequest, "url"> & { path: string }) => Promise<Result<T, Failure>>;

/** `needs`: whose token it must be, in words. */
function askNode(url: string, token: string | undefined, needs: string): Result<NodeCall, Failure> {
  const address = ServiceAddress.of(url);
  if (!address.ok) return fail(refusal("usage", `${url} cannot be a node's address.`, address.error, 2));
  if (token === undefined)
    return fail(refusal("usage", `A node needs ${needs}.`, "Set EVERLONG_MEMORY_TOKEN to it.", 2));
  const base = `${url.replace(/\/+$/, "")}/api`;
  const sender = {
    token,
    timeoutMs: TIMEOUT_MS,
    timeoutSetting: "20 s",
    maxBytes: MAX_BYTES,
    mayConnect: async () => true,
  };
  return ok(async <T>({ path, ...request }: Parameters<NodeCall>[0]): Promise<Result<T, Failure>> => {
    const answer = await requestJson(sender, { ...request, url: `${base}${path}` }, new AbortController().signal);
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
  });
}

export function tokensOfNode(url: string, token: string | undefined): Result<TokenOperations, Failure> {
  const ask = askNode(url, token, "a token with the scope admin");
  if (!ask.ok) return ask;
  return ok({
    issue: (wish) => ask.value<IssuedToken>({ method: "POST", path: "/tokens", body: wish }),
    list: () => ask.value<{ items: TokenView[] }>({ method: "GET", path: "/tokens" }),
    revoke: (named) =>
      ask.value<{ revoked: string[] }>({ method: "DELETE", path: `/tokens/${encodeURIComponent(named)}` }),
  });
}

export function sharingOfNode(url: string | undefined, token: string | undefined): Result<SharingOperations, Failure> {
  if (url === undefined)
    return fail(refusal("usage", "Which node?", "Give --node URL, or set EVERLONG_MEMORY_URL.", 2));
  const ask = askNode(url, token, "your token");
  if (!ask.ok) return ask;
  const path = "/me/sharing";
  return ok({
    now: () => ask.value<SharingView>({ method: "GET", path }),
    choose: (shares) => ask.value<SharingView>({ method: "PATCH", path, body: { shares } }),
  });
}

function refusedBy(origin: string, status: number, body: unknown): Failure {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const text = (name: string): string => (typeof error[name] === "string" ? error[name] : "");
  const what = text("message") || `The node at ${origin} answered ${status}.`;
  return refusal(text("code") || `http_${status}`, what, text("hint") || "Check the address.", 1);
}
