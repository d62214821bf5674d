// Scopes: what a query may see is a set of scope rows, and their tokens are part of every match.
import { allRows, type SqlRow, type Unit } from "../../../store/unit.ts";
import { covers, type MemberReach } from "../../record/reach.ts";
import type { ItemPlace } from "../item.ts";

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
  identity?: string;
  /** The owner of the machine asks: every identity's items. */
  everyone?: boolean;
  /** A member of a team asks: what is shared only of these repositories, of what users have for themselves only this one's. */
  reach?: MemberReach;
  scopes: readonly RecallScope[];
};

/** `none` is the home of items that belong to no session; nobody can ask for it. */
type ScopeRow = { type: RecallScope["type"] | "none"; owner: string; value: string };

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
  const { identity = "", session, repository, branch, workspace, user = "", group, level } = place;
  const owner = level === "session" ? identity : "";
  const row = (type: ScopeRow["type"], value: string): ScopeRow => ({ type, owner, value });
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
  /** Everything of the owners of these scopes: the scopes of type `all`. */
  realms: number[];
  /** How many passages they have together, and their mean length. */
  passages: number;
  meanWords: number;
  /** The scope is all that the store holds: its tokens need not stand in the match. */
  whole: boolean;
  /** The one session that is asked, and nothing else. */
  session?: number | undefined;
};

type SizedScope = { id: number; type: string; owner: string; value: string; passages: number; words: number };
const SIZED = "SELECT id, type, owner, value, passages, words FROM recall_scope_size WHERE";
const sized = (row: SqlRow): SizedScope => ({
  ...{ id: Number(row["id"]), type: String(row["type"]), owner: String(row["owner"]), value: String(row["value"]) },
  ...{ passages: Number(row["passages"]), words: Number(row["words"]) },
});

/** Undefined when nothing was ever stored there. */
export function* resolveScope(within: Within): Unit<ResolvedScope | undefined> {
  const byId = new Map<number, SizedScope>();
  for (const scope of within.scopes) for (const row of yield* rowsOf(scope, within)) byId.set(row.id, row);
  if (byId.size === 0) return undefined;
  // A session is nearly always part of the repository or folder that is asked for beside it.
  const all = [...byId.values()];
  const outer = all.filter((s) => s.type !== "session" && s.type !== "board" && s.type !== "user");
  const counted = outer.length > 0 ? all.filter((s) => s.type !== "session") : all;
  const passages = counted.reduce((sum, s) => sum + s.passages, 0);
  const words = counted.reduce((sum, s) => sum + s.words, 0);
  const everything = (yield* allRows(`${SIZED} type = 'all' AND value = ''`)).map(sized);
  const stored = everything.reduce((sum, s) => sum + s.passages, 0);
  const named = new Set(all.map((s) => s.owner));
  return {
    ids: [...byId.keys()],
    realms: everything.filter((s) => named.has(s.owner)).map((s) => s.id),
    passages,
    meanWords: words / Math.max(1, passages),
    whole: all.some((s) => s.passages === stored),
    session: all.length === 1 && all[0]?.type === "session" ? all[0].id : undefined,
  };
}

function* rowsOf(scope: RecallScope, { identity = "", everyone = false, reach }: Within): Unit<SizedScope[]> {
  if (reach && scope.type === "all") return yield* everythingReached(identity, reach);
  const named =
    everyone || reach?.sharing
      ? yield* allRows(`${SIZED} type = ? AND value = ?`, scope.type, nameOf(scope))
      : yield* allRows(`${SIZED} type = ? AND value = ? AND owner IN ('', ?)`, scope.type, nameOf(scope), identity);
  const rows = named.map(sized);
  return reach ? rows.filter((row) => isReached(row, identity, reach)) : rows;
}

/** A member's own sessions, and of what is shared all that they reach: no scope says that by itself. */
function* everythingReached(identity: string, reach: MemberReach): Unit<SizedScope[]> {
  const own = yield* allRows(`${SIZED} type = 'all' AND value = '' AND owner = ?`, identity);
  const ofAll = reach.sharing ? "" : " AND owner = ''";
  const shared = yield* allRows(`${SIZED} type IN ('repository', 'board')${ofAll}`);
  const user = yield* allRows(`${SIZED} type = 'user' AND value = ? AND owner = ''`, reach.user);
  return [...own, ...shared, ...user].map(sized).filter((row) => isReached(row, identity, reach));
}

function isReached({ type, owner, value }: SizedScope, identity: string, reach: MemberReach): boolean {
  if (owner === identity && owner !== "") return true;
  // What somebody said is theirs, wherever it was said, unless the team shares the sessions of a repository.
  const isShared = owner === "" || (reach.sharing !== undefined && !reach.sharing.refused.includes(owner));
  if (!isShared) return false;
  if (type === "repository") return covers(reach, value);
  if (type === "board" || type === "branch") return covers(reach, String((JSON.parse(value) as unknown[])[0]));
  return type === "user" && owner === "" && value === reach.user;
}
