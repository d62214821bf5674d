// The one way by which a record comes to be, whoever asks: fixed steps, the first that fails ends it, one outcome.
import { fail, ok, type Result } from "../../base/result.ts";
import { wordsOf } from "../recall/text/words.ts";
import { resolveRecord } from "./change.ts";
import type {
  Citation,
  FactOrigin,
  MemoryRecord,
  Place,
  RecordDraft,
  Scope,
  Source,
  StoreResult,
  Strategy,
} from "./contract.ts";
import {
  alreadyInInstructions,
  deletedBefore,
  filterFailed,
  invalidScope,
  limitReached,
  missingClient,
  permissionDenied,
  refused,
  storeFailed,
  unsupported,
} from "./failure.ts";
import { type ReadStore, readStore } from "./read-input.ts";
import { type SimilarRecord, similarTo } from "./similar.ts";
import { mustAsk, trustOf } from "./trust.ts";
import type { MemoryFailure, MemoryPermission, StoreOutcome, StoreRequest, WriteParts } from "./write-contract.ts";

/** What is known of a store as it goes through the steps, for its event. */
type Progress = {
  scope: string;
  strategy: string;
  origins: readonly FactOrigin[];
  redactions: number;
  similar: readonly SimilarRecord[];
};

export async function storeRecord(
  parts: WriteParts,
  request: StoreRequest,
  signal: AbortSignal,
): Promise<StoreOutcome> {
  const start = parts.clock.monotonic();
  const progress: Progress = { scope: "", strategy: "", origins: [], redactions: 0, similar: [] };
  const outcome = await run(parts, request, signal, progress);
  parts.onStore?.({
    outcome: outcome.type === "failure" ? outcome.code : outcome.type,
    scope: progress.scope,
    strategy: progress.strategy,
    origins: [...new Set(progress.origins.map(({ kind }) => kind))],
    redactions: progress.redactions,
    similar: progress.similar.length,
    durationMs: Math.round(parts.clock.monotonic() - start),
  });
  if (outcome.type !== "stored") return outcome;
  parts.onChanged?.();
  return { ...outcome, similar: progress.similar };
}

async function run(
  parts: WriteParts,
  request: StoreRequest,
  signal: AbortSignal,
  progress: Progress,
): Promise<StoreOutcome> {
  const read = readStore(parts.redactor, request.input);
  if (!read.ok) return read.error;
  progress.redactions = read.value.redactions;
  // What the scope may be depends on the strategy; that there is none comes after a scope that never can be.
  const client = await parts.client();
  const strategy = client.type === "ready" ? client.strategy : undefined;
  const scope = readScope(read.value.scope, request.place, parts.settings().userScope, strategy);
  if (!scope.ok) return scope.error;
  progress.scope = scope.value;
  if (client.type === "skipped") return missingClient(client);
  progress.strategy = client.strategy.kind;
  return decide(parts, request, { ...read.value, scope: scope.value }, client.strategy, signal, progress);
}

type Ready = Omit<ReadStore, "scope"> & { scope: Scope };

async function decide(
  parts: WriteParts,
  request: StoreRequest,
  ready: Ready,
  strategy: Strategy,
  signal: AbortSignal,
  progress: Progress,
): Promise<StoreOutcome> {
  const { fact, scope } = ready;
  const { place, ask } = request;
  // Before somebody is asked. Where nobody is, the strategy meets what is there when it stores.
  const same = ask && (await strategy.find(fact, { place, scope }, signal));
  if (same?.type === "failed") return storeFailed(same);
  if (same?.type === "found")
    return { type: "already_stored", id: same.record.id, scope, status: same.record.status.type };
  if (same?.type === "deleted") return deletedBefore();
  if (ask && alreadySaid(fact, parts.instructions?.() ?? "")) return alreadyInInstructions();
  const { maxStores } = parts.settings();
  if (ask && (parts.storesSoFar?.() ?? 0) >= maxStores) return limitReached(maxStores);

  const origins = request.origins(fact);
  progress.origins = origins;
  const trust = await trustFrom(strategy, origins, place, signal);
  if (!ask || strategy.kind === "injected")
    return keep(parts, request, ready, strategy, { origins, trust }, "active", signal);
  const similar = await similarTo(ready, strategy, place, signal);
  progress.similar = similar;
  const leave = await ask(permissionFor(parts, request, ready, { origins, trust }, similar), signal);
  if (leave.type === "denied") return permissionDenied(leave.by, leave.message);
  // An answer holds for its own turn only.
  if (signal.aborted) return permissionDenied("user_not_available", "Nothing was stored: the turn was stopped.", "");
  if (leave.type === "pending") return keep(parts, request, ready, strategy, { origins, trust }, "pending", signal);
  if (leave.replaces !== undefined)
    return replace(parts, request, ready, strategy, { origins, trust }, leave.replaces, signal);
  if (!leave.edited) return keep(parts, request, ready, strategy, { origins, trust }, "active", signal);
  // The person's own words, and the person has said yes to them: checked like any other, asked about no more.
  const input = { ...plain(ready), ...leave.edited, ...(strategy.supportsScopes ? { scope } : {}) };
  const { ask: _asked, ...typed } = request;
  return run(parts, { ...typed, input, origins: () => [{ kind: "user" }] }, signal, progress);
}

async function keep(
  parts: WriteParts,
  request: StoreRequest,
  ready: Ready,
  strategy: Strategy,
  from: Pick<Source, "origins" | "trust">,
  status: RecordDraft["status"],
  signal: AbortSignal,
): Promise<StoreOutcome> {
  const { subject, fact, reason, scope, redactions } = ready;
  const draft: RecordDraft = {
    id: parts.newId(),
    subject,
    fact,
    reason,
    citations: ready.citations.map((one) => checked(parts, one)),
    scope,
    place: request.place,
    source: { ...request.source, ...from },
    author: request.author,
    status,
    ...(request.ask ? {} : { revive: true }),
  };
  return outcomeOf(await strategy.store(draft, signal), strategy, scope, redactions);
}

/** It waits until the old one has given way: were that to fail, a person would see both in the review. */
async function replace(
  parts: WriteParts,
  request: StoreRequest,
  ready: Ready,
  strategy: Strategy,
  from: Pick<Source, "origins" | "trust">,
  old: string,
  signal: AbortSignal,
): Promise<StoreOutcome> {
  const waiting = await keep(parts, request, ready, strategy, from, "pending", signal);
  if (waiting.type !== "pending_review") return waiting;
  const by = { actor: request.author, place: request.place };
  const { id } = waiting.record;
  const resolved = await resolveRecord(parts, { id, resolution: { how: "replace", old }, by }, signal);
  if (resolved.type !== "resolved" || !resolved.record) return waiting;
  return { type: "stored", record: resolved.record, redactions: waiting.redactions };
}

function checked<T extends string>(parts: WriteParts, citation: Citation<T>): Citation<T> {
  if (citation.kind !== "file" || !parts.tree) return citation;
  return { ...citation, state: parts.tree.check(citation), checkedAt: parts.clock.now() };
}

function outcomeOf(stored: StoreResult, strategy: Strategy, scope: Scope, redactions: number): StoreOutcome {
  switch (stored.type) {
    case "stored":
      return { type: isPending(stored.record) ? "pending_review" : "stored", record: stored.record, redactions };
    case "already_stored":
      return { type: "already_stored", id: stored.id, scope, status: stored.status };
    case "deleted_before":
      return deletedBefore();
    case "refused":
      return stored.code === "filter_failed" ? filterFailed() : refused(stored.code, stored.message);
    case "failed":
      return storeFailed(stored);
    case "unsupported":
      return unsupported(strategy.kind, "store");
  }
}

const isPending = ({ status }: MemoryRecord): boolean => status.type === "pending";

function readScope(
  choice: unknown,
  place: Place,
  userScope: boolean,
  strategy: Strategy | undefined,
): Result<Scope, MemoryFailure> {
  if (choice !== undefined && choice !== "repository" && choice !== "user")
    return fail(invalidScope('"scope" must be "repository" or "user".', { what: "The scope is repository or user." }));
  if (choice !== undefined && strategy && !strategy.supportsScopes)
    return fail(
      invalidScope(`memories kept by "${strategy.kind}" have one scope. Leave "scope" out.`, {
        what: `Memories kept by "${strategy.kind}" (memory.strategy) have one scope.`,
        next: "Leave --scope out.",
      }),
    );
  const scope = choice ?? "repository";
  if (scope === "user" && !userScope)
    return fail(
      invalidScope('"scope" may not be "user": the setting memory.userScope is off.', {
        what: "Memories for every project are off (memory.userScope).",
      }),
    );
  if (scope === "repository" && place.repository === undefined)
    return fail(
      invalidScope('no repository is known here, so "scope" must be given as "user".', {
        what: "This folder belongs to no repository.",
        next: "To save it for every project: --scope user",
      }),
    );
  return ok(scope);
}

const plain = ({ subject, fact, reason, citations }: Ready) => ({
  subject,
  fact,
  reason,
  citations: citations.map(({ raw }) => raw),
});

/** What is said again is trusted as the record that said it. */
async function trustFrom(
  strategy: Strategy,
  origins: readonly FactOrigin[],
  place: Place,
  signal: AbortSignal,
): Promise<number> {
  const counts = new Map<string, number>();
  for (const { kind, ref } of origins) {
    if (kind !== "memory" || ref === undefined) continue;
    const got = await strategy.get(ref, { place }, signal);
    if (got.type === "got") counts.set(ref, got.record.source.trust);
  }
  return trustOf(origins, (ref) => counts.get(ref));
}

function permissionFor(
  parts: WriteParts,
  request: StoreRequest,
  ready: Ready,
  { origins, trust }: Pick<Source, "origins" | "trust">,
  similar: readonly SimilarRecord[],
): MemoryPermission {
  const { scope } = ready;
  const { repository } = request.place;
  const { toolCallId } = request.source;
  return {
    kind: "memory",
    action: "store",
    summary: `store for ${scope === "user" ? "every project" : "this repository"}: ${ready.fact}`,
    ...plain(ready),
    citationStates: ready.citations.map((one) => checked(parts, one).state),
    scope,
    ...(scope === "repository" && repository !== undefined ? { repository } : {}),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    origins: [...origins],
    trust,
    similar: [...similar],
    warnings: [],
    mustAsk: similar.length > 0 || mustAsk(scope, origins, []),
  };
}

const SAME_RUN = 5;
const SAME_SHARE = 0.8;

/** Whether the instructions hold 80 % or more of the fact's 5-word runs. A shorter fact is one run. */
function alreadySaid(fact: string, text: string): boolean {
  const words = wordsOf(fact);
  if (words.length === 0) return false;
  const haystack = ` ${wordsOf(text).join(" ")} `;
  const size = Math.min(SAME_RUN, words.length);
  let matchCount = 0;
  const runs = words.length - size + 1;
  for (let i = 0; i < runs; i++) if (haystack.includes(` ${words.slice(i, i + size).join(" ")} `)) matchCount++;
  return matchCount / runs >= SAME_SHARE;
}
