// `everlong token`: tokens of a team, on its database or through one of its nodes.
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { IssuedToken, TokenOperations, TokenWish } from "../../server/team/token-operations.ts";
import { listTenants, type TokenView } from "../../server/team/tokens.ts";
import { processEnvironment } from "../../settings/environment.ts";
import type { TeamDatabase } from "../../store/postgres/team-database.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { openWorkspace } from "../workspace.ts";
import { onTeamDatabase } from "./on-database.ts";
import { tokensOfNode } from "./token-node.ts";
import { tokensOfTenant } from "./token-store.ts";

export type { TokenWish } from "../../server/team/token-operations.ts";
export type { TokenView } from "../../server/team/tokens.ts";
export { ownSharing } from "./sharing.ts";

/** Where the tokens are: a database, or a node that has one. */
export type TokenPlace = { database?: string | undefined; node?: string | undefined };

export async function issueToken(wish: TokenWish, place: TokenPlace): Promise<Result<IssuedToken, Failure>> {
  const refused = refuseInToolShell(processEnvironment(), "give out tokens");
  if (refused) return fail(refused);
  return onTokens(
    place,
    (team) => tokensOfTenant(team, wish.tenant).issue(wish),
    (node) => node.issue(wish),
  );
}

export const tokensOf = (tenant: string | undefined, place: TokenPlace): Promise<Result<TokenView[], Failure>> =>
  onTokens(
    place,
    (team) => eachTenant(team, tenant, async (tokens) => itemsOf(await tokens.list())),
    async (node) => itemsOf(await node.list()),
  );

export async function endToken(
  named: string,
  tenant: string | undefined,
  place: TokenPlace,
): Promise<Result<string[], Failure>> {
  const refused = refuseInToolShell(processEnvironment(), "take tokens back");
  if (refused) return fail(refused);
  const idsOf = (ended: Awaited<ReturnType<TokenOperations["revoke"]>>): Result<string[], Failure> => {
    if (ended.ok) return ok(ended.value.revoked);
    return ended.error.code === "no_such_token" ? ok([]) : ended;
  };
  const ended = await onTokens(
    place,
    (team) => eachTenant(team, tenant, async (tokens) => idsOf(await tokens.revoke(named))),
    async (node) => idsOf(await node.revoke(named)),
  );
  if (!ended.ok || ended.value.length > 0) return ended;
  return fail(refusal("no_such_token", `No working token is named ${named}.`, "everlong token list shows them."));
}

const itemsOf = (listed: Awaited<ReturnType<TokenOperations["list"]>>): Result<TokenView[], Failure> =>
  listed.ok ? ok(listed.value.items) : listed;

/** A database that is named comes first; a node is asked where there is none. */
async function onTokens<T>(
  { database, node }: TokenPlace,
  onDatabase: (team: TeamDatabase) => Promise<Result<T, Failure>>,
  onNode: (tokens: TokenOperations) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const workspace = await openWorkspace({ flags: { ...optional("gateway.database", database) } });
  if (!workspace.ok) return workspace;
  const { values } = workspace.value.settings;
  if (node === undefined && values["gateway.database"] !== undefined) return onTeamDatabase(database, onDatabase);
  const url = node ?? values["memory.service.url"];
  if (url === undefined)
    return fail(
      refusal(
        "usage",
        "Tokens belong to a team's database.",
        "Give --database URL or set EVERLONG_DATABASE_URL; or name a node with --node and set EVERLONG_MEMORY_TOKEN to an admin's token.",
        2,
      ),
    );
  const tokens = tokensOfNode(url, values["memory.service.token"]);
  return tokens.ok ? onNode(tokens.value) : tokens;
}

async function eachTenant<T>(
  team: TeamDatabase,
  tenant: string | undefined,
  work: (tokens: TokenOperations) => Promise<Result<T[], Failure>>,
): Promise<Result<T[], Failure>> {
  const names = tenant === undefined ? await team.store("local").read(listTenants) : ok([tenant]);
  if (!names.ok) return names;
  const all: T[] = [];
  for (const name of names.value) {
    const part = await work(tokensOfTenant(team, name));
    if (!part.ok) return part;
    all.push(...part.value);
  }
  return ok(all);
}
