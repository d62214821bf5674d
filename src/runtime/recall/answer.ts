// One question, whoever asks it: a ref gives the exact words, an id its item, everything else is searched.
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { itemById, type Original } from "../../memory/recall/list.ts";
import type { Within } from "../../memory/recall/store/scope.ts";
import type { Database } from "../../store/sqlite.ts";
import type { RecallFilters } from "../client/recall.ts";
import { latestIn } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { type OriginalOutcome, turnRef, turnsAround } from "./original.ts";
import type { MatchPage, RecallQuery } from "./query.ts";
import { badQuestion, nothingOfKind, queryOf, recallOff, type Where, whereOf } from "./question.ts";
import { allowedKinds } from "./scope.ts";
import { type Aimed, type AnySession, aimedAt, namedSession, originalsOf, type Sessions } from "./session.ts";
import { withStanding } from "./standing.ts";

/** Where questions are answered: the store is caught up with the logs. */
export type RecallSources = Sessions & {
  workspace: Workspace;
  search(query: RecallQuery): Promise<Result<MatchPage, Failure>>;
};
export type Answer =
  | { type: "originals"; session: string; items: OriginalOutcome[] }
  | { type: "item"; item: Original }
  | ({ type: "found"; found: MatchPage } & Where);

export async function answer(
  sources: RecallSources,
  text: string,
  ask: RecallFilters,
): Promise<Result<Answer, Failure>> {
  const { db, workspace } = sources;
  const query = queryOf(text, ask);
  if (!query.ok) return query;
  const aimed = await aimedAt(sources, ask.around === undefined ? text : turnRef(ask.around));
  if (!aimed.ok) return aimed;
  if (ask.around !== undefined && (!aimed.value || "checkpoint" in aimed.value.wanted))
    return badQuestion(`"${ask.around}" is not a turn such as t12.`, "Name a turn: --around t12.");
  const named = aimed.value?.session ? ok(aimed.value.session) : await sessionOf(sources, ask.session);
  if (!named.ok) return named;
  if (aimed.value) return originals(sources, aimed.value, named.value, ask);
  const { values } = workspace.settings;
  if (!values["recall.enabled"]) return recallOff;
  const where = whereOf(ask, workspace, named.value?.id);
  if (!where.ok) return where;
  const { within } = where.value;
  const kinds = allowedKinds(workspace, query.value.kinds);
  const item = itemById(db, within, text.trim(), kinds);
  if (item) return ok({ type: "item", item });
  if (kinds.length === 0) return nothingOfKind;
  const results = await sources.search({ limit: values["recall.limit"], ...query.value, within, kinds });
  if (!results.ok) return results;
  const page = withStanding(db, workspace, results.value, { session: named.value?.id, kinds: query.value.kinds });
  return ok({ type: "found", ...where.value, found: ask.full ? whole(page, db, within) : page });
}

async function sessionOf(
  sources: RecallSources,
  name: string | undefined,
): Promise<Result<AnySession | undefined, Failure>> {
  return name === undefined ? ok(undefined) : namedSession(sources, name);
}

async function originals(
  sources: RecallSources,
  { wanted }: Aimed,
  session: AnySession | undefined,
  { around, window }: RecallFilters,
): Promise<Result<Answer, Failure>> {
  const latest = session ? undefined : latestIn(sources.db, sources.workspace.root);
  const of = session ?? (latest === undefined ? undefined : ({ type: "own", id: latest } as const));
  if (!of) return fail(noSession);
  const items = await originalsOf(sources, of, around === undefined ? wanted : turnsAround(wanted, window));
  return items.ok ? ok({ type: "originals", session: of.id, items: items.value }) : items;
}

/** Items with all of their text instead of snippets. */
const whole = (page: MatchPage, db: Database, within: Within): MatchPage => ({
  ...page,
  hits: page.hits.map((hit) => {
    const text = itemById(db, within, hit.id)?.text ?? "";
    return { ...hit, snippets: [{ text, start: 0, end: text.length, hits: [] }] };
  }),
});

const noSession: Failure = refusal("session_not_found", "No sessions in this folder yet.", "Name one: --session ID.");
