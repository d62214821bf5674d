// `everlong move`: what a home has, to a team's database and back; the side that it comes from is only read.
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { setNote, writeNote } from "../../memory/recall/store/note.ts";
import { rowFiles } from "../../proxy/files/row-files.ts";
import { OWNER } from "../../proxy/identify/run.ts";
import { proxySettings } from "../../proxy/settings.ts";
import { createProxyStore } from "../../proxy/store/handle.ts";
import { isTeamName, personOf } from "../../server/team/member.ts";
import { addTenant } from "../../server/team/tokens.ts";
import { processEnvironment } from "../../settings/environment.ts";
import { type CopyPass, copyPass, type TableTally } from "../../store/copy/copy.ts";
import { type Crossing, copiedTables, tenantTables } from "../../store/copy/table.ts";
import { embeddedStore, runUnit } from "../../store/embedded-store.ts";
import { openTeamDatabase, type TeamDatabase } from "../../store/postgres/team-database.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { proxyOn, proxyPlace } from "../gateway/proxy-store.ts";
import { LOCAL_USER } from "../memory/strategy.ts";
import { openStore } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { openWorkspace, secretKey, type Workspace } from "../workspace.ts";
import { indexMovedItems, moveSessionFiles } from "./moved-sessions.ts";
import { movedTables } from "./moved-tables.ts";

type MoveWish = {
  /** The database of the team. */
  url: string;
  way: "to" | "from";
  tenant: string;
  user: string;
  dryRun: boolean;
};
type MoveWatch = {
  signal?: AbortSignal | undefined;
  onPage?: ((table: string, part: number, total: number) => void) | undefined;
};
export type MoveReport = {
  place: string;
  dryRun: boolean;
  interrupted: boolean;
  tables: Omit<TableTally, "hash" | "missing">[];
  /** Every row that came is there, and what this run added is equal to it. */
  verified: boolean;
  hash: string;
};

export async function moveHome(wish: MoveWish, watch: MoveWatch = {}): Promise<Result<MoveReport, Failure>> {
  const refused = refuseInToolShell(processEnvironment(), "move data");
  if (refused) return fail(refused);
  for (const [what, text] of Object.entries({ tenant: wish.tenant, user: wish.user }))
    if (!isTeamName(text))
      return fail(
        refusal("usage", `"${text}" cannot be a ${what}.`, "Use up to 63 lowercase letters, digits, - and _.", 2),
      );
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { paths } = workspace.value;
  if (wish.way === "to" && !existsSync(paths.store)) return fail(nothing(paths.home));
  const team = await openTeamDatabase(wish.url);
  if (!team.ok) return team;
  try {
    const db = await openStore(paths);
    if (!db.ok) return db;
    try {
      return await move(workspace.value, team.value, db.value, wish, watch);
    } finally {
      db.value.close();
    }
  } finally {
    await team.value.close();
  }
}

const nothing = (home: string): Failure =>
  refusal("nothing_to_move", `${home} has no memories.`, "Set EVERLONG_HOME to the folder with your memories.");

async function move(
  workspace: Workspace,
  team: TeamDatabase,
  db: Database,
  { way, tenant, user, dryRun }: MoveWish,
  watch: MoveWatch,
): Promise<Result<MoveReport, Failure>> {
  const { home } = workspace.paths;
  const rows = team.store(tenant);
  const names = await rows.read(tenantTables);
  if (!names.ok) return names;
  const tables = copiedTables(db, names.value, movedTables);
  const mark = hash("sha256", secretKey(home)).slice(0, 8);
  const users = way === "to" ? { from: LOCAL_USER, to: user } : { from: user, to: LOCAL_USER };
  const parts = {
    ...{ tables, isHomeward: way === "from", ...watch },
    target: way === "to" ? rows : embeddedStore(db),
    crossing:
      way === "to"
        ? { user: users, identity: personOf({ tenant, user }), home: mark, hashKey: team.key }
        : { user: users, home: mark, hashKey: secretKey(home) },
  };
  const sessions = (): Promise<Result<void, Failure>> =>
    moveSessions(workspace, { db, team, tenant, user }, parts.crossing, watch.signal);
  const run = (read: CopyPass["read"]): Promise<Result<MoveReport, Failure>> =>
    passes({ ...parts, read }, { place: way === "to" ? team.pool.place : home, dryRun });
  if (way === "to") {
    if (!dryRun) {
      const named = await rows.write(() => addTenant(tenant, new Date().toISOString()), { holds: true });
      if (!named.ok) return named;
    }
    // What others write meanwhile comes along with the next run.
    db.exec("BEGIN");
    const moved = await run(async (unit) => runUnit(db, unit()));
    if (!moved.ok || dryRun) return moved;
    const filed = await sessions();
    if (!filed.ok) return filed;
    await team.count(names.value);
    // They came past their writers: the next node that is asked fills them in.
    const noted = await rows.write(() => writeNote("filled", undefined), { holds: true });
    return noted.ok ? moved : noted;
  }
  const snapshot = await team.snapshot(tenant, run);
  const moved = snapshot.ok ? snapshot.value : snapshot;
  if (!moved.ok || dryRun) return moved;
  const filed = await sessions();
  // They came past their writers: whoever searches next fills them in.
  await write(db, () => setNote(db, "filled", undefined));
  return filed.ok ? moved : filed;
}

/** Nobody waits for it. */
const PATIENT_MS = 60_000;

async function moveSessions(
  workspace: Workspace,
  { db, team, tenant, user }: { db: Database; team: TeamDatabase; tenant: string; user: string },
  crossing: Crossing,
  signal: AbortSignal | undefined,
): Promise<Result<void, Failure>> {
  const { folder, ...place } = proxyPlace(workspace, proxySettings(workspace.settings.values));
  const atHome = createProxyStore({ ...proxyOn(db, folder), ...place, onPathMs: PATIENT_MS });
  const there = createProxyStore({
    ...{ rows: team.store(tenant), files: rowFiles, key: team.key, clock: systemClock },
    ...{ tenancy: "per-identity", onPathMs: PATIENT_MS },
  });
  const owner = personOf({ tenant, user });
  const isOut = crossing.identity !== undefined;
  const filed = await moveSessionFiles({
    ...(isOut ? { from: atHome, to: there } : { from: there, to: atHome, owner }),
    ...{ crossing, signal },
  });
  if (!filed.ok) return filed;
  return isOut ? indexMovedItems(there.rows, owner) : indexMovedItems(atHome.rows, OWNER);
}

/** Adds, then looks at every row again on both sides. */
async function passes(
  parts: Omit<CopyPass, "isAdding">,
  { place, dryRun }: Pick<MoveReport, "place" | "dryRun">,
): Promise<Result<MoveReport, Failure>> {
  const first = await copyPass({ ...parts, isAdding: !dryRun });
  if (!first.ok) return first;
  const interrupted = parts.signal?.aborted ?? false;
  const second = dryRun || interrupted ? first : await copyPass({ ...parts, onPage: () => undefined, isAdding: false });
  if (!second.ok) return second;
  const tables = first.value.map(({ hash: _hash, missing, ...tally }) => ({
    ...tally,
    added: dryRun ? missing : tally.added,
  }));
  const isSound = second.value.every((tally, i) => {
    const before = first.value[i]?.differing ?? 0;
    const isEqual = tally.hash.source === tally.hash.target;
    return tally.missing === 0 && tally.differing === before && (isEqual || before > 0);
  });
  return ok({
    ...{ place, dryRun, interrupted, tables, verified: !dryRun && !interrupted && isSound },
    hash: second.value.map(({ table, hash }) => `${table}:${hash.target.slice(0, 16)}`).join(" "),
  });
}
