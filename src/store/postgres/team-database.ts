// A team's database: reached, looked at, brought to the last version; from it comes the store of each tenant.
import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../fault.ts";
import type { RowStore, Unit } from "../unit.ts";
import { GenerationFeed } from "./generation-feed.ts";
import { migrateTeam, teamMigrations } from "./migrate-team.ts";
import { type PoolOptions, ServerPool } from "./pool.ts";
import { serverFault } from "./server-fault.ts";
import { generationNumber, type TeamStoreOptions, teamSnapshot, teamStore } from "./team-store.ts";

export type TeamDatabase = {
  pool: ServerPool;
  /** The key behind hashes and markers; all nodes have the same. */
  key: string;
  store(tenant: string): RowStore;
  /** The same as long as nothing of the tenant has changed, on whichever node. Undefined: nobody can tell without asking. */
  generation(tenant: string): number | undefined;
  /** Everything that the work reads of a tenant is of one moment. */
  snapshot<T>(
    tenant: string,
    work: (read: <V>(unit: () => Unit<V>) => Promise<V>) => Promise<T>,
  ): Promise<Result<T, Fault>>;
  /** Many rows came at once: until the server has counted them its plans are made for empty tables. */
  count(tables: readonly string[]): Promise<Result<unknown, Fault>>;
  /** Undefined: it answers, and has the schema that this program knows. */
  problem(): Promise<Fault | undefined>;
  close(): Promise<void>;
};

const OLDEST = 15;

export async function openTeamDatabase(
  url: string,
  options: PoolOptions & TeamStoreOptions & { follows?: boolean } = {},
): Promise<Result<TeamDatabase, Failure>> {
  if (!/^postgres(ql)?:\/\/[^/]/.test(url) || !URL.canParse(url)) return fail(badUrl);
  const pool = await ServerPool.open(url, options);
  const ready = await prepare(pool).catch((error: unknown) => fail(atStart(serverFault(error, pool.place))));
  if (!ready.ok) {
    await pool.close();
    return ready;
  }
  const { follows = false, ...rest } = options;
  const plain = (tenant: string): RowStore => teamStore(pool, tenant, rest);
  const feed = follows ? new GenerationFeed({ pool, numberOf: (tenant) => numberIn(plain(tenant)) }) : undefined;
  const onRaised = feed ? (tenant: string) => feed.raised(tenant) : rest.onRaised;
  return ok({
    pool,
    key: ready.value,
    store: (tenant) => teamStore(pool, tenant, { ...rest, onRaised }),
    generation: (tenant) => feed?.generation(tenant),
    snapshot: (tenant, work) => teamSnapshot(pool, tenant, work),
    async count(tables) {
      try {
        return await pool.connected((client) => client.query(`ANALYZE ${tables.join(", ")}`));
      } catch (error) {
        return fail(serverFault(error, pool.place));
      }
    },
    problem: () => problemOf(pool),
    async close() {
      await feed?.close();
      await pool.close();
    },
  });
}

export async function numberIn(store: RowStore): Promise<number | undefined> {
  const number = await store.read(generationNumber);
  return number.ok ? number.value : undefined;
}

async function prepare(pool: ServerPool): Promise<Result<string, Failure>> {
  const outcome = await pool.connected(async (client): Promise<Result<string, Failure>> => {
    const unfit = await unfitness(client, pool.place);
    if (unfit) return fail(unfit);
    const migrated = await migrateTeam(client, pool.place);
    if (!migrated.ok) return fail({ ...migrated.error, code: "home_too_new" });
    await client.query("INSERT INTO node_secret (one, key) VALUES (1, $1) ON CONFLICT DO NOTHING", [
      randomBytes(32).toString("base64url"),
    ]);
    const { rows } = await client.query<{ key: string }>("SELECT key FROM node_secret");
    return ok(rows[0]?.key ?? "");
  });
  return outcome.ok ? outcome.value : fail(atStart(outcome.error));
}

type RoleRow = { version: number; role: string; passes: boolean; makes: boolean; has: boolean; database: string };

async function unfitness(client: pg.PoolClient, place: string): Promise<Failure | undefined> {
  const { rows } = await client.query<RoleRow>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_user AS role,
       rolsuper OR rolbypassrls AS passes, has_database_privilege(current_database(), 'CREATE') AS makes,
       to_regnamespace('everlong') IS NOT NULL AS has, current_database() AS database
     FROM pg_roles WHERE rolname = current_user`,
  );
  const [row] = rows;
  if (!row) return undefined;
  if (row.version < OLDEST)
    return unfit(
      "server_too_old",
      `${place} is version ${row.version}; ${OLDEST} is the oldest that works.`,
      "Upgrade it.",
    );
  if (row.passes)
    return unfit(
      "role_too_strong",
      `The role ${row.role} may see the rows of every tenant: row-level security does not bind it.`,
      `Use a role of its own: CREATE ROLE everlong LOGIN PASSWORD '…'; ALTER DATABASE ${row.database} OWNER TO everlong;`,
    );
  if (!row.makes && !row.has)
    return unfit(
      "store_denied",
      `The role ${row.role} may not create tables in ${place}.`,
      `Grant it: GRANT CREATE ON DATABASE ${row.database} TO ${row.role};`,
    );
  return undefined;
}

async function problemOf(pool: ServerPool): Promise<Fault | undefined> {
  try {
    const looked = await pool.connected(async (client) => {
      const { rows } = await client.query<{ version: number }>("SELECT version FROM schema_version");
      return rows[0]?.version ?? 0;
    });
    if (!looked.ok) return looked.error;
    if (looked.value === teamMigrations.length) return undefined;
    const reason = `it has schema version ${looked.value}, this program knows ${teamMigrations.length}`;
    return faultAt(looked.value > teamMigrations.length ? "store_too_new" : "store_unavailable", pool.place, reason);
  } catch (error) {
    return serverFault(error, pool.place);
  }
}

const unfit = (code: string, what: string, next: string): Failure => ({
  ...{ code, what, data: "Nothing was started.", next, exit: 1 },
});

const badUrl = unfit(
  "bad_database_url",
  "The database URL cannot be read.",
  "Write it as postgres://USER:PASSWORD@HOST:5432/NAME.",
);

const NEXT: Readonly<Record<string, string>> = {
  store_unavailable: "Check host and port, and that the server runs.",
  store_denied: "Check user, password and the name of the database, and the role's rights.",
};

/** One clear line: nobody is served before the first connection. */
const atStart = (fault: Fault): Failure => ({
  ...fault,
  data: "Nothing was started.",
  next: NEXT[fault.code] ?? fault.next ?? "",
});
