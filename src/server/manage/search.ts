// Searching what was stored of proxied sessions; a ref gives the item itself.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { SearchResult } from "../../memory/recall/result.ts";
import type { SearchRequest } from "../../memory/recall/search.ts";
import { itemByRef, listSessions } from "../../proxy/store/list.ts";
import type { ProxySession } from "../../proxy/store/session.ts";
import type { ProxyOperations, SearchAsk, SearchItem, SearchView } from "./contract.ts";
import type { ManageParts } from "./parts.ts";
import { sessionNamed } from "./session-named.ts";

const LIMIT_MS = 5000;
/** Items are seen by their own identity only, so each is asked for; the latest first. */
const MOST_IDENTITIES = 16;

type Within = SearchRequest["within"];

export function searchOperation(parts: ManageParts): ProxyOperations["search"] {
  const { recall } = parts;
  return async (ask) => {
    const session = ask.session === undefined ? ok(undefined) : await sessionNamed(parts, ask.session);
    if (!session.ok) return session;
    if (/^(.+:)?t\d+\.\d+$/.test(ask.query.trim())) return byRef(parts, ask.query.trim(), session.value);
    const places = await withins(parts, ask, session.value);
    if (!places.ok) return places;
    await recall.start(LIMIT_MS);
    const limit = ask.limit ?? 8;
    const views: SearchView[] = [];
    for (const within of places.value) {
      const request = { text: ask.query, within, now: Date.now(), limit, snippetChars: 1200 };
      const answer = await recall.search(request, { timeoutMs: LIMIT_MS });
      if (!answer.ok) return fail(unsearchable(answer.error.message));
      views.push({ ...answer.value, items: answer.value.results.map(itemOf) });
    }
    const items = views.flatMap((f) => f.items).sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
    const more = views.reduce((sum, f) => sum + f.more, 0) + Math.max(0, items.length - limit);
    return ok({ items: items.slice(0, limit), more, partial: views.some((f) => f.partial) });
  };
}

async function byRef(
  { store, owner }: ManageParts,
  ref: string,
  session: ProxySession | undefined,
): ReturnType<ProxyOperations["search"]> {
  const item = await itemByRef(store, ref, { ...optional("session", session), ...optional("owner", owner) });
  if (!item.ok) return item;
  if (!item.value) return fail(unknownRef(ref));
  const { role, time, text, turn, item: number, session: id } = item.value;
  return ok({ items: [{ ref: `${id}:t${turn}.${number}`, role, time, text }], more: 0, partial: false });
}

async function withins(
  { store, owner }: ManageParts,
  { namespace }: SearchAsk,
  session: ProxySession | undefined,
): Promise<Result<Within[], Failure>> {
  if (session) return ok([{ identity: session.identity, scopes: [{ type: "session", session: session.id }] }]);
  const list = await listSessions(store, { limit: 500, ...optional("owner", owner) });
  if (!list.ok) return list;
  const identities = [...new Set(list.value.sessions.map((s) => s.identity))].slice(0, MOST_IDENTITIES);
  const scopeOf = (identity: string): Within["scopes"] =>
    namespace !== undefined
      ? [{ type: "repository", repository: namespace }]
      : list.value.sessions.filter((s) => s.identity === identity).map((s) => ({ type: "session", session: s.id }));
  return ok(identities.map((identity) => ({ identity, scopes: scopeOf(identity) })));
}

const itemOf = ({ ref, role, time, score, parts, snippets, source }: SearchResult): SearchItem => ({
  ref: `${source.session ?? ""}:${ref ?? ""}`,
  role,
  ...optional("time", time),
  text: snippets.map((s) => s.text).join("\n…\n"),
  score,
  parts,
});

const unknownRef = (ref: string): Failure => ({
  code: "no_such_item",
  what: `Nothing is stored under ${ref.slice(0, 120)}.`,
  data: "Nothing was changed.",
  next: "A ref is SESSION:tN.k; without the session, name it with --session.",
  exit: 1,
});

const unsearchable = (reason: string): Failure => ({
  code: "store_unavailable",
  what: `The index cannot be searched now: ${reason}.`,
  data: "What was stored is not affected.",
  next: "Try again.",
  exit: 1,
});
