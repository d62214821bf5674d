// What a wipe would remove, with sizes; what it leaves in home; and what of ours lies elsewhere. Nothing is changed.
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseView } from "../../store/database-view.ts";
import { homeFiles } from "../../store/home-files.ts";
import { isOwnName } from "../../store/kinds.ts";
import { BACKUP_NAME } from "../backup/backup.ts";

export type WipeScope = "memory" | "sessions" | "all";
export type WipePlan = {
  scope: WipeScope;
  home: string;
  /** Names directly under home, or rows of store.db. */
  items: { name: string; count: number; unit: "file" | "row"; bytes?: number }[];
  /** Names under home that are not ours and stay. */
  stays: string[];
  elsewhere: string[];
};

/** Folders that go with sessions: their own, what was cut out of them, and what was printed about them. */
export const SESSION_FOLDERS = ["sessions", "proxy", "quarantine", "logs"];
/** What was cut out of files may be of either. */
export const MEMORY_FOLDERS = ["pending", "quarantine"];
export const MEMORY_TABLES = [
  ...["memory_citations", "memory_votes", "memory_changes", "memory_idempotency", "memories", "memory_text"],
  ...["dynamic_context_items", "board_changes", "consolidation_runs"],
  ...["graph_group", "graph_episode", "graph_entity", "graph_alias", "graph_band"],
  ...["graph_fact", "graph_mention", "graph_ending"],
];
const COUNTED = {
  memory: ["memories", "dynamic_context_items", "graph_fact"],
  sessions: ["sessions", "proxy_session"],
};

export async function planWipe(home: string, scope: WipeScope, root: string): Promise<WipePlan> {
  const names = readdirSync(home).sort();
  const ours = names.filter(isOwnName);
  const store = await DatabaseView.open(join(home, "store.db"));
  const rowsOf = (table: string): number => (store.ok ? (store.value.count(table) ?? 0) : 0);
  const rows = (tables: readonly string[]): WipePlan["items"] =>
    tables.map((name) => ({ name, count: rowsOf(name), unit: "row" as const })).filter(({ count }) => count > 0);
  const folders = (wanted: readonly string[]) => wanted.filter((n) => ours.includes(n)).map((n) => sized(home, n));
  const roots = store.ok ? store.value.texts("SELECT DISTINCT COALESCE(git_root, cwd) FROM sessions") : [];
  const items =
    scope === "all"
      ? folders(ours)
      : scope === "sessions"
        ? [...folders(SESSION_FOLDERS), ...rows(COUNTED.sessions)]
        : [...folders(MEMORY_FOLDERS), ...rows(COUNTED.memory)];
  if (store.ok) store.value.close();
  const stays = scope === "all" ? names.filter((name) => !isOwnName(name)) : [];
  return { scope, home, items, stays, elsewhere: elsewhere(home, [root, ...roots]) };
}

function sized(home: string, name: string): WipePlan["items"][number] {
  const stat = lstatSync(join(home, name));
  const files = stat.isDirectory() ? [...homeFiles(home, name)] : [{ stat }];
  const bytes = files.reduce((sum, file) => sum + file.stat.size, 0);
  return { name: stat.isDirectory() ? `${name}/` : name, count: files.length, unit: "file", bytes };
}

/** A home that was replaced, and what a restore that was cut short has unpacked. */
const ASIDE = [".before-", ".restore-"];

function elsewhere(home: string, roots: readonly string[]): string[] {
  const shared = [...new Set(roots)].map((root) => join(root, ".github", "copilot-memories.jsonl")).filter(existsSync);
  const own = basename(home);
  const beside = readdirSync(dirname(home)).filter(
    (name) => BACKUP_NAME.test(name) || ASIDE.some((middle) => name.startsWith(own + middle)),
  );
  return [...shared, ...beside.map((name) => join(dirname(home), name))];
}
