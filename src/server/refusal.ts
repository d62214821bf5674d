// The closed set of answers that the gate and the API refuse with.
import type { Failure } from "../base/failure.ts";
import type { GatewayRefusal } from "./contract.ts";

const TABLE = {
  bad_request: [400, "The request is not valid HTTP.", "Send one well-formed HTTP/1.1 request."],
  bad_host: [400, "The Host header is missing, doubled or malformed.", "Send one Host header: a name and a port."],
  bad_path: [
    400,
    "The path has an empty, . or .. segment, a backslash or a NUL.",
    "Look for a doubled or trailing slash in the base URL.",
  ],
  bad_token: [400, "X-Everlong-Token was sent twice.", "Send it once. Nothing was sent on."],
  json_too_deep: [400, "The JSON is nested too deeply.", "Send at most 32 levels."],
  invalid_inputs: [400, "The request cannot be understood.", "See the message for what is expected."],
  confirm_needed: [400, "This erases every proxied session.", "Add ?confirm=true to do it."],
  unauthorized: [
    401,
    "The gateway token is missing or wrong.",
    "Send it as Authorization: Bearer or X-Everlong-Token. Find it in EVERLONG_HOME/gateway.token.",
  ],
  wrong_signature: [
    401,
    "The request's signature is missing or wrong, or its clock is off by more than five minutes.",
    "Set memory.service.hmacKey to the same key on both sides, and check the clocks.",
  ],
  wrong_code: [
    401,
    "This code is not valid: it was used before, is older than ten minutes, or never was one.",
    "Get a new link with `everlong serve --link`.",
  ],
  run_ended: [
    401,
    "This address or token belongs to a run of `everlong with` that has ended. Nothing was sent on.",
    "Start the agent again with `everlong with`.",
  ],
  forbidden_tenant: [
    403,
    "The request names a tenant or a user that is not the token's.",
    "Leave them out: they come from the token.",
  ],
  forbidden_scope: [403, "This token may not do that.", "Use a token with the scope that is needed."],
  forbidden_host: [
    403,
    "This gateway does not answer to that host name.",
    "Use its own address, or add the name to gateway.allowedHosts.",
  ],
  forbidden_origin: [403, "Pages of another origin may not use this gateway.", "Call it from a program instead."],
  not_found: [404, "Nothing at this address.", "Model calls go to /v1, the API is under /api."],
  method_not_allowed: [405, "This address does not take that method.", "See the Allow header."],
  slow_body: [408, "The request's body came too slowly.", "Nothing was stored. Send it again."],
  headers_timeout: [408, "The request's headers did not come in time.", "Send the request again."],
  recall_off: [409, "Recall is off.", "Set recall.enabled to true and start the gateway again."],
  stale: [412, "Somebody changed it after you read it.", "Read it again and send If-Match with its new ETag."],
  too_large: [413, "The request's body is too large.", "Send less at once."],
  unsupported_media_type: [415, "This address takes JSON only.", "Send JSON with content type application/json."],
  upgrade_required: [426, "WebSockets are not supported.", "Use plain HTTP."],
  precondition_required: [428, "It already exists.", "Read it and send If-Match with its ETag."],
  too_many_failures: [429, "Too many requests without a valid token from this address.", "Wait a minute."],
  too_many_codes: [429, "Too many wrong codes.", "Wait a minute, then use a new link from `everlong serve --link`."],
  headers_too_large: [431, "The request's headers are larger than 32 KB.", "Send shorter headers."],
  internal: [500, "The gateway made a mistake. Stored data is not affected.", "Try again."],
  store_unavailable: [503, "The gateway cannot use its store right now.", "Try again in a second."],
  shutting_down: [503, "The gateway is shutting down. Nothing is lost.", "Send the request again in a moment."],
  overloaded: [503, "The gateway has too many requests in flight. Nothing is lost.", "Send it again in a moment."],
} as const satisfies Record<string, readonly [number, string, string]>;

export type RefusalCode = keyof typeof TABLE;

export function refusal(code: RefusalCode, more: Partial<GatewayRefusal> = {}): GatewayRefusal {
  const [status, message, hint] = TABLE[code];
  const headers = HEADERS[status];
  return { status, code, message, hint, ...(headers ? { headers } : {}), ...more };
}

const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  426: { connection: "close", upgrade: "HTTP/1.1" },
  429: { "retry-after": "60" },
  503: { "retry-after": "1" },
};

/** A failure of an operation as the API tells it; what is not in the table is the request's own fault. */
export function refusalOf(failure: Failure): GatewayRefusal {
  const row = failure.code in TABLE ? TABLE[failure.code as RefusalCode] : undefined;
  if (!row && /^(store_|unsafe_path)/.test(failure.code)) {
    return refusal("store_unavailable", { details: { code: failure.code } });
  }
  const status = row?.[0] ?? (/_not_found$|^no_such_/.test(failure.code) ? 404 : 400);
  const message = [failure.what, failure.data].filter(Boolean).join(" ");
  return { status, code: failure.code, message, hint: failure.next ?? "" };
}
