// What a session has beside its rows: the texts that people keep for it, its spec, its log. In a folder, or in a database.
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import type { Unit } from "../../store/unit.ts";
import type { SessionTextFile, StateTexts } from "../state/files.ts";
import type { Spec } from "../state/spec-file.ts";
import type { ProxyLogLine } from "./log-line.ts";

/** `key` is a keyed hash; null: the session is found by content. */
export type Claim = { key: string | null; identity: string; family: string; signal: string; createdAt: string };

export type SessionFileName = SessionTextFile | "spec";

/** A session as its files know it. */
export type FiledSession = { no: number; id: string };

type SessionTexts = StateTexts & { spec?: Spec };
export type LogPage = { events: ProxyLogLine[]; next?: number };

export type SessionFiles = {
  /** Where they are, for people. */
  placeOf(id: string): string;
  /** True: the name is this session's, now or since earlier, as far as files say. At once: a request waits for it. */
  claim(id: string, mine: Claim): Result<boolean, Fault>;
  /** Whether the files of a known session are still there. */
  isThere(id: string): Result<boolean, Fault>;
  /** As requests get them: normalised and bounded. `rootDir`: where AGENTS.md is. */
  texts(session: FiledSession, rootDir?: string): Promise<Result<SessionTexts, Fault>>;
  /**
   * Whoever changes a file has seen what it replaces: `next` gets the text as it is (empty: none) and may be called
   * again. Its failure leaves the file alone.
   */
  change<E>(
    session: FiledSession,
    name: SessionFileName,
    next: (text: string) => Result<string, E>,
  ): Promise<Result<string, E | Fault>>;
  /** `lines` is asked for when nobody else writes the log; each is there once by its id, and then they are `noted`. */
  append(
    session: FiledSession,
    lines: () => Unit<readonly ProxyLogLine[]>,
    noted: (lines: readonly ProxyLogLine[]) => Unit<void>,
  ): Promise<Result<void, Fault>>;
  /** Oldest first; `after` is the `next` of the page before. A log that was never written is empty. */
  log(session: FiledSession, page: { after?: number; kind?: string; limit?: number }): Promise<Result<LogPage, Fault>>;
  /** The rows go first, while nobody writes the log; then the files. */
  erase(session: FiledSession, rows: () => Promise<Result<boolean, Fault>>): Promise<Result<boolean, Fault>>;
};
