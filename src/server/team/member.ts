// Who calls a team's node: a member of a tenant, by a token; and what that token lets them do.
import { optional } from "../../base/optional.ts";
import type { MemberReach } from "../../memory/record/reach.ts";

export const tokenScopes = ["read", "write", "approve", "admin"] as const;
export type TokenScope = (typeof tokenScopes)[number];

export type Member = MemberReach & {
  tenant: string;
  token: { id: string; name: string };
  scopes: readonly TokenScope[];
};

/** What is known of the token of a team that was presented. `unasked`: the database could not be asked whose it is. */
export type TeamCaller = { member: Member | undefined; unasked: boolean };

/** The holder of the node's own token: whoever runs the node has the database in hand anyway. */
export const LOCAL_MEMBER: Member = {
  tenant: "local",
  user: "local",
  token: { id: "local", name: "local" },
  scopes: tokenScopes,
  repositories: [],
};

/** Names of tenants and users: they stand in tokens, logs and commands. */
export const isTeamName = (text: string): boolean => /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text);

/** One person of one tenant, for what is keyed by identity. */
export const personOf = ({ tenant, user }: Pick<Member, "tenant" | "user">): string => `${tenant}/${user}`;

/** What of their tenant's memory they see. */
export const reachOf = ({ user, repositories, sharing }: Member): MemberReach => ({
  user,
  repositories,
  ...optional("sharing", sharing),
});

/** What a request without a body may do by its method. */
export const scopeOf = (method: string | undefined): TokenScope =>
  method === "GET" || method === "HEAD" ? "read" : "write";

export const mayDo = ({ scopes }: Member, scope: TokenScope): boolean => scopes.includes(scope);

/** A tenant or a user that is named, and is another. */
export const isOther = (member: Member, { tenant, user }: { tenant?: unknown; user?: unknown }): boolean =>
  (tenant !== undefined && tenant !== member.tenant) || (user !== undefined && user !== member.user);
