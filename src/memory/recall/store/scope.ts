// Scopes: what a query may see is a set of scope rows, and their tokens are part of every match.
import type { DatabaseSync } from "node:sqlite";
import type { ItemPlace } from "../item.ts";
import { prepared } from "./statement.ts";

export type RecallScope =
  | { type: "session"; session: string }
  | { type: "branch"; repository: string; branch: string }
  | { type: "repository"; repository: string }
  | { type: "workspace"; workspace: string }
  /** What stands on the board of a branch. */
  | { type: "board"; repository: string; branch: string }
  /** A partition of the graph. */
  | { type: "group"; group: string }
  /** What was stored for this user, wherever. */
  | { type: "user"; user?: string }
  /** Everything of the tenant that this identity may see. */
  | { type: "all" };

/** Whose question it is, and where it looks: the union of the scopes. */
export type Within = {
  tenant?: string;
  identity?: string;
  /** The owner of the machine asks: every identity's items. */
  everyone?: boolean;
  scopes: readonly RecallScope[];
};

/** `none` is the home of items that belong to no session; nobody can ask for it. */
type ScopeRow = { type: RecallScope["type"] | "none"; tenant: string; owner: string; value: string };

const pair = (repository: string, branch: string): string => JSON.stringify([repository, branch]);

const nameOf = (scope: RecallScope): string => {
  switch (scope.type) {
    case "session":
      return scope.session;
    case "branch":
    case "board":
      return pair(scope.repository, scope.branch);
    case "repository":
      return scope.repository;
    case "workspace":
      return scope.workspace;
    case "group":
      return scope.group;
    case "user":
      return scope.user ?? "";
    case "all":
      return "";
  }
};

/** The scopes under which an item of this place is found; its session comes first. */
export function scopesOf(place: ItemPlace): ScopeRow[] {
  const { tenant = "", identity = "", session, repository, branch, workspace, user = "", group, level } = place;
  const owner = level === "session" ? identity : "";
  const row = (type: ScopeRow["type"], value: string): ScopeRow => ({ type, tenant, owner, value });
  const rows = [session === undefined ? row("none", "") : row("session", session)];
  rows.push(row("all", ""));
  if (group !== undefined) rows.push(row("group", group));
  if (level === "user") rows.push(row("user", user));
  if (level === "branch" && repository !== undefined && branch !== undefined)
    rows.push(row("board", pair(repository, branch)));
  if (level === "workspace" || level === "session") if (workspace !== undefined) rows.push(row("workspace", workspace));
  if (level === "repository" || level === "session") {
    if (repository !== undefined) rows.push(row("repository", repository));
    if (repository !== undefined && branch !== undefined) rows.push(row("branch", pair(repository, branch)));
  }
  return rows;
}

export type ResolvedScope = {
  ids: number[];
  /** How many passages they have together, and their mean length. */
  passages: number;
  meanWords: number;
  /** The scope is all that the store holds: its tokens need not stand in the match. */
  whole: boolean;
};

/** Undefined when nothing was ever stored there. */
export function resolveScope(db: DatabaseSync, within: Within): ResolvedScope | undefined {
  const { tenant = "", identity = "", everyone = false, scopes } = within;
  const sql =
    "SELECT id, passages, words FROM recall_scope WHERE type = ? AND tenant = ? AND value = ? AND (owner = '' OR owner = ? OR ?)";
  const byId = new Map<number, { type: string; passages: number; words: number }>();
  for (const scope of scopes) {
    for (const row of prepared(db, sql).all(scope.type, tenant, nameOf(scope), identity, everyone ? 1 : 0)) {
      byId.set(Number(row["id"]), {
        type: scope.type,
        passages: Number(row["passages"]),
        words: Number(row["words"]),
      });
    }
  }
  if (byId.size === 0) return undefined;
  // A session is nearly always part of the repository or folder that is asked for beside it.
  const all = [...byId.values()];
  const outer = all.filter((s) => s.type !== "session" && s.type !== "board" && s.type !== "user");
  const counted = outer.length > 0 ? all.filter((s) => s.type !== "session") : all;
  const passages = counted.reduce((sum, s) => sum + s.passages, 0);
  const words = counted.reduce((sum, s) => sum + s.words, 0);
  const stored = prepared(db, "SELECT sum(passages) AS n FROM recall_scope WHERE type = 'all'").get();
  const whole = all.some((s) => s.passages === Number(stored?.["n"]));
  return { ids: [...byId.keys()], passages, meanWords: words / Math.max(1, passages), whole };
}
