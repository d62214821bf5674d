// For tests: a store in a folder of its own, histories written in one line, and requests carried through like the gateway does.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/clock.ts";
import { optional } from "../../base/optional.ts";
import type { Result } from "../../base/result.ts";
import { RecallWriter } from "../../memory/recall/store/write.ts";
import { secretRedactor } from "../../memory/secret/filter.ts";
import { embeddedStore } from "../../store/embedded-store.ts";
import { migrate } from "../../store/migrate.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { type Database, openDatabase } from "../../store/sqlite.ts";
import type { HistoryItem, LaneState, RequestCaller, RequestRecord } from "../contract.ts";
import { type FolderPlace, folderFiles } from "../files/folder.ts";
import { embeddedItemIndex, type ItemIndex, type ItemIndexWriter } from "../remember/item-index.ts";
import { Remember, type RememberOptions } from "../remember/remember.ts";
import { storageOn } from "../remember/storage.ts";
import type { StorableItem, Storing } from "../remember/store-items.ts";
import { createProxyStore, type ProxyStore, type ProxyStoreOptions } from "./handle.ts";
import { commitLane, type StoredLane } from "./lane.ts";
import { type LaneLocation, locate } from "./locate.ts";
import { see } from "./see.ts";
import { openSession, type ProxySession } from "./session.ts";

/** A history that most cases begin with. */
export const BASE = ["u:task", "c:one", "r:one", "a:done", "u:more", "c:two", "r:two"];

export function value<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** A minute passes with every look at the wall clock. */
export function stepClock(): Clock {
  let minutes = 0;
  return { ...systemClock, now: () => new Date(Date.UTC(2025, 0, 1) + minutes++ * 60_000).toISOString() };
}

export type Place = { home: string; store: ProxyStore; db: Database; reopen(): Promise<Place>; remove(): void };

function counter(): (bytes: number) => string {
  let made = 0;
  return (bytes) => (++made).toString(16).padStart(bytes * 2, "0");
}

const foldersOf = (home: string): FolderPlace => ({
  dir: join(home, "proxy"),
  locks: join(home, "locks"),
  quarantine: join(home, "quarantine"),
});

export async function openPlace(
  given: Partial<ProxyStoreOptions> & Pick<FolderPlace, "onDamaged"> = {},
  home = mkdtempSync(join(tmpdir(), "proxy-store-")),
): Promise<Place> {
  const options = { clock: stepClock(), random: counter(), ...given };
  const db = value(await openDatabase(join(home, "store.db")));
  value(await migrate(db, storeMigrations));
  const folder = { ...foldersOf(home), ...optional("onDamaged", given.onDamaged) };
  const store = createProxyStore({
    rows: embeddedStore(db),
    isOpen: () => db.isOpen,
    files: (access) => folderFiles(folder, access),
    key: "k".repeat(32),
    tenancy: "single",
    ...options,
  });
  return {
    home,
    store,
    db,
    reopen: () => {
      db.close();
      return openPlace(options, home);
    },
    remove: () => {
      if (db.isOpen) db.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export const caller = (key: string | undefined, more: Partial<RequestCaller> = {}): RequestCaller => ({
  family: "codex",
  familySignal: "user-agent",
  identity: "alice",
  session: key === undefined ? undefined : { signal: "x-session-id", key },
  namespace: undefined,
  ...more,
});

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 24);

/** `u:` a prompt, `a:` an answer, `c:` a call (strong), `r:` its result (strong), `s:` system; equal text is the same item. */
export function history(...said: readonly string[]): HistoryItem[] {
  let link = "";
  return said.map((line, at) => {
    const [mark, text] = [line.slice(0, 1), line.slice(2)];
    const role = ({ u: "user", a: "assistant", c: "assistant", r: "tool", s: "system" } as const)[mark] ?? "user";
    const own = role === "system" ? undefined : digest(line);
    if (own !== undefined) link = digest(link + own);
    return {
      wire: "openai-chat",
      id: own === undefined ? `s${at}` : link,
      own,
      at,
      role,
      kind: "message",
      isPrompt: mark === "u",
      turn: 0,
      toolCallIds: mark === "c" ? [text] : [],
      toolResultFor: mark === "r" ? [text] : [],
      tokens: text.length,
      strong: mark === "c" || mark === "r",
      raw: { line },
    };
  });
}

const TYPES: Record<string, string> = { u: "message", a: "message", c: "tool_call", r: "tool_result" };

export const seeable = (item: HistoryItem): StorableItem[] => {
  if (item.own === undefined) return [];
  const { line } = item.raw as { line: string };
  const read = () => ({
    role: item.role,
    type: TYPES[line.slice(0, 1)] ?? "message",
    text: line.slice(2),
    indexed: true,
    ...(item.role === "tool" || line.startsWith("c:")
      ? { tool: "shell", callId: line.slice(2).split(" ")[0] ?? "" }
      : {}),
  });
  return [{ own: item.own, wire: "openai-chat", bytes: line.length, read }];
};

export const STATE: LaneState = { kind: "main", epoch: 0, insertions: [], tools: ["shell"], system: "sys" };

export type Went = { session: ProxySession; lane: StoredLane; located: LaneLocation; created: boolean };

/** A request as far as the store goes: located, opened, seen, committed. */
export async function request(
  store: ProxyStore,
  who: RequestCaller,
  items: readonly HistoryItem[],
  more: { state?: LaneState; record?: RequestRecord; texts?: string[] } = {},
): Promise<Went> {
  const located = value(await locate(store, who, items, () => more.texts ?? []));
  const { session, created } = value(await openSession(store, who, located));
  const seen = value(await see(store, session, located.match, items));
  const { match } = located;
  const state = more.state ?? (match.type === "new" ? STATE : match.lane);
  const done = value(
    await commitLane(store, { session, match, seen, state, items, ...(more.record ? { record: more.record } : {}) }),
  );
  if (done.type !== "done") throw new Error(done.type);
  return { session, lane: done.lane, located, created };
}

export const indexOn = (writer: ItemIndexWriter): ItemIndex => embeddedItemIndex(() => writer);

export const rememberIn = (
  { store, db }: Place,
  more: Partial<RememberOptions & Storing> = {},
): Remember & { troubles: string[] } => rememberOn(store, indexOn(new RecallWriter(db)), more);

export function rememberOn(
  store: ProxyStore,
  ownIndex: ItemIndex,
  { redactor = secretRedactor("key"), index = ownIndex, ...more }: Partial<RememberOptions & Storing> = {},
): Remember & { troubles: string[] } {
  const troubles: string[] = [];
  const remember = new Remember({
    store,
    storage: storageOn({ store, redactor, index }),
    mode: "all",
    onTrouble: ({ code }) => troubles.push(code),
    retryMs: 5,
    ...more,
  });
  return Object.assign(remember, { troubles });
}

export const recordOf = (id: string, more: Partial<RequestRecord> = {}): RequestRecord => ({
  id,
  time: new Date(Date.UTC(2025, 0, 1)).toISOString(),
  family: "codex",
  familySignal: "user-agent",
  upstream: "openai",
  model: "gpt-5",
  path: "/v1/responses",
  action: "pass",
  bytesIn: 10,
  bytesSent: 10,
  dropped: 0,
  shortened: 0,
  stored: 0,
  recalled: [],
  attempts: [],
  outcome: "incomplete",
  timings: {},
  items: [],
  ...more,
});
