// `everlong token`: tokens of a team, on its database.
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { repositoryPattern } from "../../memory/record/reach.ts";
import { isTeamName, type TokenScope, tokenScopes } from "../../server/team/member.ts";
import { addToken, listTenants, listTokens, newToken, revokeToken, type TokenView } from "../../server/team/tokens.ts";
import { openTeamDatabase, type TeamDatabase } from "../../store/postgres/team-database.ts";
import type { Unit } from "../../store/unit.ts";
import { openWorkspace } from "../workspace.ts";

export type { TokenView } from "../../server/team/tokens.ts";
export type TokenWish = {
  name: string;
  tenant: string;
  user: string;
  scopes: readonly string[];
  repositories: readonly string[];
  expires?: string | undefined;
};
export type IssuedToken = {
  id: string;
  name: string;
  token: string;
  tenant: string;
  user: string;
  scopes: readonly string[];
  repositories: readonly string[];
  expires: string | null;
};

const usage = (what: string, next: string) => fail(refusal("usage", what, next, 2));

async function onDatabase<T>(
  url: string | undefined,
  work: (team: TeamDatabase) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const workspace = await openWorkspace({ flags: { ...optional("gateway.database", url) } });
  if (!workspace.ok) return workspace;
  const address = workspace.value.settings.values["gateway.database"];
  if (address === undefined)
    return usage("Tokens belong to a team's database.", "Give --database URL, or set EVERLONG_DATABASE_URL.");
  const team = await openTeamDatabase(address);
  if (!team.ok) return team;
  try {
    return await work(team.value);
  } finally {
    await team.value.close();
  }
}

export async function issueToken(wish: TokenWish, url?: string): Promise<Result<IssuedToken, Failure>> {
  const { name, tenant, user } = wish;
  for (const [what, text] of Object.entries({ name, tenant, user }))
    if (!isTeamName(text))
      return usage(
        `"${text}" cannot be a ${what}.`,
        "Use up to 63 small letters, digits, - and _, a letter or digit first.",
      );
  const odd = wish.scopes.find((scope) => !tokenScopes.includes(scope as TokenScope));
  if (odd !== undefined || wish.scopes.length === 0)
    return usage(`"${odd ?? ""}" is no scope.`, `Use ${tokenScopes.join(", ")}, separated by commas.`);
  const scopes = tokenScopes.filter((scope) => wish.scopes.includes(scope));
  const repositories: string[] = [];
  for (const text of wish.repositories) {
    const pattern = /^[^\s*]{0,400}\*?$/.test(text) && text !== "" ? repositoryPattern(text) : undefined;
    if (pattern === undefined)
      return usage(`"${text}" is no repository.`, "Write owner/name, or owner/* for all of an owner.");
    repositories.push(pattern);
  }
  const expires = wish.expires === undefined ? null : expiryOf(wish.expires);
  if (expires === undefined) return usage(`"${wish.expires}" is no time to come.`, "Write 30d, 12h or 2027-01-31.");
  return onDatabase(url, async (team) => {
    const fresh = newToken(tenant);
    const grant = { name, tenant, user, scopes, repositories, expires };
    const added = await team.store(tenant).write(() => addToken(fresh, grant, systemClock.now()));
    if (!added.ok) return added;
    if (!added.value)
      return fail(
        refusal("name_taken", `${tenant} has a token named ${name}.`, "Choose another name, or revoke that one."),
      );
    return ok({ id: fresh.id, name, token: fresh.token, tenant, user, scopes, repositories, expires });
  });
}

export const tokensOf = (tenant: string | undefined, url?: string): Promise<Result<TokenView[], Failure>> =>
  eachTenant(tenant, url, (name) => listTokens(name));

export async function endToken(
  named: string,
  tenant: string | undefined,
  url?: string,
): Promise<Result<string[], Failure>> {
  const ended = await eachTenant(tenant, url, () => revokeToken(named, systemClock.now()));
  if (!ended.ok || ended.value.length > 0) return ended;
  return fail(refusal("no_such_token", `No working token is named ${named}.`, "everlong token list shows them."));
}

function eachTenant<T>(
  tenant: string | undefined,
  url: string | undefined,
  unit: (tenant: string) => Unit<T[]>,
): Promise<Result<T[], Failure>> {
  return onDatabase(url, async (team) => {
    const names = tenant === undefined ? await team.store("local").read(() => listTenants()) : ok([tenant]);
    if (!names.ok) return names;
    const all: T[] = [];
    for (const name of names.value) {
      const part = await team.store(name).write(() => unit(name), { holds: true });
      if (!part.ok) return part;
      all.push(...part.value);
    }
    return ok(all);
  });
}

/** A length from now, or a day or time. Undefined: neither, or past. */
function expiryOf(text: string): string | undefined {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const now = Date.parse(systemClock.now());
  const at = count === undefined ? Date.parse(text) : now + Number(count) * (unit === "h" ? 3_600_000 : 86_400_000);
  return Number.isNaN(at) || at <= now ? undefined : new Date(at).toISOString();
}
