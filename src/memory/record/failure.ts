// Failures of memory, in words: what happened, which field, rule or setting is at fault, what to do next.
import type { Failed, FailureCode, Skip } from "./contract.ts";
import type { DeniedBy, MemoryFailure } from "./write-contract.ts";

const memoryFailure = (code: FailureCode, message: string, more: Partial<MemoryFailure> = {}): MemoryFailure => ({
  type: "failure",
  code,
  message,
  ...more,
});

export type BadField = { field: string; why: string };

export const invalidInputs = (bad: readonly BadField[]): MemoryFailure =>
  memoryFailure(
    "invalid_inputs",
    `Nothing was written: ${bad.map(({ field, why }) => `"${field}" ${why}`).join("; ")}. Send it again with that corrected.`,
    { fields: bad.map(({ field }) => field) },
  );

export const invalidScope = (why: string): MemoryFailure =>
  memoryFailure("invalid_scope", `Nothing was stored: ${why}`);

export const missingClient = ({ message }: Skip): MemoryFailure =>
  memoryFailure("missing_client", `Nothing was read or written: ${message}`);

const DENIED: Record<DeniedBy, string> = {
  rule: "A rule forbids it; do not try again.",
  user: "The user said no; do not try again in other words.",
  user_not_available: "Nobody can be asked here. The user may allow it with --allow-tool memory.",
};
export const permissionDenied = (by: DeniedBy, message: string, next = DENIED[by]): MemoryFailure =>
  memoryFailure("permission_denied", `${message} ${next}`.trim(), { by });

export const memorySecret = (scope: string | undefined): MemoryFailure =>
  memoryFailure(
    "memory_secret",
    scope === "user"
      ? "Nothing was written: the text holds a secret, and facts for every project may hold none. Leave the secret out; say where it is kept instead."
      : "Nothing was written: with its secret taken out, the fact says nothing. Say where the secret is kept or how it is used, without its value.",
  );
export const filterFailed = (): MemoryFailure =>
  memoryFailure("filter_failed", "Nothing was written: the text could not be checked for secrets. Send it shorter.");

/** Of an edit. */
export const sameFact = (id: string): MemoryFailure =>
  invalidInputs([{ field: "fact", why: `is what ${id} says already` }]);

export const alreadyInInstructions = (): MemoryFailure =>
  memoryFailure(
    "already_in_instructions",
    "Nothing was stored: the instructions say this already, so every session knows it.",
  );
export const deletedBefore = (): MemoryFailure =>
  memoryFailure(
    "deleted_before",
    "Nothing was stored: the user deleted this fact. Only the user may add it again, with `everlong memory add`.",
  );
export const limitReached = (max: number): MemoryFailure =>
  memoryFailure(
    "limit_reached",
    `Nothing was stored: this session has stored ${max} facts, the most that memory.maxStoresPerSession allows.`,
  );

export const votingUnsupported = (kind: string): MemoryFailure =>
  memoryFailure(
    "voting_unsupported",
    `No vote was counted: memories kept by "${kind}" (memory.strategy) cannot be voted on.`,
  );
export const factNotFound = (near: readonly string[]): MemoryFailure =>
  memoryFailure(
    "fact_not_found",
    near.length === 0
      ? 'No vote was counted: no visible memory has exactly the text in "fact". Use the text as it is shown.'
      : `No vote was counted: no visible memory has exactly the text in "fact". The nearest:\n${near.map((fact) => `- ${fact}`).join("\n")}`,
  );

export function storeFailed({ cause, mayBeStored, status, next = "" }: Failed): MemoryFailure {
  const rest = mayBeStored
    ? "It may have been done all the same: the same call again does no harm."
    : "Nothing was written.";
  const http = status === undefined ? "" : ` (HTTP ${status})`;
  return memoryFailure("store_failed", `The store failed${http}: ${cause} ${rest} ${next}`.trim(), {
    mayBeStored,
    ...(status === undefined ? {} : { status }),
  });
}
/** Nobody waits for it any more. */
export const CANCELLED: Failed = { type: "failed", cause: "it was cancelled.", mayBeStored: false };

export const unsupported = (kind: string, what: string): MemoryFailure =>
  memoryFailure("store_failed", `The store "${kind}" (memory.strategy) cannot ${what}.`, { mayBeStored: false });
export const refused = (code: FailureCode, message: string): MemoryFailure => memoryFailure(code, message);
