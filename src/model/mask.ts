// Keeps keys out of everything that is shown or stored: each becomes its last four characters.
import { maskedForm, maskIn } from "../base/text.ts";
import type { ModelTarget } from "./contract.ts";

const CREDENTIAL_HEADER = /auth|key|token|secret|cookie|password/i;
const TOKEN_LIKE =
  /\b(?:sk|rk|pk|key)-[A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{20,}|\b(?:gh[pousr]|github_pat|xox[abpr])[_-][A-Za-z0-9_-]{10,}|(?<=\bBearer\s+)[A-Za-z0-9._~+/=-]{8,}/g;

/** The configured values that must never be seen: the key, and the values of credential headers without their scheme. */
export function secretsOf(target: Pick<ModelTarget, "apiKey" | "headers">): string[] {
  const headers = Object.entries(target.headers).filter(([name]) => CREDENTIAL_HEADER.test(name));
  return [target.apiKey ?? "", ...headers.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, "")])];
}

export function maskSecrets(text: string, secrets: readonly string[]): string {
  // Longest first: one secret may be part of another.
  const longestFirst = secrets.filter((secret) => secret.trim() !== "").sort((a, b) => b.length - a.length);
  return longestFirst.reduce(maskIn, text).replace(TOKEN_LIKE, (token) => maskedForm(token));
}
