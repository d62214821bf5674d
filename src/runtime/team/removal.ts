// A member or a whole tenant leaves: their rows go from every table, and what is noted of it are counts.
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { listTenants } from "../../server/team/tokens.ts";
import { processEnvironment } from "../../settings/environment.ts";
import { tenantTables } from "../../store/copy/table.ts";
import {
  allRows,
  changeCount,
  execute,
  oneRow,
  type RowStore,
  raiseGeneration,
  type SqlPiece,
  type Unit,
} from "../../store/unit.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { memberRows, namelessly } from "./member-rows.ts";
import { removeMemberItems } from "./moved-recall.ts";
import { onTeamDatabase } from "./on-database.ts";

/** Without a user: everything of the tenant. */
export type Leaving = { tenant: string; user?: string | undefined };
type RemovalCounts = Record<string, number>;

/** In one statement, which may take 5 s. */
const BATCH = 5000;
/** Until every node has looked up a token again. */
const FORGET_MS = 2500;

/** How many rows would go, by table. */
export const removalPlan = (leaving: Leaving, url?: string): Promise<Result<RemovalCounts, Failure>> =>
  onTeamDatabase(url, async (team) => {
    const refused = refuseInToolShell(processEnvironment(), "delete data");
    if (refused) return fail(refused);
    const store = team.store(leaving.tenant);
    const tables = await tablesOf(store, leaving);
    if (!tables.ok) return tables;
    return store.read(function* () {
      const counts: RemovalCounts = {};
      for (const [name, { sql, values }] of tables.value)
        counts[name] = Number((yield* oneRow(`SELECT count(*) AS n FROM ${name} WHERE ${sql}`, ...values))?.["n"]);
      return counts;
    });
  });

export const removeRows = (leaving: Leaving, url?: string): Promise<Result<RemovalCounts, Failure>> =>
  onTeamDatabase(url, async (team) => {
    const { tenant, user } = leaving;
    const store = team.store(tenant);
    const tables = await tablesOf(store, leaving);
    if (!tables.ok) return tables;
    const counts: RemovalCounts = {};
    const clear = async (name: string, piece: SqlPiece): Promise<Result<number, Failure>> => {
      for (counts[name] = 0; ; ) {
        const gone = await store.write(() => removeSome(name, piece), { holds: true });
        if (!gone.ok) return gone;
        counts[name] += gone.value;
        if (gone.value < BATCH) return ok(counts[name]);
      }
    };
    const named = await store.read(() => tokenNames(user));
    if (!named.ok) return named;
    // Nobody writes for them any more before their rows go.
    const ended = await clear("tokens", tables.value.get("tokens") ?? EVERY);
    if (!ended.ok) return ended;
    if (ended.value > 0) await systemClock.sleep(FORGET_MS);
    const forgotten = user === undefined ? ok(0) : await removeMemberItems(store, user);
    if (!forgotten.ok) return forgotten;
    for (const [name, piece] of tables.value) {
      if (name === "tokens") continue;
      const cleared = await clear(name, piece);
      if (!cleared.ok) return cleared;
    }
    counts["recall_item"] = (counts["recall_item"] ?? 0) + forgotten.value;
    const noted = await store.write(
      function* () {
        if (user === undefined) yield* execute("DELETE FROM tenants WHERE name = ?", tenant);
        else {
          for (const { sql, values } of namelessly(user, named.value)) yield* execute(sql, ...values);
          yield* raiseGeneration();
        }
        yield* execute(
          "INSERT INTO removals (at, tenant_name, user_name, counts) VALUES (?, ?, ?, ?)",
          ...[systemClock.now(), tenant, user ?? null, JSON.stringify(counts)],
        );
      },
      { holds: true },
    );
    return noted.ok ? ok(counts) : noted;
  });

const EVERY: SqlPiece = { sql: "1 = 1", values: [] };

/** The tables with what of them goes, in the order in which it goes. */
async function tablesOf(store: RowStore, { tenant, user }: Leaving): Promise<Result<Map<string, SqlPiece>, Failure>> {
  const tenants = await store.read(listTenants);
  if (!tenants.ok) return tenants;
  if (!tenants.value.includes(tenant))
    return fail(refusal("no_such_tenant", `There is no tenant ${tenant}.`, "everlong token list shows them."));
  const names = await store.read(tenantTables);
  if (!names.ok) return names;
  // Rows of members are found in a fixed order, which suits whole tenants too.
  const ordered = [...Object.keys(memberRows), ...names.value].filter((name) => names.value.includes(name));
  const pieces = [...new Set(ordered)].map((name): [string, SqlPiece | undefined] => {
    const rows = memberRows[name];
    return [name, user === undefined ? EVERY : rows && "of" in rows ? rows.of(user) : undefined];
  });
  return ok(new Map(pieces.flatMap(([name, piece]) => (piece ? [[name, piece] as const] : []))));
}

function* removeSome(name: string, { sql, values }: SqlPiece): Unit<number> {
  return yield* changeCount(
    `DELETE FROM ${name} WHERE ctid IN (SELECT ctid FROM ${name} WHERE ${sql} LIMIT ${BATCH} FOR UPDATE)`,
    ...values,
  );
}

function* tokenNames(user: string | undefined): Unit<string[]> {
  if (user === undefined) return [];
  return (yield* allRows('SELECT name FROM tokens WHERE "user" = ?', user)).map((row) => String(row["name"]));
}
