// Matches as FTS5 text: quoted tokens only, with the scope, kinds and roles inside.
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
/** What every match must hold, and must not, besides its terms. */
export type Frame = {
  and: string[];
  not: string[];
  /** The same as `not` by what is left, for a match that demands nothing else. */
  left?: string;
};

export function frameOf(scope: ResolvedScope, { kinds, roles }: Filter): Frame {
  const frame: Frame = { and: [], not: [] };
  if (!scope.whole) frame.and.push(any(scope.ids.map(scopeToken)));
  if (roles) frame.and.push(any(roles.map(roleToken)));
  const others = kinds ? KINDS.filter((k) => !kinds.includes(k)) : [];
  // Excluding the few is cheaper than demanding the many.
  if (kinds && others.length > kinds.length) frame.and.push(any(kinds.map(kindToken)));
  else frame.not.push(...others.map(kindToken));
  return kinds ? { ...frame, left: any(kinds.map(kindToken)) } : frame;
}

/** `parts` are all demanded; undefined when nothing is. */
export function matchOf(parts: readonly string[], frame: Frame): string | undefined {
  const must = [...parts, ...frame.and].join(" AND ");
  if (must === "") return frame.not.length > 0 ? frame.left : undefined;
  return frame.not.length > 0 ? `(${must}) NOT ${any(frame.not)}` : must;
}

export const termMatch = (term: QueryTerm): string =>
  term.prefix ? `${term.tokens.map((t) => `${quote(t)}*`).join(" OR ")}` : any(term.tokens);

const quote = (token: string): string => `"${token.replaceAll('"', '""')}"`;
/** No tokens match nothing: no passage has a token of this mark alone. */
const any = (tokens: readonly string[]): string => `(${(tokens.length > 0 ? tokens : ["!"]).map(quote).join(" OR ")})`;
