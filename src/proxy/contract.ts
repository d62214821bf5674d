// The shapes that the parts of the proxy share: who asks, what is in a body, a lane, a plan, what is kept of a request.
import type { MemberReach } from "../memory/record/reach.ts";
import type { ReportedUsage, WireTask } from "../model/wire/contract.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { WireName } from "../schema/model.ts";

export const FAMILIES = [
  "codex",
  "droid",
  "warp",
  "claude",
  "gemini",
  "qwen",
  "opencode",
  "pi",
  "crush",
  "copilot",
  "sdk",
  "other",
] as const;
export type Family = (typeof FAMILIES)[number];

/** `count` and `compact` are routes of their own; all else that is managed is `generate`. */
export type Route = { wire: WireName; task: WireTask };

/** Names are lower case; a header that came twice has its values joined by ", ". */
export type Headers = Readonly<Record<string, string>>;

export type SessionKey = { signal: string; key: string };
export type RequestCaller = {
  family: Family;
  /** Why this family: the signal that matched. */
  familySignal: string;
  /** A keyed hash of the credential; `local` for a caller without one. */
  identity: string;
  /** Undefined: the session is found by content. */
  session: SessionKey | undefined;
  /** Where meanings are searched; undefined: in the session alone. */
  namespace: string | undefined;
  /** Where its agent works on this machine; absent when nobody said so. */
  folder?: string;
  /** What of a team's memory a member may see; absent for everybody else. */
  reach?: MemberReach;
  /** Nobody can be asked whether they are still a member. */
  unasked?: boolean;
};

export type ByteSpan = { start: number; end: number };
/** A body read once: its value, and where the history's items stand in its bytes. */
export type ScannedBody = {
  bytes: Buffer;
  value: Readonly<Record<string, unknown>>;
  wire: WireName;
  /** Where the history stands; one that is a plain text is one item that spans it. */
  history: ByteSpan;
  items: ByteSpan[];
  /** What stands beside the history. Two bodies that share this very object have the same bytes there. */
  around: object;
};

/** An item of a history with its place in the body and in the chain. `id` is its link. */
export type HistoryItem = ContextItem & {
  wire: WireName;
  /** Index into `ScannedBody.items`. */
  at: number;
  /** Keyed hash of the canonical form; undefined for what is not in the chain. */
  own: string | undefined;
  /** An assistant or tool item with a call id or 400 characters: proof of one and the same history. */
  strong: boolean;
};

/** What a history item says, for storing, searching and asking. */
export type Readable = {
  role: string;
  /** `message`, `tool_call`, `tool_result`, `reasoning`, `compaction`, … */
  type: string;
  text: string;
  tool?: string;
  callId?: string;
  /** False: kept, never found by a search. */
  indexed: boolean;
};

export type RequestKind = "trigger" | "server-state" | "count" | "compaction" | "aux" | "agent" | "main";
export type LaneKind = "main" | "agent";

export type LaneEpochReason = "high-water" | "context-error" | "model" | "rewritten" | "fold" | "compaction";

/** What a lane's requests leave out and shorten. Keys are item ids; bytes are recorded, so they never change. */
export type LaneCut = {
  dropped: readonly string[];
  /** Item id → its JSON as it is sent. */
  shortened: Readonly<Record<string, string>>;
  gap?: { before: string; notice?: string };
};
/** A text of ours. It is added to its anchor (at its end, or before its text), or stands as a message right after it. */
export type Insertion = {
  kind: "recall" | "state" | "notice";
  anchor: string;
  text: string;
  tokens: number;
  place: "append" | "after" | "before";
  /** The message is the system's; without a role it is a user's. */
  role?: "system";
};

export type LaneState = {
  kind: LaneKind;
  /** The epoch is 0 before the first cut. */
  epoch: number;
  /** Why the present epoch began. */
  reason?: LaneEpochReason;
  model?: string;
  cut?: LaneCut;
  insertions: readonly Insertion[];
  /** The parts' text of the newest state block, and the history tokens that have come after it. */
  state?: { text: string; blocks: number };
  /** The id of the newest prompt that memory was searched for. */
  recalledFor?: string;
  tools: readonly string[];
  /** Keyed hash of the first 500 characters of system text, billing lines aside. */
  system: string;
  /** Text of the last compaction answer that was seen (filtered, first 2,000 characters), or the seal of a closed one. */
  clientSummary?: string;
  /** The client rewrote the lane's history: something that was said may not be in view. */
  rewritten?: true;
};
export type Lane = LaneState & {
  id: number;
  session: string;
  /** How many items the chain has, and the link of the last. */
  length: number;
  tail: string;
};

/** One piece of the history that is sent. */
export type HistoryPiece =
  | { type: "kept"; at: number; id: string; append?: readonly string[]; prepend?: readonly string[] }
  | { type: "made"; json: string; id: string; append?: readonly string[]; prepend?: readonly string[] };

type ItemAction = "keep" | "drop" | "shorten" | "insert";
export type RecordRow = {
  at?: number;
  role: string;
  kind: string;
  tokens: number;
  action: ItemAction;
  ref?: string;
  /** Own hash: the text is read from the item store. */
  own?: string;
  /** The item that a text of ours was put at. */
  anchor?: string;
  /** A text of ours, in the request that first had it; later ones of the epoch repeat it at the same anchor. */
  text?: string;
};

export type RequestAction = "pass" | "insert" | "trim" | "retry" | `skip:${string}`;
export type UpstreamAttempt = { status?: number; tokens: number; bytes: number; error?: string };

/** What planning says of a request; no text but our own, and no credential. */
export type RequestNote = {
  session?: string;
  sessionSignal?: string;
  lane?: number;
  kind?: RequestKind;
  action: RequestAction;
  window?: number;
  usable?: number;
  tokensIn?: number;
  tokensSent?: number;
  /** Bytes that it shares with the lane's previous request; undefined when that one is not known. */
  bytesShared?: number;
  epoch?: number;
  epochReason?: LaneEpochReason;
  dropped: number;
  shortened: number;
  stored: number;
  recalled: readonly { ref: string; score: number; parts?: Readonly<Record<string, number>> }[];
  /** Why a search for this prompt gave nothing, or less than it should (`schema/recall-loss.ts`). */
  recallLost?: string;
  items: readonly RecordRow[];
};

/** What is remembered of a request; no text but our own, and no credential. */
export type RequestRecord = RequestNote & {
  id: string;
  time: string;
  family: Family;
  familySignal: string;
  /** Where the run of `everlong with` was started. */
  folder?: string;
  upstream: string;
  model: string;
  path: string;
  wire?: WireName;
  bytesIn: number;
  bytesSent: number;
  attempts: readonly UpstreamAttempt[];
  status?: number;
  /** `incomplete`: the stream broke or the client left. */
  outcome: "complete" | "incomplete" | "failed";
  failure?: string;
  usage?: ReportedUsage;
  /** Milliseconds by stage. */
  timings: Readonly<Record<string, number>>;
  /** How many texts of ours it had; in a list, where the items are left out. */
  inserted?: number;
};
