// Anthropic: where it is, and how its clients show their key.
import type { WireVendor } from "../contract.ts";
import { afterVersion } from "../vendor.ts";

export const anthropicVendor: WireVendor = {
  name: "anthropic",
  provider: "anthropic",
  address: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  keyHeader: "x-api-key",
  headers: { "anthropic-version": "2023-06-01" },
  ownsPath: (rest) => /^\/messages(?:\/|$)/.test(afterVersion(rest)),
  ownsHeaders: (headers) => headers["anthropic-version"] !== undefined,
  join: (base, rest) => base.replace(/\/v1(?:beta)?$/, "") + rest,
};
