// Answers of the gateway itself: JSON with the security headers, refusals in the shape of the route they stand on.
import type { ServerResponse } from "node:http";
import { optional } from "../base/optional.ts";
import { answer, errorAnswer } from "../proxy/forward/error-shape.ts";
import { letGo } from "../proxy/forward/let-go.ts";
import type { WireName } from "../schema/model.ts";
import type { Refusal } from "./contract.ts";

export const SECURITY_HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...headers,
  });
  res.end(res.req.method === "HEAD" ? undefined : text);
}

export const errorBody = ({ code, message, hint, details }: Refusal) => ({
  error: { code, message, hint, ...optional("details", details) },
});

/** `wire` is given on the proxy's routes: there an error has the provider's shape, or OpenAI's where none is known. */
export function sendRefusal(
  res: ServerResponse,
  refusal: Refusal,
  shape: "api" | { wire: WireName | undefined },
): void {
  const { status, code, message, hint, headers = {} } = refusal;
  if (shape === "api") sendJson(res, status, errorBody(refusal), { ...headers, "x-everlong-error": code });
  else {
    const own = { ...SECURITY_HEADERS, ...headers };
    answer(res, errorAnswer(shape.wire, { status, code, message: `${message} ${hint}` }), Object.entries(own).flat());
  }
  letGo(res.req);
}
