// What can be looked at and changed in the proxy's memory: one set of operations, called by the API and by the command line.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { LaneEpochReason, LaneKind, RecordRow, RequestRecord } from "../../proxy/contract.ts";
import type { SessionTextFile } from "../../proxy/state/files.ts";
import type { SpecChange } from "../../proxy/state/spec.ts";
import type { Spec } from "../../proxy/state/spec-file.ts";
import type { ProxySession } from "../../proxy/store/session.ts";
import type { ProxyTotals } from "../../proxy/store/totals.ts";
import type { LearnedWindow } from "../../proxy/store/windows.ts";
import type { Member } from "../team/member.ts";

/** Failures keep their code over HTTP: `session_not_found`, `stale`, `precondition_required`, `store_unavailable`, … */
export type OperationOutcome<T> = Promise<Result<T, Failure>>;

export type ListPage<T> = { items: readonly T[]; next?: string };
export type Paging = { limit?: number; after?: string };
/** Rows of a page when nobody says how many. */
export const PAGE_ROWS = 100;

export type ProxiedSessionRow = Omit<ProxySession, "no" | "path" | "identity">;
export type LaneRow = {
  id: number;
  kind: LaneKind;
  items: number;
  epoch: number;
  reason?: LaneEpochReason;
  model?: string;
  dropped: number;
  shortened: number;
  insertions: number;
};
/** `version` is the text's own mark: equal texts have equal versions. */
export type TextView = { text: string; version: string };
export type SpecView = Required<Pick<Spec, "mode" | "approved">> & Partial<Pick<Spec, "time" | "way">>;
export type ManagementWay = Exclude<Spec["way"], "header">;
export type ProxiedSessionView = ProxiedSessionRow & {
  directory: string;
  lanes: readonly LaneRow[];
  totals: ProxyTotals;
  /** The length of each text in characters. */
  files: Readonly<Record<SessionTextFile, number>>;
  spec: SpecView;
};

/** A stored item or a note of the proxy's, as `events.jsonl` has it. */
type EventView = Readonly<Record<string, unknown>>;

/** A record whose rows say how their items begin; filtered text. */
type RequestView = Omit<RequestRecord, "items"> & {
  items: readonly (RecordRow & { text?: string })[];
  /** In words; absent where something was done. */
  whyNothing?: string;
};

export type SearchAsk = { query: string; session?: string; namespace?: string; limit?: number };
export type SearchItem = {
  ref: string;
  role: string;
  time?: string;
  text: string;
  /** Absent for an item that was asked for by its ref. */
  score?: number;
  parts?: Readonly<Record<string, number>>;
};
/** A ref as the query gives that one item whole. */
export type SearchView = { items: readonly SearchItem[]; more: number; partial: boolean };

export type UpstreamRow = {
  name: string;
  url: string;
  /** Whether a key of its own is configured; never the key. */
  key: boolean;
  /** Why it cannot be used. */
  problem?: string;
};

type SemanticView = {
  enabled: boolean;
  /** `none` while texts are found by their words alone. */
  embedder: string;
  /** Passages without a vector. */
  waiting: number;
  namespaces: readonly { name: string; sessions: number }[];
};

export type ProxyOperations = {
  sessions(query: Paging & { q?: string; family?: string }): OperationOutcome<ListPage<ProxiedSessionRow>>;
  session(id: string): OperationOutcome<ProxiedSessionView>;
  deleteSession(id: string): OperationOutcome<{ deleted: number }>;
  deleteAllSessions(): OperationOutcome<{ deleted: number }>;
  text(id: string, name: SessionTextFile): OperationOutcome<TextView>;
  /** Without `ifMatch` a text is written only where none is yet; `*` replaces whatever is there. */
  setText(id: string, name: SessionTextFile, text: string, ifMatch?: string): OperationOutcome<TextView>;
  spec(id: string): OperationOutcome<SpecView>;
  setSpec(id: string, change: SpecChange, way: ManagementWay): OperationOutcome<SpecView>;
  events(id: string, query: Paging & { kind?: string }): OperationOutcome<ListPage<EventView>>;
  /** Newest first; of one session or of all. */
  requests(query: Paging & { session?: string }): OperationOutcome<ListPage<RequestRecord>>;
  request(id: string): OperationOutcome<RequestView>;
  search(ask: SearchAsk): OperationOutcome<SearchView>;
  stats(session?: string): OperationOutcome<ProxyTotals>;
  windows(): OperationOutcome<readonly LearnedWindow[]>;
  forgetWindow(model: string, upstream?: string): OperationOutcome<{ deleted: number }>;
  upstreams(): OperationOutcome<readonly UpstreamRow[]>;
  semantic(): OperationOutcome<SemanticView>;
};

/** `member`: of a team. */
export type OpenOperations = (member?: Member) => Promise<Result<ProxyOperations, Failure>>;
