// OpenAI, whose two wires most other servers speak too.
import type { WireVendor } from "./contract.ts";
import { afterVersion } from "./vendor.ts";

export const openaiVendor: WireVendor = {
  name: "openai",
  provider: "openai",
  address: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  join: (base, rest) => (base || "/v1") + afterVersion(rest),
};

const STATUS_TYPES: Readonly<Record<number, string>> = { 401: "authentication_error", 403: "permission_error" };

export function openaiErrorBody(status: number, code: string, message: string): object {
  const type = STATUS_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
  return { error: { message, type, param: null, code } };
}

export const isContextLengthCode = (error: Readonly<Record<string, unknown>>): boolean =>
  error["code"] === "context_length_exceeded";
