// Voting on a record by its exact text, or by its id: fixed steps like those of a store.
import { optional } from "../../base/optional.ts";
import type { MemoryRecord, Voted } from "./contract.ts";
import {
  factNotFound,
  missingClient,
  permissionDenied,
  refused,
  storeFailed,
  unsupported,
  votingUnsupported,
} from "./failure.ts";
import { type ReadVote, readVote } from "./read-input.ts";
import type { MemoryPermission, VoteOutcome, VoteRequest, WriteParts } from "./write-contract.ts";

export async function voteOn(parts: WriteParts, request: VoteRequest, signal: AbortSignal): Promise<VoteOutcome> {
  const report = { direction: "", strategy: "" };
  const outcome = await run(parts, request, signal, report);
  parts.onVote?.({ outcome: outcome.type === "failure" ? outcome.code : outcome.type, ...report });
  if (outcome.type === "voted" && outcome.changed) parts.onChanged?.();
  return outcome;
}

async function run(
  parts: WriteParts,
  request: VoteRequest,
  signal: AbortSignal,
  report: { direction: string; strategy: string },
): Promise<VoteOutcome> {
  const read = readVote(parts.redactor, request.input);
  if (!read.ok) return read.error;
  report.direction = read.value.direction;
  const client = await parts.client();
  if (client.type === "skipped") return missingClient(client);
  const { strategy } = client;
  report.strategy = strategy.kind;
  if (!strategy.supportsVoting) return votingUnsupported(strategy.kind);
  const { id, place, ask, actor } = request;
  const lookup =
    id === undefined
      ? await strategy.find(read.value.fact, { place, near: true }, signal)
      : await strategy.get(id, { place }, signal);
  if (lookup.type === "failed") return storeFailed(lookup);
  if (lookup.type === "absent") return factNotFound(lookup.near);
  if (lookup.type === "deleted" || lookup.type === "not_found") return factNotFound([]);
  const record = lookup.type === "found" || lookup.type === "got" ? lookup.record : undefined;
  if (ask) {
    const leave = await ask(permissionFor(request, read.value, record), signal);
    if (leave.type === "denied") return permissionDenied(leave.by, leave.message);
    if (leave.type === "pending") return permissionDenied("user_not_available", "The vote must be asked about.");
  }
  const { fact, reason, direction } = read.value;
  const ballot = { fact, reason, direction, place, actor, ...optional("id", record?.id ?? id) };
  const voted = await strategy.vote(ballot, signal);
  return outcomeOf(voted, strategy.kind);
}

function outcomeOf(voted: Voted, kind: string): VoteOutcome {
  switch (voted.type) {
    case "voted":
      return { type: "voted", record: voted.record, changed: voted.changed };
    case "counted":
      return { type: "voted", changed: true };
    case "fact_not_found":
      return factNotFound(voted.near);
    case "refused":
      return refused(voted.code, voted.message);
    case "failed":
      return storeFailed(voted);
    case "unsupported":
      return unsupported(kind, "count votes");
  }
}

function permissionFor(request: VoteRequest, vote: ReadVote, record: MemoryRecord | undefined): MemoryPermission {
  const { toolCallId } = request.source;
  const { fact, reason, direction } = vote;
  const repository = record?.repository ?? request.place.repository;
  return {
    kind: "memory",
    action: "vote",
    summary: `${direction}: ${fact}`,
    ...(record ? { subject: record.subject } : {}),
    fact,
    reason,
    direction,
    scope: record?.scope ?? "repository",
    ...(record?.scope !== "user" && repository != null ? { repository } : {}),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    origins: [],
    trust: 1,
    similar: [],
    warnings: [],
    mustAsk: false,
  };
}
