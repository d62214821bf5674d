// Writing records over HTTP: the same path as everybody's, with a caller who shows no conversation and cannot be asked.
import * as z from "zod";
import { PLACE_REFUSED, repositoryNamed } from "../../memory/place-name.ts";
import { OFF } from "../../memory/record/choose.ts";
import type { Place, Source } from "../../memory/record/contract.ts";
import { refused } from "../../memory/record/failure.ts";
import { readId } from "../../memory/record/id.ts";
import { covers } from "../../memory/record/reach.ts";
import { storeRecord } from "../../memory/record/store.ts";
import { voteOn } from "../../memory/record/vote.ts";
import type {
  AskLeave,
  MemoryFailure,
  StoreOutcome,
  VoteOutcome,
  WriteParts,
} from "../../memory/record/write-contract.ts";
import { oneRow } from "../../store/unit.ts";
import type { Inside, MemoryBackend } from "./contract.ts";

const name = z.string().min(1).max(200);
export const repositoryKey = z.string().min(1).max(500);
export const storeBody = z.looseObject({
  repository: repositoryKey.optional(),
  /** The user said yes to this very text. */
  approved: z.boolean().optional(),
  /** It is to wait for the user. */
  pending: z.boolean().optional(),
  /** The user typed it; only with `approved`. */
  author: z.literal("user").optional(),
  source: z
    .object({ sessionId: name, turnId: name, toolCallId: name, agentId: name, model: name })
    .partial()
    .optional(),
});
export const voteBody = z.looseObject({
  repository: repositoryKey.optional(),
  /** An agent's, in one session; absent for the user's own. */
  actor: name.optional(),
});

/** `off`: works while memory is switched off too. `id`: what the caller named the record. */
export function writeParts(
  memory: MemoryBackend,
  options: { inside?: Inside; id?: string; off?: boolean } = {},
): WriteParts {
  const strategy = memory.strategy(options.inside);
  return {
    client: () => (memory.enabled || options.off ? { type: "ready", strategy } : OFF),
    redactor: memory.redactor,
    newId: () => options.id ?? memory.newId(),
    settings: () => ({ userScope: memory.userScope, maxStores: Number.POSITIVE_INFINITY }),
    clock: memory.clock,
    onStore: ({ outcome }) => noteFailure(memory, outcome),
    onVote: ({ outcome }) => noteFailure(memory, outcome),
  };
}

const FAILURES_KEPT = 20;
const GOOD: ReadonlySet<string> = new Set(["stored", "already_stored", "pending_review", "voted"]);

function noteFailure({ failures, clock }: MemoryBackend, outcome: string): void {
  if (GOOD.has(outcome)) return;
  failures.push({ code: outcome, at: clock.now() });
  failures.splice(0, failures.length - FAILURES_KEPT);
}

/** A key may come back after it was forgotten, for another record. */
async function isFree({ store }: MemoryBackend, id: string): Promise<boolean> {
  const row = await store.read(() => oneRow("SELECT 1 FROM memories WHERE id = ?", id));
  return row.ok && row.value === undefined;
}

/** The place to look in. A repository that may not be stored finds nothing; one out of the caller's reach is no place. */
export function placeOf(memory: MemoryBackend, repository: string | undefined): Place {
  const { user, redactor, redact } = memory;
  if (repository === undefined) return { user };
  const key = repositoryNamed(redactor, repository) ?? redact(repository);
  return isReached(memory, key) ? { repository: key, user } : { user };
}

export const isReached = ({ reach }: MemoryBackend, key: string): boolean => reach === undefined || covers(reach, key);

function placeRefused(memory: MemoryBackend, repository: string | undefined): MemoryFailure | undefined {
  if (repository === undefined) return undefined;
  const key = repositoryNamed(memory.redactor, repository);
  if (key !== undefined && isReached(memory, key)) return undefined;
  noteFailure(memory, "invalid_inputs");
  return refused("invalid_inputs", PLACE_REFUSED);
}

export const actorOf = ({ tokenName, user }: MemoryBackend) =>
  ({ kind: "user", id: user, name: `rest:${tokenName}` }) as const;

const sourceOf = ({ tokenName, redact }: MemoryBackend, source: z.infer<typeof storeBody>["source"] = {}) =>
  ({
    ...Object.fromEntries(Object.entries(source).map(([key, value]) => [key, redact(value ?? "")])),
    client: `rest:${tokenName}`,
  }) as Omit<Source, "origins" | "trust">;

export async function storeByRest(
  memory: MemoryBackend,
  body: z.infer<typeof storeBody>,
  options: { inside?: Inside; key?: string },
  signal: AbortSignal,
): Promise<StoreOutcome> {
  const { repository, approved: said = false, pending = false, author, source: given, ...input } = body;
  const approved = said && memory.mayApprove;
  const misplaced = placeRefused(memory, repository);
  if (misplaced) return misplaced;
  const source = sourceOf(memory, given);
  const isOwn = author === "user" && approved;
  // The writer made the id before its first attempt: a repetition is the same record.
  const named = readId(options.key ?? "")?.whole ? options.key : undefined;
  const id = named !== undefined && (await isFree(memory, named)) ? named : undefined;
  const parts = writeParts(memory, { ...options, ...(id === undefined ? {} : { id }) });
  const ask: AskLeave = async ({ mustAsk }) => {
    if (memory.denied) return { type: "denied", by: "rule", message: "A rule of the gateway forbids it." };
    return pending || (mustAsk && !approved) ? { type: "pending" } : { type: "approved" };
  };
  return storeRecord(
    parts,
    {
      input,
      place: placeOf(memory, repository),
      source,
      author: isOwn
        ? actorOf(memory)
        : {
            kind: "agent",
            id: source.agentId ?? source.sessionId ?? `rest:${memory.tokenName}`,
            name: `rest:${memory.tokenName}`,
          },
      origins: () => [{ kind: "assistant" }],
      ...(isOwn && !memory.denied && !pending ? {} : { ask }),
    },
    signal,
  );
}

/** `id`: on that record, whatever else has the same text. */
export async function voteByRest(
  memory: MemoryBackend,
  { repository, actor, ...input }: z.infer<typeof voteBody>,
  inside: Inside | undefined,
  signal: AbortSignal,
  id?: string,
): Promise<VoteOutcome> {
  const misplaced = placeRefused(memory, repository);
  if (misplaced) return misplaced;
  return voteOn(
    writeParts(memory, inside ? { inside } : {}),
    {
      input,
      ...(id === undefined ? {} : { id }),
      place: placeOf(memory, repository),
      source: sourceOf(memory),
      actor:
        actor === undefined
          ? { key: `user:${memory.user}`, kind: "user" }
          : { key: `rest:${memory.redact(actor)}`, kind: "agent" },
      ...(memory.denied
        ? { ask: async () => ({ type: "denied", by: "rule", message: "A rule of the gateway forbids it." }) as const }
        : {}),
    },
    signal,
  );
}
