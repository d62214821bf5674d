// The Graphiti servers of the folders that proxied agents work in: each by that folder's own settings, trust and consent.
import { statSync } from "node:fs";
import type { Database } from "../../store/sqlite.ts";
import { GraphitiLink, type GraphitiNotice } from "../graph/graphiti.ts";
import { openWorkspace } from "../workspace.ts";

/** Settings of a folder are read again after this time; trust and consent before every connection. */
const FRESH_MS = 30_000;
const CLOSE_MS = 2000;

type FolderLink = { link: GraphitiLink | undefined; readAt: number };

export class FolderLinks {
  readonly #db: Database;
  readonly #tell: (notice: GraphitiNotice) => void;
  readonly #links = new Map<string, FolderLink>();
  /** Told once for a folder, not once for every time that its settings are read. */
  readonly #asked = new Set<string>();

  constructor(db: Database, tell: (notice: GraphitiNotice) => void) {
    this.#db = db;
    this.#tell = tell;
  }

  /** Undefined: no such folder, or its settings want no server. */
  async of(folder: string): Promise<GraphitiLink | undefined> {
    const current = this.#links.get(folder);
    if (current && performance.now() - current.readAt < FRESH_MS) return current.link;
    await current?.link?.close(0);
    const link = await this.#open(folder);
    this.#links.set(folder, { link, readAt: performance.now() });
    return link;
  }

  async #open(folder: string): Promise<GraphitiLink | undefined> {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    const workspace = await openWorkspace({ cwd: folder });
    if (!workspace.ok || !workspace.value.settings.values["memory.graphiti.enabled"]) return undefined;
    return new GraphitiLink(workspace.value, this.#db, (notice) => {
      const isAsking = notice.code === "consent_missing" || notice.code === "trust_missing";
      if (isAsking && this.#asked.has(folder)) return;
      if (isAsking) this.#asked.add(folder);
      this.#tell(notice);
    });
  }

  /** What other processes left behind goes out, folder by folder. */
  async wake(): Promise<void> {
    const rows = this.#db.prepare(
      "SELECT DISTINCT root FROM graph_outbox WHERE state IN ('queued', 'sending', 'accepted')",
    );
    for (const { root } of rows.all()) await (await this.of(String(root)))?.wake();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map(({ link }) => link?.close(CLOSE_MS)));
  }
}
