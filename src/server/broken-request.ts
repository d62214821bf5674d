// Bytes that are no HTTP request, or never become one: answered where an answer can still be read.
import type { Socket } from "node:net";
import { errorCode } from "../base/failure.ts";
import { type RefusalCode, refusal } from "./refusal.ts";
import { errorBody, SECURITY_HEADERS } from "./respond.ts";

const CODES: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "headers_timeout",
};
const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/** Node hands over the bare socket: no request was made of what came. */
export function answerBroken(error: Error, socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): void {
  // In the middle of an answer nothing else can be said.
  if (!socket.writable || errorCode(error) === "ECONNRESET" || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const refused = refusal(CODES[errorCode(error) ?? ""] ?? "bad_request");
  const body = JSON.stringify(errorBody(refused));
  const headers: Record<string, string | number> = {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-everlong-error": refused.code,
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${refused.status} ${REASONS[refused.status]}`, ...lines, "", body].join("\r\n"));
}
