// store_memory and vote_memory: one fact for future sessions, and whether one that was shown proved true.
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from "../../../tool/contract.ts";
import type { Definition } from "../contract.ts";
import { storeRecord } from "../store.ts";
import { voteOn } from "../vote.ts";
import type { StoreOutcome, StoreRequest, VoteOutcome, VoteRequest, WriteParts } from "../write-contract.ts";
import { storeInput, voteInput } from "./definition.ts";

export type MemoryCall = { tool: Tool; input: unknown; context: ToolContext };

export type MemoryToolParts = {
  write: WriteParts;
  /** Who asks, from where, and whom to ask. */
  storing: (call: MemoryCall) => StoreRequest;
  voting: (call: MemoryCall) => VoteRequest;
  /** Told of each failure's code. */
  onFailure?: (code: string) => void;
};

/** The write path asks for permission in its place among the steps, and a person may take any time to answer. */
const ASKS_ITSELF = { permissions: () => [], lane: () => "memory", limitMs: Number.POSITIVE_INFINITY };

/** `instructions`: what the strategy says about storing, bounded where it was read. */
export function storeMemoryTool(
  parts: MemoryToolParts,
  { description }: Definition,
  { scopes, instructions }: { scopes: boolean; instructions: string },
): Tool {
  const tool: Tool = defineTool({
    ...ownTool("store_memory"),
    description: `${description}\n\n${instructions.trim()}`.trim(),
    input: storeInput(scopes),
    ...ASKS_ITSELF,
    async run(input, context) {
      const outcome = await storeRecord(parts.write, parts.storing({ tool, input, context }), context.signal);
      if (outcome.type === "failure") parts.onFailure?.(outcome.code);
      return storeText(outcome);
    },
  });
  return tool;
}

export function voteMemoryTool(parts: MemoryToolParts, { description }: Definition): Tool {
  const tool: Tool = defineTool({
    ...ownTool("vote_memory"),
    description,
    input: voteInput,
    ...ASKS_ITSELF,
    async run(input, context) {
      const outcome = await voteOn(parts.write, parts.voting({ tool, input, context }), context.signal);
      if (outcome.type === "failure") parts.onFailure?.(outcome.code);
      return voteText(outcome);
    },
  });
  return tool;
}

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
      const { record, redactions, similar = [] } = outcome;
      const missing = record.citations.filter(({ state }) => state === "missing").map(({ raw }) => raw);
      const note = missing.length > 0 ? ` Not found: ${missing.join(", ")}.` : "";
      const beside = similar.map(({ id, relation }) => `${relation} of ${id}`).join(", ");
      const near = beside === "" ? "" : ` Similar: ${beside}.`;
      return success(`Stored as ${record.id} (scope ${record.scope}).${redacted(redactions)}${note}${near}`);
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
