// Bytes that are no HTTP request, or never become one: answered where an answer can still be read.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errorCode } from "../base/failure.ts";
import { type RefusalCode, refusal } from "./refusal.ts";
import { refusalAnswer } from "./respond.ts";

const CODES: Readonly<Record<string, RefusalCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "headers_timeout",
};
/** Node hands over the bare socket: no request was made of what came. */
export function answerBroken(error: Error, socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): void {
  // In the middle of an answer nothing else can be said.
  if (!socket.writable || errorCode(error) === "ECONNRESET" || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusalAnswer(refusal(CODES[errorCode(error) ?? ""] ?? "bad_request"), "api");
  const all = [...headers, "content-length", String(Buffer.byteLength(body)), "connection", "close"];
  const lines = all.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
}
