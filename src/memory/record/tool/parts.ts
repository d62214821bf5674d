// What the memory tools are given for each call, and how outcomes read for the model.
import { failure, success, type Tool, type ToolContext, type ToolOutcome } from "../../../tool/contract.ts";
import type { StoreOutcome, StoreRequest, VoteOutcome, VoteRequest, WriteParts } from "../write-contract.ts";

export type MemoryCall = { tool: Tool; input: unknown; context: ToolContext };

export type MemoryToolParts = {
  write: WriteParts;
  /** Who asks, from where, and whom to ask. */
  storing: (call: MemoryCall) => StoreRequest;
  voting: (call: MemoryCall) => VoteRequest;
  /** Told of each failure's code. */
  onFailure?: (code: string) => void;
};

export function storeText(outcome: StoreOutcome): ToolOutcome {
  switch (outcome.type) {
    case "failure":
      return failure(outcome.code, withBy(outcome));
    case "already_stored":
      return success(
        outcome.status === "pending"
          ? `already_stored: this fact waits for the user's review as ${outcome.id}.`
          : `already_stored: this fact is there as ${outcome.id} (scope ${outcome.scope}).`,
      );
    case "pending_review":
      return success(
        `pending_review: kept as ${outcome.record.id}, not in use until the user decides with \`everlong memory review\`.${redacted(outcome.redactions)}`,
      );
    case "stored": {
      const { record, redactions } = outcome;
      const missing = record.citations.filter(({ state }) => state === "missing").map(({ raw }) => raw);
      const note = missing.length > 0 ? ` Not found: ${missing.join(", ")}.` : "";
      return success(`Stored as ${record.id} (scope ${record.scope}).${redacted(redactions)}${note}`);
    }
  }
}

export function voteText(outcome: VoteOutcome): ToolOutcome {
  if (outcome.type === "failure") return failure(outcome.code, withBy(outcome));
  const votes = outcome.record ? ` It has ${outcome.record.votes.up} up and ${outcome.record.votes.down} down.` : "";
  return success(outcome.changed ? `The vote was counted.${votes}` : `That was your vote already.${votes}`);
}

const redacted = (count: number): string =>
  count === 0 ? "" : ` ${count} secret${count === 1 ? " was" : "s were"} redacted.`;

const withBy = (f: Extract<StoreOutcome, { type: "failure" }>): string =>
  f.by === undefined ? f.message : `[by: ${f.by}] ${f.message}`;
