// Tokens of a team: shown once, kept as a hash in their tenant's rows, ended by a mark.
import { hash, randomBytes } from "node:crypto";
import { newId } from "../../base/id.ts";
import { allRows, execute, oneRow, type SqlRow, type Unit } from "../../store/unit.ts";
import { type Member, personOf, type TokenScope, tokenScopes } from "./member.ts";

/** The tenant stands in it: where its hash is looked for must be known before anything else is. */
const FORM = /^evl\.([a-z0-9][a-z0-9_-]{0,62})\.[\w-]{43}$/;

/** Told by its form alone: also one that is revoked goes to nobody else. */
export const isTeamToken = (text: string): boolean => FORM.test(text);
export const tenantOfToken = (text: string): string | undefined => FORM.exec(text)?.[1];

export type TokenGrant = {
  name: string;
  tenant: string;
  user: string;
  scopes: readonly TokenScope[];
  repositories: readonly string[];
  expires: string | null;
};
export type TokenView = TokenGrant & {
  id: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
};

const digest = (token: string): string => hash("sha256", token);

type NewToken = { id: string; token: string };

/** Before the transaction: a repetition of it adds the same one. */
export const newToken = (tenant: string): NewToken => ({
  id: newId(),
  token: `evl.${tenant}.${randomBytes(32).toString("base64url")}`,
});

/** False: a token that still works has the name. */
export function* addToken({ id, token }: NewToken, grant: TokenGrant, now: string): Unit<boolean> {
  const same = yield* oneRow("SELECT id FROM tokens WHERE name = ? AND revoked_at IS NULL AND id <> ?", grant.name, id);
  if (same) return false;
  yield* addTenant(grant.tenant, now);
  yield* execute(
    `INSERT INTO tokens (id, name, hash, "user", scopes, repositories, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ...[id, grant.name, digest(token), grant.user, JSON.stringify(grant.scopes), JSON.stringify(grant.repositories)],
    ...[now, grant.expires],
  );
  return true;
}

/** Whoever has rows is listed. */
export function* addTenant(name: string, now: string): Unit<void> {
  yield* execute("INSERT INTO tenants (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", name, now);
}

export function* listTokens(tenant: string): Unit<TokenView[]> {
  return (yield* allRows("SELECT * FROM tokens ORDER BY created_at, id")).map((row) => viewOf(tenant, row));
}

/** By name or id; gives those that it ended. */
export function* revokeToken(named: string, now: string): Unit<string[]> {
  const rows = yield* allRows(
    "UPDATE tokens SET revoked_at = ? WHERE revoked_at IS NULL AND (id = ? OR name = ?) RETURNING id",
    ...[now, named, named],
  );
  return rows.map((row) => String(row["id"]));
}

export function* listTenants(): Unit<string[]> {
  return (yield* allRows("SELECT name FROM tenants ORDER BY name")).map((row) => String(row["name"]));
}

/** Whose token it is, as long as it works. `shares`: the team lets its members find each other's sessions. */
export function* memberOf(tenant: string, token: string, now: string, shares = false): Unit<Member | undefined> {
  const row = yield* oneRow(
    "SELECT * FROM tokens WHERE hash = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
    ...[digest(token), now],
  );
  if (!row) return undefined;
  const { id, name, user, scopes, repositories } = viewOf(tenant, row);
  const member = { tenant, user, token: { id, name }, scopes, repositories };
  return shares ? { ...member, sharing: { refused: yield* refusing(tenant) } } : member;
}

/** Those whose sessions nobody else finds. */
function* refusing(tenant: string): Unit<string[]> {
  const rows = yield* allRows('SELECT "user" FROM member_choice WHERE shares_sessions = 0');
  return rows.map((row) => personOf({ tenant, user: String(row["user"]) }));
}

export function* sharesSessions(user: string): Unit<boolean> {
  const row = yield* oneRow('SELECT shares_sessions FROM member_choice WHERE "user" = ?', user);
  return row?.["shares_sessions"] !== 0;
}

export function* chooseSharing(user: string, shares: boolean, now: string): Unit<void> {
  yield* execute(
    `INSERT INTO member_choice ("user", shares_sessions, at) VALUES (?, ?, ?)
     ON CONFLICT ("user") DO UPDATE SET shares_sessions = excluded.shares_sessions, at = excluded.at`,
    ...[user, shares ? 1 : 0, now],
  );
}

export function* noteUse(ids: readonly string[], now: string): Unit<void> {
  for (const id of ids) yield* execute("UPDATE tokens SET last_used_at = ? WHERE id = ?", now, id);
}

function viewOf(tenant: string, row: SqlRow): TokenView {
  const text = (name: string): string => String(row[name]);
  const maybe = (name: string): string | null => (row[name] === null ? null : text(name));
  const list = (name: string): string[] => JSON.parse(text(name)) as string[];
  return {
    ...{ id: text("id"), name: text("name"), tenant, user: text("user") },
    scopes: tokenScopes.filter((scope) => list("scopes").includes(scope)),
    ...{ repositories: list("repositories"), expires: maybe("expires_at"), createdAt: text("created_at") },
    ...{ lastUsedAt: maybe("last_used_at"), revokedAt: maybe("revoked_at") },
  };
}
