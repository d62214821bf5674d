// What other processes do in this home, as events: looked for twice a second, while a page listens.

import { readdirSync, statSync } from "node:fs";
import type { HomePaths } from "../../host/paths.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { HomeEvent } from "../../schema/api/live.ts";
import { indexSession } from "../../session/index/index-session.ts";
import type { IndexOptions } from "../../session/index/indexed-text.ts";
import type { Database } from "../../store/sqlite.ts";
import type { OpenHomeServices } from "../gateway/home-services.ts";
import { catchUp } from "../store.ts";
import type { Workspace } from "../workspace.ts";

const EVERY_MS = 500;
/** So many of the sessions that were used last are looked at, beside those that are new or open in a page. */
const LATEST = 200;
const MOST_LOOKED = 100;
const SHOWN = 50;

type Publish = (event: HomeEvent) => void;
/** A figure of the store that moves with each change of a part. */
const FIGURES = {
  "memory.changed": "SELECT value AS n FROM memory_generation",
  "board.changed": "SELECT max(id) AS n FROM board_changes",
  "graph.changed":
    "SELECT (SELECT max(seq) FROM graph_episode) || '/' || (SELECT count(*) FROM graph_episode WHERE state <> 'done') AS n",
} as const;

export class HomeWatch {
  readonly #paths: HomePaths;
  readonly #open: OpenHomeServices;
  readonly #looked = new Set<string>();
  readonly #logs = new Map<string, number>();
  readonly #inboxes = new Map<string, number>();
  readonly #figures = new Map<string, unknown>();
  #latest = new Map<string, string>();
  #folder = 0;
  #known: ReadonlySet<string> | undefined;
  #settings: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isFirst = true;

  readonly #indexing: IndexOptions;
  #isCaughtUp = false;

  constructor({ paths, indexing }: Pick<Workspace, "paths" | "indexing">, open: OpenHomeServices) {
    this.#paths = paths;
    this.#indexing = indexing;
    this.#open = open;
  }

  /** A page shows this session: it is watched, however old it is. */
  look(session: string): void {
    this.#looked.delete(session);
    this.#looked.add(session);
    const oldest = this.#looked.size > MOST_LOOKED ? this.#looked.values().next() : undefined;
    if (oldest && !oldest.done) this.#looked.delete(oldest.value);
  }

  /** Gives how to end it. What happened before is not told: a page reads that first. */
  start(publish: Publish, onTrouble: (error: unknown) => void): () => void {
    this.#isFirst = true;
    const look = (): void => {
      if (this.#isLooking) return;
      this.#isLooking = true;
      this.#tick(publish)
        .catch(onTrouble)
        .finally(() => {
          this.#isLooking = false;
        });
    };
    look();
    clearInterval(this.#timer);
    this.#timer = setInterval(look, EVERY_MS).unref();
    return () => clearInterval(this.#timer);
  }

  async #tick(publish: Publish): Promise<void> {
    const services = await this.#open();
    if (!services.ok) return;
    const { db } = services.value;
    const tell: Publish = this.#isFirst ? () => undefined : publish;
    // What ended without a word left a log that nobody has brought into the store.
    if (!this.#isCaughtUp) await catchUp(db, this.#paths, this.#indexing, () => undefined);
    this.#isCaughtUp = true;
    const latest = latestSessions(db);
    this.#tellSessions(latest, tell);
    await this.#tellLogs(
      db,
      new Set([...[...latest.keys()].slice(0, LATEST), ...this.#looked, ...this.#newFolders()]),
      tell,
    );
    for (const [type, sql] of Object.entries(FIGURES)) {
      const figure = prepared(db, sql).get()?.["n"];
      if (this.#figures.get(type) !== figure) tell({ type: type as keyof typeof FIGURES, data: {} });
      this.#figures.set(type, figure);
    }
    const settings = timeOf(this.#paths.settings);
    if (settings !== this.#settings) tell({ type: "settings.changed", data: {} });
    this.#settings = settings;
    this.#isFirst = false;
  }

  #tellSessions(latest: Map<string, string>, tell: Publish): void {
    const changed = [...latest].filter(([id, at]) => this.#latest.get(id) !== at).map(([id]) => id);
    if (changed.length > 0) tell({ type: "sessions.changed", data: { sessions: changed.slice(0, SHOWN) } });
    this.#latest = latest;
  }

  /** A log that has grown is brought into the store: its own process does that only after each turn. */
  async #tellLogs(db: Database, sessions: ReadonlySet<string>, tell: Publish): Promise<void> {
    for (const session of sessions) {
      if (!/^[0-9a-f-]{36}$/.test(session)) continue;
      const { events, db: own } = this.#paths.session(session);
      const size = statSync(events, { throwIfNoEntry: false })?.size ?? 0;
      if (size !== (this.#logs.get(session) ?? 0)) {
        if (!this.#isFirst) await indexSession(db, session, this.#paths.session(session), this.#indexing);
        tell({ type: "session.grown", data: { session, end: String(size) } });
      }
      this.#logs.set(session, size);
      const inbox = Math.max(timeOf(own) ?? 0, timeOf(`${own}-wal`) ?? 0);
      if (inbox !== (this.#inboxes.get(session) ?? 0)) tell({ type: "inbox.changed", data: { session } });
      this.#inboxes.set(session, inbox);
    }
  }

  /** Sessions that began since the first look; the store learns of them after their first turn. */
  #newFolders(): string[] {
    const changed = timeOf(this.#paths.sessions) ?? 0;
    // Before the first session there is no folder either.
    if (changed === 0) this.#known = new Set();
    if (changed === this.#folder) return [];
    this.#folder = changed;
    const names = readdirSync(this.#paths.sessions);
    const before = this.#known;
    this.#known = new Set(names);
    if (!before) return [];
    const fresh = names.filter((name) => !before.has(name));
    for (const name of fresh) this.look(name);
    return fresh;
  }
}

const timeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/** With the time of their last use. */
function latestSessions(db: Database): Map<string, string> {
  const own = prepared(db, "SELECT id, updated_at AS at FROM sessions ORDER BY updated_at DESC, id DESC LIMIT ?");
  const proxied = prepared(db, "SELECT id, used_at AS at FROM proxy_session ORDER BY used_at DESC, no DESC LIMIT ?");
  return new Map(
    [...own.all(LATEST), ...proxied.all(LATEST)].map((row) => [String(row["id"]), String(row["at"])] as const),
  );
}
