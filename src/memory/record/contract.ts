// Memory records and the one interface behind which they are kept: every strategy answers with these values.
import type { FilteredText } from "../secret/filter.ts";

export type Scope = "repository" | "user";
export type StrategyKind = "embedded" | "service" | "jsonl" | "injected";

export type CitationKind = "file" | "turn" | "url" | "user" | "text";
export type CitationState = "unchecked" | "verified" | "moved" | "changed" | "missing" | "unverifiable";
export type Citation<Text extends string = string> = {
  raw: Text;
  kind: CitationKind;
  /** The path as it was written, relative to the repository's root. */
  path?: string;
  startLine?: number;
  endLine?: number;
  hash?: string;
  commit?: string;
  state: CitationState;
  checkedAt?: string;
};

/** What the checks of all cited files amount to. */
export type Verification = "unverified" | "none" | "verified" | "partial" | "stale";

export type Status =
  /** Waits for the user; never in a prompt. */
  | { type: "pending" }
  | { type: "active" }
  | { type: "superseded"; by: string }
  /** A tombstone: nothing of its text is left. */
  | { type: "deleted" };

export type OriginKind = "user" | "assistant" | "file" | "tool" | "web" | "mcp" | "memory" | "import" | "proxy";
/** Where a fact's words come from. `ref`: turn and call, or the record. */
export type FactOrigin = { kind: OriginKind; ref?: string };

/** Provenance: set by whoever runs the call, never by the model. */
export type Source = {
  sessionId?: string;
  turnId?: string;
  toolCallId?: string;
  agentId?: string;
  /** `cli`, `session`, `rest:<token>`, `mcp:<client>`, `import`. */
  client: string;
  model?: string;
  origins: readonly FactOrigin[];
  trust: number;
};
export type Author = { kind: "user" | "agent" | "import"; id: string; name: string };

export type Direction = "upvote" | "downvote";
/** `mine`: of the user whose records are read. `disputed`: kept out of the prompt until votes change. */
export type Votes = { up: number; down: number; mine: Direction | null; disputed: boolean };

export type MemoryRecord = {
  id: string;
  subject: string;
  fact: string;
  citations: Citation[];
  reason: string;
  scope: Scope;
  /** Null for user scope. */
  repository: string | null;
  source: Source;
  author: Author;
  createdAt: string;
  updatedAt: string;
  version: number;
  votes: Votes;
  lastVerifiedAt: string | null;
  verification: Verification;
  status: Status;
  /** Prompts it stood in. */
  recalls: { count: number; lastAt: string | null };
};

/** Whose records: both keys are compared exactly. No repository: only user records are visible. */
export type Place = { repository?: string; user: string };

/** A checked record on its way to a store. The id is made before the first attempt: it is the idempotency key. */
export type RecordDraft = {
  id: string;
  subject: FilteredText;
  fact: FilteredText;
  citations: readonly Citation<FilteredText>[];
  reason: FilteredText;
  scope: Scope;
  place: Place;
  source: Source;
  author: Author;
  status: "active" | "pending";
  /** A fact that the user had deleted may be stored again: only the user's own hand sets it. */
  revive?: boolean;
};

/** `actor` is who does it; `version`: what the record was read at, undefined takes any; a place limits what is seen. */
export type ChangeBy = { actor: Author; version?: number; place?: Place };
export type Ballot = {
  fact: FilteredText;
  /** Instead of the fact: one record. */
  id?: string;
  direction: Direction;
  reason: FilteredText;
  place: Place;
  /** One current vote for each: the user, or the user's agent in one session. */
  actor: { key: string; kind: "user" | "agent" };
};
export type RecordChange = {
  subject?: FilteredText;
  fact?: FilteredText;
  reason?: FilteredText;
  citations?: readonly Citation<FilteredText>[];
  trust?: number;
};

/** The machine or the service could not do it. `mayBeStored`: it may have happened all the same. `next`: what to do about it. */
export type Failed = { type: "failed"; cause: string; status?: number; mayBeStored: boolean; next?: string };
export type Unsupported = { type: "unsupported" };
export type Unable = Failed | Unsupported;
/** `ambiguous`: the ids that a shortened one may mean. */
export type NotFound = { type: "not_found"; ambiguous?: string[] };
/** It was changed since it was read: nothing was written. */
export type Conflict = { type: "conflict"; current: MemoryRecord };

export type StoreResult =
  | { type: "stored"; record: MemoryRecord }
  /** The same folded fact in the same place; pending ones too. */
  | { type: "already_stored"; id: string; status: Status["type"] }
  | { type: "deleted_before" }
  /** A service refused it by one of its codes. */
  | { type: "refused"; code: FailureCode; message: string }
  | Unable;
export type Voted =
  | { type: "voted"; record: MemoryRecord; changed: boolean }
  /** The answer of strategies that cannot show the record. */
  | { type: "counted" }
  | { type: "fact_not_found"; near: string[] }
  | { type: "refused"; code: FailureCode; message: string }
  | Unable;
export type FindOutcome =
  | { type: "found"; record: MemoryRecord }
  /** The user deleted this fact. */
  | { type: "deleted" }
  | { type: "absent"; near: string[] }
  | Unable;
export type ListOutcome =
  | { type: "listed"; records: MemoryRecord[]; next?: string }
  | { type: "invalid"; field: "after" | "limit" }
  | Unable;
export type Got = { type: "got"; record: MemoryRecord } | NotFound | Unable;
export type Edited =
  | { type: "edited"; record: MemoryRecord }
  /** Another record of the same place says this already: nothing was written. */
  | { type: "same_fact"; id: string }
  | NotFound
  | Conflict
  | Unable;
export type Deleted = { type: "deleted"; id: string } | NotFound | Conflict | Unable;
export type Resolution = { how: "accept" } | { how: "reject" } | { how: "replace"; old: string };
export type ResolveOutcome =
  | { type: "resolved"; record: MemoryRecord | undefined }
  | { type: "not_pending" }
  | NotFound
  | Unable;

export type MemoryChange = {
  id: number;
  memory: string;
  action: "store" | "edit" | "vote" | "status" | "delete";
  actor: Author;
  at: string;
  before: unknown;
  after: unknown;
};
type Changes = { type: "changes"; changes: MemoryChange[] } | Unable;

export type ListQuery = {
  /** Undefined reads across repositories: only for the user's own `--all` and export. */
  place?: Place;
  scope?: Scope;
  status?: readonly Status["type"][];
  subject?: string;
  author?: Author["kind"];
  /** Words to search for. */
  text?: string;
  stale?: boolean;
  limit?: number;
  /** The `next` of an earlier answer. */
  after?: string;
};

/** A place limits them to its records; `after`: those that are older than this one. */
export type ChangesQuery = { memory?: string; since?: string; limit?: number; after?: number; place?: Place };

export type RecordCounts = { repository: number; user: number; total: number; shown: number };
export type Definition = { name: string; version: string; description: string; inputSchema: Record<string, unknown> };
export type PromptAnswer = {
  enabled: boolean;
  /** Plain lines, not fenced; null when there is no memory. */
  prompt: string | null;
  /** Ids of the records in these lines, in order; absent where the strategy does not know them. */
  ids?: readonly string[];
  counts: RecordCounts;
  stale: number;
  storeInstructions: string;
  /** A definition that this program cannot fill is left out (M31): its tool is not offered. */
  tools: { store?: Definition; vote?: Definition };
};
export type PromptAsk = { place: Place; scopes: readonly Scope[]; maxTokens: number; maxRecords: number };
export type Prompted = { type: "prompted"; answer: PromptAnswer } | (Failed & { code: string });

/** Never throws or rejects: what a strategy lacks is `unsupported`. */
export interface Strategy {
  readonly kind: StrategyKind;
  readonly supportsVoting: boolean;
  readonly supportsScopes: boolean;
  /** Where it asks; part of the cache's key. */
  readonly endpoint?: string;
  prompt(ask: PromptAsk, signal: AbortSignal): Promise<Prompted>;
  /** By the exact folded fact, repository before user. `scope`: in that one only. */
  /** `near`: where it is absent, the facts that are nearest to it are wanted. */
  find(fact: string, where: { place: Place; scope?: Scope; near?: boolean }, signal: AbortSignal): Promise<FindOutcome>;
  store(draft: RecordDraft, signal: AbortSignal): Promise<StoreResult>;
  vote(ballot: Ballot, signal: AbortSignal): Promise<Voted>;
  list(query: ListQuery, signal: AbortSignal): Promise<ListOutcome>;
  /** The id may be a prefix; a place limits what is seen. */
  get(id: string, where: { place?: Place }, signal: AbortSignal): Promise<Got>;
  edit(id: string, change: RecordChange, by: ChangeBy, signal: AbortSignal): Promise<Edited>;
  delete(id: string, by: ChangeBy, signal: AbortSignal): Promise<Deleted>;
  resolve(id: string, resolution: Resolution, by: ChangeBy, signal: AbortSignal): Promise<ResolveOutcome>;
  /** The newest change comes first. */
  changes(query: ChangesQuery, signal: AbortSignal): Promise<Changes>;
  /** Moves with every write of any process; undefined where nobody can tell. */
  generation(): number | undefined;
  shutdown(signal: AbortSignal): Promise<void>;
}

/** Why there is no strategy to use; `message` names the setting or the place at fault. */
export type Skip = { type: "skipped"; reason: string; message: string };
export type StrategyChoice = { type: "ready"; strategy: Strategy } | Skip;

/** What a caller did or what stands in its way; a service may answer with these. */
export const REFUSAL_CODES = [
  "invalid_inputs",
  "invalid_scope",
  "missing_client",
  "permission_denied",
  "voting_unsupported",
  "fact_not_found",
  "memory_secret",
  "filter_failed",
  "already_in_instructions",
  "deleted_before",
  "limit_reached",
] as const;
export type FailureCode = (typeof REFUSAL_CODES)[number] | "store_failed";
