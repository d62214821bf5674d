// The tokens of one tenant on its database: wishes are read, tokens made, listed and ended.
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { repositoryPattern } from "../../memory/record/reach.ts";
import { isTeamName, type TokenScope, tokenScopes } from "../../server/team/member.ts";
import type { TokenOperations, TokenWish } from "../../server/team/token-operations.ts";
import { addToken, listTokens, newToken, revokeToken, type TokenGrant } from "../../server/team/tokens.ts";
import type { TeamDatabase } from "../../store/postgres/team-database.ts";

const usage = (what: string, next: string) => fail(refusal("usage", what, next, 2));

export const tokensOfTenant = (team: TeamDatabase, tenant: string): TokenOperations => ({
  async issue(wish) {
    const grant = grantOf({ ...wish, tenant });
    if (!grant.ok) return grant;
    const fresh = newToken(tenant);
    const added = await team.store(tenant).write(() => addToken(fresh, grant.value, systemClock.now()));
    if (!added.ok) return added;
    if (!added.value)
      return fail(
        refusal("name_taken", `${tenant} has a token named ${wish.name}.`, "Choose another name, or revoke that one."),
      );
    const { name, user, scopes, repositories, expires } = grant.value;
    return ok({ id: fresh.id, name, token: fresh.token, tenant, user, scopes, repositories, expires });
  },
  async list() {
    const listed = await team.store(tenant).read(() => listTokens(tenant));
    return listed.ok ? ok({ items: listed.value }) : listed;
  },
  async revoke(named) {
    const ended = await team.store(tenant).write(() => revokeToken(named, systemClock.now()), { holds: true });
    if (!ended.ok) return ended;
    if (ended.value.length > 0) return ok({ revoked: ended.value });
    return fail(refusal("no_such_token", `No working token is named ${named}.`, "everlong token list shows them."));
  },
});

function grantOf(wish: TokenWish): Result<TokenGrant, Failure> {
  const { name, tenant, user } = wish;
  for (const [what, text] of Object.entries({ name, tenant, user }))
    if (!isTeamName(text))
      return usage(
        `"${text}" cannot be a ${what}.`,
        "Use up to 63 lowercase letters, digits, - and _, starting with a letter or digit.",
      );
  const odd = wish.scopes.find((scope) => !tokenScopes.includes(scope as TokenScope));
  if (odd !== undefined || wish.scopes.length === 0)
    return usage(`"${odd ?? ""}" is not a scope.`, `Use ${tokenScopes.join(", ")}, separated by commas.`);
  const scopes = tokenScopes.filter((scope) => wish.scopes.includes(scope));
  const repositories: string[] = [];
  for (const text of wish.repositories) {
    const pattern = /^[^\s*]{0,400}\*?$/.test(text) && text !== "" ? repositoryPattern(text) : undefined;
    if (pattern === undefined)
      return usage(`"${text}" is not a repository.`, "Write owner/name, or owner/* for all of an owner.");
    repositories.push(pattern);
  }
  const expires = wish.expires === undefined ? null : expiryOf(wish.expires);
  if (expires === undefined)
    return usage(`"${wish.expires}" is not a time in the future.`, "Write 30d, 12h or 2027-01-31.");
  return ok({ name, tenant, user, scopes, repositories, expires });
}

/** A length from now, or a day or time. Undefined: neither, or past. */
function expiryOf(text: string): string | undefined {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const now = Date.parse(systemClock.now());
  const at = count === undefined ? Date.parse(text) : now + Number(count) * (unit === "h" ? 3_600_000 : 86_400_000);
  return Number.isNaN(at) || at <= now ? undefined : new Date(at).toISOString();
}
