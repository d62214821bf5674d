// The one write path of records: what callers ask for, what they may be asked, and what comes of it.
import type { Failure } from "../../base/failure.ts";
import type { EditedMemory, MemoryRequest } from "../../schema/permission.ts";
import type { Redactor } from "../secret/filter.ts";
import type {
  Author,
  Ballot,
  Citation,
  CitationState,
  Conflict,
  FactOrigin,
  FailureCode,
  MemoryRecord,
  NotFound,
  Place,
  Resolution,
  Scope,
  Source,
  Status,
  StrategyChoice,
} from "./contract.ts";
import type { SimilarRecord } from "./similar.ts";

export type DeniedBy = "rule" | "user" | "user_not_available";
export type MemoryFailure = {
  type: "failure";
  code: FailureCode;
  /** What a model reads. */
  message: string;
  /** What a person reads. */
  person: Pick<Failure, "what" | "data" | "next">;
  /** Set with invalid_inputs. */
  fields?: string[];
  /** Set with permission_denied. */
  by?: DeniedBy;
  /** Set with store_failed. */
  mayBeStored?: boolean;
  status?: number;
};

export type StoreOutcome =
  | { type: "stored"; record: MemoryRecord; redactions: number; similar?: readonly SimilarRecord[] }
  | { type: "already_stored"; id: string; scope: Scope; status: Status["type"] }
  | { type: "pending_review"; record: MemoryRecord; redactions: number }
  | MemoryFailure;
export type VoteOutcome = { type: "voted"; record?: MemoryRecord; changed: boolean } | MemoryFailure;
export type EditOutcome =
  | { type: "edited"; record: MemoryRecord; redactions: number }
  | Conflict
  | NotFound
  | MemoryFailure;

/** What a person is asked about: complete and unshortened. */
export type MemoryPermission = MemoryRequest &
  Required<Pick<MemoryRequest, "action" | "fact" | "reason" | "scope" | "similar" | "warnings" | "mustAsk">> & {
    origins: FactOrigin[];
    toolCallId?: string;
    trust: number;
  };

export type Leave =
  /** `edited`: what the person made of it; it is filtered and checked again and counts as typed by the user. */
  | { type: "approved"; edited?: EditedMemory /** The similar record that gives way. */; replaces?: string }
  /** It must be asked, an approval is in force, and nobody is there. */
  | { type: "pending" }
  | { type: "denied"; by: DeniedBy; message: string };
export type AskLeave = (request: MemoryPermission, signal: AbortSignal) => Promise<Leave>;

/** What a caller wants to store; `input` is whatever came in. */
export type StoreRequest = {
  input: unknown;
  place: Place;
  source: Omit<Source, "origins" | "trust">;
  author: Author;
  /** The runtime computes where the fact's words come from; `[{ kind: "user" }]` when the user types it here. */
  origins: (fact: string) => readonly FactOrigin[];
  /** Absent when the user acts: nobody has to be asked. */
  ask?: AskLeave;
};
export type VoteRequest = {
  input: unknown;
  /** Instead of the fact: one record. */
  id?: string;
  place: Place;
  source: Omit<Source, "origins" | "trust">;
  actor: Ballot["actor"];
  ask?: AskLeave;
};

/** What the write path needs; all of it injected. */
export type WriteParts = {
  client: () => StrategyChoice | Promise<StrategyChoice>;
  redactor: Redactor;
  newId: () => string;
  settings: () => { userScope: boolean; maxStores: number };
  /** Stores of this session so far; absent where there is no session. */
  storesSoFar?: () => number;
  /** What the model is told anyway: system prompt and instruction files. */
  instructions?: () => string;
  /** Where cited files are looked up; absent without a work tree. */
  tree?: WorkTree;
  clock: { now(): string; monotonic(): number };
  /** Told of each outcome: event data without any text. */
  onStore?: (event: StoreEvent) => void;
  onVote?: (event: { outcome: string; direction: string; strategy: string }) => void;
  /** A record was edited, deleted or decided on. */
  onEdited?: (event: { action: "edit" | "delete" | Resolution["how"]; by: Author["kind"] }) => void;
  /** A record was stored, voted on or edited. */
  onChanged?: () => void;
};
export type StoreEvent = {
  outcome: string;
  scope: string;
  strategy: string;
  origins: string[];
  redactions: number;
  similar: number;
  durationMs: number;
};

/** Files of the repository as far as citations need them. */
export type WorkTree = {
  check(citation: Citation): CitationState;
  /** Under the working folder or in one of the last commits. */
  isNear(path: string): boolean;
  /** Learns what the last commits touched; before records are ranked. Bounded. */
  look?(): Promise<void>;
};
