// The user's hand on records: edit, delete, decide on pending ones. No prompt: the user acts.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import type { Deleted, Edited, Place, RecordActor, RecordChange, Resolution, ResolveOutcome } from "./contract.ts";
import { memorySecret, missingClient, sameFact, storeFailed, unsupported } from "./failure.ts";
import { readChange } from "./read-input.ts";
import { TRUST } from "./trust.ts";
import type { EditOutcome, MemoryFailure, WriteParts } from "./write-contract.ts";

export type ByUser = { actor: RecordActor; version?: number; place?: Place };

/** `input`: any of subject, fact, citations, reason; `trust: "user"` says that the user stands for it. */
export async function editRecord(
  parts: WriteParts,
  request: { id: string; input: unknown; by: ByUser },
  signal: AbortSignal,
): Promise<EditOutcome> {
  const input = isRecord(request.input) ? request.input : {};
  const read = readChange(parts.redactor, input);
  if (!read.ok) return read.error;
  const client = await parts.client();
  if (client.type === "skipped") return missingClient(client);
  if (read.value.redactions > 0) {
    const got = await client.strategy.get(request.id, optional("place", request.by.place), signal);
    if (got.type === "got" && got.record.scope === "user") return memorySecret("user");
  }
  const { citations, ...texts } = read.value.change;
  const change: RecordChange = {
    ...texts,
    ...(citations
      ? { citations: citations.map((one) => (parts.tree ? { ...one, state: parts.tree.check(one) } : one)) }
      : {}),
    ...(input["trust"] === "user" ? { trust: TRUST.user } : {}),
  };
  const edited: Edited = await client.strategy.edit(request.id, change, request.by, signal);
  if (edited.type === "failed") return storeFailed(edited);
  if (edited.type === "unsupported") return unsupported(client.strategy.kind, "edit records");
  if (edited.type === "same_fact") return sameFact(edited.id);
  if (edited.type !== "edited") return edited;
  tell(parts, "edit", request.by);
  return { ...edited, redactions: read.value.redactions };
}

type Action = Parameters<NonNullable<WriteParts["onEdited"]>>[0]["action"];

function tell(parts: WriteParts, action: Action, { actor }: ByUser): void {
  parts.onEdited?.({ action, by: actor.kind });
  parts.onChanged?.();
}

type Settled<T> = Exclude<T, { type: "failed" } | { type: "unsupported" }> | MemoryFailure;

export async function removeRecord(
  parts: WriteParts,
  request: { id: string; by: ByUser },
  signal: AbortSignal,
): Promise<Settled<Deleted>> {
  const client = await parts.client();
  if (client.type === "skipped") return missingClient(client);
  const deleted = await client.strategy.delete(request.id, request.by, signal);
  if (deleted.type === "failed") return storeFailed(deleted);
  if (deleted.type === "unsupported") return unsupported(client.strategy.kind, "delete records");
  if (deleted.type === "deleted") tell(parts, "delete", request.by);
  return deleted;
}

/** Accept, replace or reject a record that waits for the user. */
export async function resolveRecord(
  parts: WriteParts,
  request: { id: string; resolution: Resolution; by: ByUser },
  signal: AbortSignal,
): Promise<Settled<ResolveOutcome>> {
  const client = await parts.client();
  if (client.type === "skipped") return missingClient(client);
  const resolved = await client.strategy.resolve(request.id, request.resolution, request.by, signal);
  if (resolved.type === "failed") return storeFailed(resolved);
  if (resolved.type === "unsupported") return unsupported(client.strategy.kind, "keep records for review");
  if (resolved.type === "resolved") tell(parts, request.resolution.how, request.by);
  return resolved;
}
