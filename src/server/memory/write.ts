// Writing records over HTTP: the same path as everybody's, with a caller who shows no conversation and cannot be asked.
import * as z from "zod";
import { givenRepository, PLACE_REFUSED } from "../../memory/given-place.ts";
import { OFF } from "../../memory/record/choose.ts";
import type { Place, Source } from "../../memory/record/contract.ts";
import { refused } from "../../memory/record/failure.ts";
import { readId } from "../../memory/record/id.ts";
import { storeRecord } from "../../memory/record/store.ts";
import { voteOn } from "../../memory/record/vote.ts";
import type {
  AskLeave,
  MemoryFailure,
  StoreOutcome,
  VoteOutcome,
  WriteParts,
} from "../../memory/record/write-contract.ts";
import type { Inside, MemoryApi } from "./contract.ts";

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
export function writeParts(api: MemoryApi, options: { inside?: Inside; id?: string; off?: boolean } = {}): WriteParts {
  const strategy = api.strategy(options.inside);
  return {
    client: () => (api.enabled || options.off ? { type: "ready", strategy } : OFF),
    redactor: api.redactor,
    newId: () => (options.id !== undefined && isFree(api, options.id) ? options.id : api.newId()),
    settings: () => ({ userScope: api.userScope, maxStores: Number.POSITIVE_INFINITY }),
    clock: api.clock,
    onStore: ({ outcome }) => noteFailure(api, outcome),
    onVote: ({ outcome }) => noteFailure(api, outcome),
  };
}

const FAILURES_KEPT = 20;
const GOOD: ReadonlySet<string> = new Set(["stored", "already_stored", "pending_review", "voted"]);

function noteFailure({ failures, clock }: MemoryApi, outcome: string): void {
  if (GOOD.has(outcome)) return;
  failures.push({ code: outcome, at: clock.now() });
  failures.splice(0, failures.length - FAILURES_KEPT);
}

/** A key may come back after it was forgotten, for another record. */
const isFree = ({ db }: MemoryApi, id: string): boolean =>
  db.prepare("SELECT 1 FROM memories WHERE id = ?").get(id) === undefined;

/** To look in. One that may not be stored finds nothing. */
export const placeOf = ({ user, redactor, redact }: MemoryApi, repository: string | undefined): Place =>
  repository === undefined
    ? { user }
    : { repository: givenRepository(redactor, repository) ?? redact(repository), user };

function placeRefused(api: MemoryApi, repository: string | undefined): MemoryFailure | undefined {
  if (repository === undefined || givenRepository(api.redactor, repository) !== undefined) return undefined;
  noteFailure(api, "invalid_inputs");
  return refused("invalid_inputs", PLACE_REFUSED);
}

export const actorOf = ({ tokenName, user }: MemoryApi) =>
  ({ kind: "user", id: user, name: `rest:${tokenName}` }) as const;

const sourceOf = ({ tokenName, redact }: MemoryApi, given: z.infer<typeof storeBody>["source"] = {}) =>
  ({
    ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, redact(value ?? "")])),
    client: `rest:${tokenName}`,
  }) as Omit<Source, "origins" | "trust">;

export async function storeByRest(
  api: MemoryApi,
  body: z.infer<typeof storeBody>,
  options: { inside?: Inside; key?: string },
  signal: AbortSignal,
): Promise<StoreOutcome> {
  const { repository, approved = false, pending = false, author, source: given, ...input } = body;
  const misplaced = placeRefused(api, repository);
  if (misplaced) return misplaced;
  const source = sourceOf(api, given);
  const isOwn = author === "user" && approved;
  // The writer made the id before its first attempt: a repetition is the same record.
  const id = readId(options.key ?? "")?.whole ? options.key : undefined;
  const parts = writeParts(api, { ...options, ...(id === undefined ? {} : { id }) });
  const ask: AskLeave = async ({ mustAsk }) => {
    if (api.denied) return { type: "denied", by: "rule", message: "A rule of the gateway forbids it." };
    return pending || (mustAsk && !approved) ? { type: "pending" } : { type: "approved" };
  };
  return storeRecord(
    parts,
    {
      input,
      place: placeOf(api, repository),
      source,
      author: isOwn
        ? actorOf(api)
        : {
            kind: "agent",
            id: source.agentId ?? source.sessionId ?? `rest:${api.tokenName}`,
            name: `rest:${api.tokenName}`,
          },
      origins: () => [{ kind: "assistant" }],
      ...(isOwn && !api.denied && !pending ? {} : { ask }),
    },
    signal,
  );
}

/** `id`: on that record, whatever else has the same text. */
export async function voteByRest(
  api: MemoryApi,
  { repository, actor, ...input }: z.infer<typeof voteBody>,
  inside: Inside | undefined,
  signal: AbortSignal,
  id?: string,
): Promise<VoteOutcome> {
  const misplaced = placeRefused(api, repository);
  if (misplaced) return misplaced;
  return voteOn(
    writeParts(api, inside ? { inside } : {}),
    {
      input,
      ...(id === undefined ? {} : { id }),
      place: placeOf(api, repository),
      source: sourceOf(api),
      actor:
        actor === undefined
          ? { key: `user:${api.user}`, kind: "user" }
          : { key: `rest:${api.redact(actor)}`, kind: "agent" },
      ...(api.denied
        ? { ask: async () => ({ type: "denied", by: "rule", message: "A rule of the gateway forbids it." }) as const }
        : {}),
    },
    signal,
  );
}
