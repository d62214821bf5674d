// What the memory routes need of this gateway: its store, its switches, and who is asking.
import type { Clock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { Strategy } from "../../memory/record/contract.ts";
import type { MemberReach } from "../../memory/record/reach.ts";
import type { WorkTree } from "../../memory/record/write-contract.ts";
import type { Redactor } from "../../memory/secret/filter.ts";
import type { RowStore, Unit } from "../../store/unit.ts";
import type { Member } from "../team/member.ts";

/** Runs in the transaction of a change, with what came of it. */
export type Inside = (outcome: { type: string }) => Unit<void>;

/** An entry of a session's inbox, with whatever else its store keeps of it. */
type InboxItem = { id: string; summary: string; content: string };
export type InboxAnswer =
  | { type: "entries"; entries: readonly InboxItem[] }
  | { type: "no_session" }
  | { type: "failed" };
type SidekickItem = {
  name: string;
  description: string;
  /** The key of its own switch. */
  setting: string | null;
  /** What settings say against its running now; its conditions are a session's. */
  whyNot: "memory_off" | "off" | "setting" | null;
};
type SidekickRunItem = {
  name: string;
  session: string;
  at: string;
  state: string;
  reason?: string;
  tokens?: number;
  sends?: number;
  durationMs?: number;
};
export type SidekicksAnswer = {
  switches: {
    memory: boolean;
    enabled: boolean;
    off: readonly string[];
    maxTokensPerTurn: number;
    maxTokensPerSession: number;
  };
  items: readonly SidekickItem[];
  /** The latest ones, newest first. */
  runs: readonly SidekickRunItem[];
};

export type MemoryBackend = {
  /** memory.enabled: off, nothing new comes in; reading and deleting work. */
  enabled: boolean;
  userScope: boolean;
  store: RowStore;
  /** One for each request: `inside` joins its changes. */
  strategy(inside?: Inside): Strategy;
  /** Whose memory it is. */
  user: string;
  /** What of a team's memory the caller may see; absent: everything. */
  reach?: MemberReach;
  /** The caller may say that the user approved; without that, what must be asked waits. */
  mayApprove: boolean;
  /** The name of the token that was presented; the local one until others exist. */
  tokenName: string;
  /** A rule forbids changing memories. */
  denied: boolean;
  bound: { maxTokens: number; maxRecords: number };
  redactor: Redactor;
  /** The key of this home: what is hashed with it tells nothing to others. */
  hashKey: string;
  /** Everything that is shown is filtered again. */
  redact: (text: string) => string;
  newId: () => string;
  /** What was refused or failed lately, newest last: codes and times, no text. */
  failures: { code: string; at: string }[];
  /** The inbox is found by the whole id of its session; without one: the latest entries of all, newest first. */
  inbox(session: string | undefined): Promise<InboxAnswer>;
  /** False: there is no such entry. */
  removeInbox(session: string, id: string): Promise<boolean>;
  sidekicks(): Promise<SidekicksAnswer>;
  /** Where a repository's files are, if a session has worked on it here. */
  tree(repository: string): Pick<WorkTree, "check"> | undefined;
  clock: Clock;
};
/** Opened by the first call that needs it. */
export type OpenMemoryBackend = (member?: Member) => Promise<Result<MemoryBackend, Failure>>;
