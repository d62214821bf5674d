// Where a search looks: its scope, kinds and roles as marks that every match has.
import type { TermFrame, TermGroup } from "../../../store/term-step.ts";
import { KINDS, type Kind } from "../item.ts";
import type { ResolvedScope } from "../store/scope.ts";
import { kindToken, roleToken, scopeToken } from "../text/tokens.ts";
import type { QueryTerm } from "./query.ts";

export type Filter = {
  kinds?: readonly Kind[];
  roles?: readonly string[];
  /** Both are milliseconds; `since` is inside, `before` is not. */
  since?: number;
  before?: number;
};
export function frameOf(scope: ResolvedScope, { kinds, roles }: Filter): TermFrame {
  const and: string[][] = [];
  if (!scope.whole) and.push(scope.ids.map(scopeToken));
  if (roles) and.push(roles.map(roleToken));
  const others = kinds ? KINDS.filter((k) => !kinds.includes(k)) : [];
  // Excluding the few is cheaper than demanding the many.
  const demanded = kinds !== undefined && others.length > kinds.length;
  if (demanded) and.push(kinds.map(kindToken));
  return {
    ...{ realms: scope.realms, and, not: demanded ? [] : others.map(kindToken) },
    ...(scope.whole ? {} : { scopes: scope.ids }),
    ...(kinds ? { left: kinds.map(kindToken) } : {}),
  };
}

export const groupOf = ({ tokens, prefix }: QueryTerm): TermGroup =>
  prefix ? { tokens: [], beginnings: tokens } : { tokens };

/** What holds any of them. */
export const anyOf = (terms: readonly QueryTerm[]): TermGroup => ({
  tokens: terms.flatMap((t) => (t.prefix ? [] : t.tokens)),
  beginnings: terms.flatMap((t) => (t.prefix ? t.tokens : [])),
});
