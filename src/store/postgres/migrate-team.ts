// Brings a database of PostgreSQL to the last version: forward only, one node at a time, the others wait.
import type pg from "pg";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../fault.ts";
import { teamGraphSchema } from "./schema/graph.ts";
import { teamMemorySchema } from "./schema/memory.ts";
import { teamChoiceSchema, teamConsentSchema, teamPeopleSchema, teamRemovalSchema } from "./schema/people.ts";
import { teamProxyOwners, teamProxySchema } from "./schema/proxy.ts";
import { teamRecallSchema } from "./schema/recall.ts";
import { tenantPolicies } from "./schema/tenant-table.ts";

/** The n-th text brings it to version n. What is here was run somewhere: it is never changed, only added to. */
export const teamMigrations: readonly string[] = [
  `${teamPeopleSchema}\n${teamMemorySchema}`,
  teamGraphSchema,
  teamRemovalSchema,
  teamProxySchema,
  teamRecallSchema,
  teamProxyOwners,
  teamChoiceSchema,
  teamConsentSchema,
  tenantPolicies,
];

/** Known to all nodes of all versions. */
const LOCK = 0x6576_6c6e;

export async function migrateTeam(
  client: pg.PoolClient,
  place: string,
  migrations: readonly string[] = teamMigrations,
): Promise<Result<{ from: number; to: number }, Fault>> {
  await client.query("BEGIN");
  try {
    // Another node may be at it for longer than a statement may take.
    await client.query("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0");
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(
      "CREATE SCHEMA IF NOT EXISTS everlong; CREATE TABLE IF NOT EXISTS everlong.schema_version (version INT NOT NULL)",
    );
    const { rows } = await client.query<{ version: number }>("SELECT version FROM everlong.schema_version");
    const from = rows[0]?.version ?? 0;
    if (from > migrations.length) {
      await client.query("ROLLBACK");
      const reason = `it has schema version ${from}, this program knows ${migrations.length}`;
      return fail({ ...faultAt("store_too_new", place, reason), code: "store_too_new" });
    }
    for (const sql of migrations.slice(from)) await client.query(sql);
    if (rows.length === 0) await client.query("INSERT INTO everlong.schema_version VALUES ($1)", [migrations.length]);
    else await client.query("UPDATE everlong.schema_version SET version = $1", [migrations.length]);
    await client.query("COMMIT");
    return ok({ from, to: migrations.length });
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined); // the connection may be what failed
    throw error;
  }
}
