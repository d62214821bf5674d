// Failures of memory for both who read them: `message` tells a model which field, rule or setting is at fault and what to
// send next; `person` tells the same to whoever typed a command.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import type { Failed, FailureCode, Skip } from "./contract.ts";
import type { DeniedBy, MemoryFailure } from "./write-contract.ts";

type Person = Pick<Failure, "what" | "data" | "next">;

const memoryFailure = (
  code: FailureCode,
  message: string,
  person: Person,
  more: Partial<MemoryFailure> = {},
): MemoryFailure => ({ type: "failure", code, message, person: { data: "Nothing was written.", ...person }, ...more });

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export type BadField = { field: string; why: string };

/** What people call the fields that commands name otherwise. */
const FIELD_NAMES: Record<string, string> = { citations: "list of sources", direction: "vote" };

export function invalidInputs(bad: readonly BadField[]): MemoryFailure {
  const faults = bad.map(({ field, why }) => `"${field}" ${why}`).join("; ");
  const what = bad.map(({ field, why }) => `the ${FIELD_NAMES[field] ?? field} ${why}`).join("; ");
  return memoryFailure(
    "invalid_inputs",
    `Nothing was written: ${faults}. Send it again with that corrected.`,
    { what: `${sentence(what)}.` },
    { fields: bad.map(({ field }) => field) },
  );
}

export const invalidScope = (why: string, person: Person): MemoryFailure =>
  memoryFailure("invalid_scope", `Nothing was stored: ${why}`, person);

export const missingClient = ({ message }: Skip): MemoryFailure =>
  memoryFailure("missing_client", `Nothing was read or written: ${message}`, { what: sentence(message) });

const DENIED: Record<DeniedBy, string> = {
  rule: "A rule forbids it; do not try again.",
  user: "The user said no; do not try again in other words.",
  user_not_available: "Nobody can be asked here. The user may allow it with --allow-tool memory.",
};
export const permissionDenied = (by: DeniedBy, message: string, next = DENIED[by]): MemoryFailure =>
  memoryFailure("permission_denied", `${message} ${next}`.trim(), { what: message }, { by });

export const memorySecret = (scope: string | undefined): MemoryFailure =>
  scope === "user"
    ? memoryFailure(
        "memory_secret",
        "Nothing was written: the text holds a secret, and facts for every project may hold none. Leave the secret out; say where it is kept instead.",
        {
          what: "The text contains a secret, and a memory for every project may not contain one.",
          next: "Leave the secret out; say where it is kept instead.",
        },
      )
    : memoryFailure(
        "memory_secret",
        "Nothing was written: with its secret taken out, the fact says nothing. Say where the secret is kept or how it is used, without its value.",
        {
          what: 'Not stored: without the credential in "fact" nothing is left to remember.',
          next: "Say it without the secret: where it is kept, or how it is used.",
        },
      );
export const filterFailed = (): MemoryFailure =>
  memoryFailure("filter_failed", "Nothing was written: the text could not be checked for secrets. Send it shorter.", {
    what: "The text could not be checked for secrets.",
    next: "Make it shorter.",
  });

/** An edit would make two records say the same. */
export const sameFact = (id: string): MemoryFailure =>
  invalidInputs([{ field: "fact", why: `is what ${id} says already` }]);

export const alreadyInInstructions = (): MemoryFailure =>
  memoryFailure(
    "already_in_instructions",
    "Nothing was stored: the instructions say this already, so every session knows it.",
    { what: "The instructions already say this." },
  );
export const deletedBefore = (): MemoryFailure =>
  memoryFailure(
    "deleted_before",
    "Nothing was stored: the user deleted this fact. Only the user may add it again, with `everlong memory add`.",
    { what: "You deleted this fact before.", next: "To bring it back: everlong memory add" },
  );
export const limitReached = (max: number): MemoryFailure =>
  memoryFailure(
    "limit_reached",
    `Nothing was stored: this session has stored ${max} facts, the most that memory.maxStoresPerSession allows.`,
    { what: `This session has stored ${max} facts, the maximum (memory.maxStoresPerSession).` },
  );

export const votingUnsupported = (kind: string): MemoryFailure =>
  memoryFailure(
    "voting_unsupported",
    `No vote was counted: memories kept by "${kind}" (memory.strategy) cannot be voted on.`,
    { what: `Memories kept by "${kind}" (memory.strategy) cannot be voted on.` },
  );
export function factNotFound(near: readonly string[]): MemoryFailure {
  const list = near.map((fact) => `- ${fact}`).join("\n");
  return memoryFailure(
    "fact_not_found",
    `No vote was counted: no visible memory has exactly the text in "fact". ${near.length === 0 ? "Use the text as it is shown." : `The nearest:\n${list}`}`,
    {
      what: "No memory has exactly this text.",
      ...optional("next", near.length === 0 ? undefined : `Closest:\n${list}`),
    },
  );
}

export function storeFailed({ cause, mayBeStored, status, next = "" }: Failed): MemoryFailure {
  const rest = mayBeStored
    ? "It may have been done all the same: the same call again does no harm."
    : "Nothing was written.";
  const http = status === undefined ? "" : ` (HTTP ${status})`;
  const person = {
    what: `The memory store failed${http}: ${cause}`,
    data: mayBeStored
      ? "It may have been saved anyway; running the command again does no harm."
      : "Nothing was written.",
    ...optional("next", next || undefined),
  };
  return memoryFailure("store_failed", `The store failed${http}: ${cause} ${rest} ${next}`.trim(), person, {
    mayBeStored,
    ...optional("status", status),
  });
}
/** What a fault of the store means for the record. */
export const failedBy = ({ what, next }: Pick<Failure, "what" | "next">, mayBeStored: boolean): Failed => ({
  type: "failed",
  cause: what,
  mayBeStored,
  ...optional("next", next),
});
/** Nobody waits for it any more. */
export const CANCELLED: Failed = { type: "failed", cause: "it was cancelled.", mayBeStored: false };

export function unsupported(kind: string, what: string): MemoryFailure {
  const message = `The store "${kind}" (memory.strategy) cannot ${what}.`;
  return memoryFailure("store_failed", message, { what: message }, { mayBeStored: false });
}
export const refused = (code: FailureCode, message: string): MemoryFailure =>
  memoryFailure(code, message, { what: message });
