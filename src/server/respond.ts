// Answers of the gateway itself: JSON with the security headers, refusals in the shape of the route they stand on.
import type { ServerResponse } from "node:http";
import { optional } from "../base/optional.ts";
import { answer, errorAnswer, letGo, type OwnAnswer } from "../proxy/forward/error-shape.ts";
import type { WireName } from "../schema/model.ts";
import type { GatewayRefusal } from "./contract.ts";

export const SECURITY_HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" } as const;

const jsonAnswer = (status: number, body: unknown, headers: Readonly<Record<string, string>>): OwnAnswer => ({
  status,
  headers: Object.entries({
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...headers,
  }).flat(),
  body: JSON.stringify(body),
});

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  answer(res, jsonAnswer(status, body, headers));
}

export const errorBody = ({ code, message, hint, details }: GatewayRefusal) => ({
  error: { code, message, hint, ...optional("details", details) },
});

/** `wire` is given on the proxy's routes: there an error has the provider's shape, or OpenAI's where none is known. */
export type RefusalShape = "api" | "graphiti" | { wire: WireName | undefined };

export function refusalAnswer(refusal: GatewayRefusal, shape: RefusalShape): OwnAnswer {
  const { status, code, message, hint, headers = {} } = refusal;
  if (shape === "graphiti") {
    const text = status === 401 ? "Not authenticated" : status === 404 ? "Not Found" : `${message} ${hint}`;
    return jsonAnswer(status, { detail: text }, { ...headers, "x-everlong-error": code });
  }
  if (shape === "api") return jsonAnswer(status, errorBody(refusal), { ...headers, "x-everlong-error": code });
  const own = errorAnswer(shape.wire, { status, code, message: `${message} ${hint}` });
  return { ...own, headers: [...own.headers, ...Object.entries({ ...SECURITY_HEADERS, ...headers }).flat()] };
}

export function sendRefusal(res: ServerResponse, refusal: GatewayRefusal, shape: RefusalShape): void {
  answer(res, refusalAnswer(refusal, shape));
  letGo(res.req);
}
