// The user's hand on records: edit, delete, decide on pending ones. No prompt: the user acts.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import type { ChangeBy, Deleted, RecordChange, Resolution, ResolveOutcome, Strategy, Unable } from "./contract.ts";
import { memorySecret, missingClient, sameFact, storeFailed, unsupported } from "./failure.ts";
import { readChange } from "./read-input.ts";
import { TRUST } from "./trust.ts";
import type { EditOutcome, MemoryFailure, WriteParts } from "./write-contract.ts";

type Settled<T> = Exclude<T, Unable> | MemoryFailure;

/** `what` names the work for a strategy that cannot do it. */
async function withStrategy<T extends { type: string }>(
  parts: WriteParts,
  what: string,
  work: (strategy: Strategy) => Promise<T | Unable>,
): Promise<Settled<T>> {
  const client = await parts.client();
  if (client.type === "skipped") return missingClient(client);
  const outcome: { type: string } = await work(client.strategy);
  if (isFailed(outcome)) return storeFailed(outcome);
  return outcome.type === "unsupported" ? unsupported(client.strategy.kind, what) : (outcome as Settled<T>);
}

const isFailed = (outcome: { type: string }): outcome is Extract<Unable, { type: "failed" }> =>
  outcome.type === "failed";

/** `input`: any of subject, fact, citations, reason; `trust: "user"` says that the user stands for it. */
export async function editRecord(
  parts: WriteParts,
  request: { id: string; input: unknown; by: ChangeBy },
  signal: AbortSignal,
): Promise<EditOutcome> {
  const input = isRecord(request.input) ? request.input : {};
  const read = readChange(parts.redactor, input);
  if (!read.ok) return read.error;
  const { redactions } = read.value;
  const { citations, ...texts } = read.value.change;
  const change: RecordChange = {
    ...texts,
    ...optional(
      "citations",
      citations?.map((one) => (parts.tree ? { ...one, state: parts.tree.check(one) } : one)),
    ),
    ...(input["trust"] === "user" ? { trust: TRUST.user } : {}),
  };
  const outcome = await withStrategy(parts, "edit records", async (strategy) => {
    if (redactions > 0) {
      const got = await strategy.get(request.id, optional("place", request.by.place), signal);
      if (got.type === "got" && got.record.scope === "user") return memorySecret("user");
    }
    return strategy.edit(request.id, change, request.by, signal);
  });
  if (outcome.type === "same_fact") return sameFact(outcome.id);
  if (outcome.type !== "edited") return outcome;
  tell(parts, "edit", request.by);
  return { ...outcome, redactions };
}

type Action = Parameters<NonNullable<WriteParts["onEdited"]>>[0]["action"];

function tell(parts: WriteParts, action: Action, { actor }: ChangeBy): void {
  parts.onEdited?.({ action, by: actor.kind });
  parts.onChanged?.();
}

export async function removeRecord(
  parts: WriteParts,
  { id, by }: { id: string; by: ChangeBy },
  signal: AbortSignal,
): Promise<Settled<Deleted>> {
  const outcome = await withStrategy(parts, "delete records", (strategy) => strategy.delete(id, by, signal));
  if (outcome.type === "deleted") tell(parts, "delete", by);
  return outcome;
}

/** Accept, replace or reject a record that waits for the user. */
export async function resolveRecord(
  parts: WriteParts,
  { id, resolution, by }: { id: string; resolution: Resolution; by: ChangeBy },
  signal: AbortSignal,
): Promise<Settled<ResolveOutcome>> {
  const outcome = await withStrategy(parts, "keep records for review", (strategy) =>
    strategy.resolve(id, resolution, by, signal),
  );
  if (outcome.type === "resolved") tell(parts, resolution.how, by);
  return outcome;
}
