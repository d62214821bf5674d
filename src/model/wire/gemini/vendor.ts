// Google: where its Gemini API is, and how its clients show their key.
import type { WireVendor } from "../contract.ts";

export const geminiVendor: WireVendor = {
  name: "gemini",
  provider: "google",
  address: "https://generativelanguage.googleapis.com",
  keyVariable: "GEMINI_API_KEY",
  keyHeader: "x-goog-api-key",
  ownsPath: (rest) => /^\/v1beta(?:\/|$)/.test(rest),
  ownsHeaders: (headers) => headers["x-goog-api-key"] !== undefined,
  join: (base, rest) => base.replace(/\/v1(?:beta)?$/, "") + rest,
};
