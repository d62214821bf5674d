// What Everlong serves to other programs over MCP, within the client's repository: memories, the board, recall and sessions.

import { within } from "../../base/abort.ts";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { gitContext } from "../../host/git.ts";
import {
  recallServed,
  type SearchInput,
  type ServeContext,
  type ServedTool,
  searchSessionsServed,
} from "../../mcp/serve/tool.ts";
import { type Kind, SAID } from "../../memory/recall/item.ts";
import { itemById } from "../../memory/recall/list.ts";
import type { Within } from "../../memory/recall/store/scope.ts";
import type { SessionContext } from "../../schema/session.ts";
import { findSession } from "../../session/find-session.ts";
import { isBoardOn } from "../board/board.ts";
import type { HomeServices, OpenHomeServices } from "../gateway/home-services.ts";
import { withElsewhere } from "../recall/elsewhere.ts";
import { labelOf, matchText, snippetText } from "../recall/match-text.ts";
import { CATCH_UP_MS, shared, soft } from "../recall/operations.ts";
import { itemsOf, itemsText, parseWanted, type Wanted } from "../recall/original.ts";
import { ask, type MatchPage, type RecallHit } from "../recall/query.ts";
import { OWN, recallKinds, recallPlace, scopesOf, sessionsHere } from "../recall/scope.ts";
import { searchedText } from "../recall/searched.ts";
import { withStanding } from "../recall/standing.ts";
import { catchUp, latestIn, sessionsIn } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { boardServed, memoryServed, workspaceOf } from "./memory.ts";

type Answer = Promise<Result<string, string>>;

/** A feature that is off has no tools; those that write are left out when `readOnly`. */
export function servedTools(workspace: Workspace, open: OpenHomeServices, { readOnly = false } = {}): ServedTool[] {
  const { values } = workspace.settings;
  if (!values["memory.enabled"]) return [];
  const answerIn = answererOf(workspace, open);
  const recalls = [
    recallServed((input, context) => answerIn(context, (place) => recall(place, input, context.signal))),
    searchSessionsServed((input, context) =>
      answerIn(context, (place) => searchSessions(place, input, context.signal)),
    ),
  ];
  return [
    ...(values["recall.enabled"] ? recalls : []),
    ...(readOnly ? [] : memoryServed(workspace, open)),
    ...(isBoardOn(workspace) ? boardServed(workspace, open) : []),
  ];
}

/** Where one question is answered: nothing outside of it can be asked for. */
type Place = {
  workspace: Workspace;
  services: HomeServices;
  context: SessionContext | undefined;
  scope: Within;
  /** By the settings of the client's folder. */
  kinds: readonly Kind[];
};

function answererOf(workspace: Workspace, open: OpenHomeServices) {
  const readLogs = new WeakMap<HomeServices, ReturnType<typeof shared<void>>>();
  return async ({ folder, signal }: ServeContext, work: (place: Place) => Promise<Result<string, Failure>>): Answer => {
    const services = await open();
    if (!services.ok) return fail(services.error.what);
    const { db } = services.value;
    const read =
      readLogs.get(services.value) ??
      shared(() => soft(catchUp(db, workspace.paths, workspace.indexing, () => undefined)));
    readLogs.set(services.value, read);
    await within(read(), CATCH_UP_MS, signal);
    const stood = await workspaceOf(workspace, folder);
    if (!stood.ok) return stood;
    if (!stood.value.settings.values["memory.enabled"])
      return fail("memory_off: the settings of this folder switch memory off (memory.enabled).");
    const context = folder === undefined ? undefined : gitContext(folder);
    const scopes = context ? scopesOf("auto", recallPlace(stood.value, context)) : ok([OWN]);
    if (!scopes.ok) return fail(scopes.error);
    const scope = { scopes: scopes.value, everyone: true };
    const reply = await soft(
      work({ workspace: stood.value, services: services.value, context, scope, kinds: recallKinds(stood.value) }),
    );
    return reply.ok ? reply : fail([reply.error.what, reply.error.next].filter(Boolean).join(" "));
  };
}

async function recall(
  place: Place,
  { query, limit }: SearchInput,
  signal: AbortSignal,
): Promise<Result<string, Failure>> {
  const wanted = parseWanted(query);
  if (wanted) return original(place, wanted);
  const { services, scope, kinds } = place;
  const item = itemById(services.db, scope, query.trim(), kinds);
  if (item) return ok(item.text);
  const question = { text: query, within: scope, limit, kinds };
  const answer = await ask(services.recall, question, signal);
  const folder = place.context?.cwd;
  const match =
    folder === undefined
      ? answer
      : await withElsewhere(answer, { workspace: place.workspace, folder }, question, signal);
  if (!match.ok) return match;
  const page = withStanding(services.db, place.workspace, match.value);
  return ok(matchText(readable(place, page), { searched: searchedText(scope), reader: "model" }));
}

/** Only sessions of the place are looked through: one of another repository is as unknown as one that never was. */
async function original({ workspace, services, context }: Place, wanted: Wanted): Promise<Result<string, Failure>> {
  const { db } = services;
  const here = context ? sessionsIn(db, sessionsHere(context)) : [];
  const latest = context && latestIn(db, context.gitRoot ?? context.cwd);
  const name = wanted.session ?? latest;
  if (name === undefined) return fail(noSession);
  const ids = here.map(({ id }) => id);
  const session = await findSession(name, ids, async () => here);
  if (!session.ok) return session;
  const items = await itemsOf(workspace.paths, session.value, wanted);
  return items.ok ? ok(workspace.redact(itemsText(items.value))) : items;
}

const noSession: Failure = {
  code: "session_not_found",
  what: "session_not_found: there is no session here that this ref could mean.",
  next: "Search for words; results have refs with their session.",
  exit: 1,
};

/** A ref that can be asked for again: of our own sessions `SESSION:tN.k`, of others the item's id. */
function readable({ services, context }: Place, page: MatchPage): MatchPage {
  const own = new Set(context ? sessionsIn(services.db, sessionsHere(context)).map(({ id }) => id) : []);
  const withRef = ({ ref, ...hit }: RecallHit): RecallHit => {
    const { session } = hit.source;
    if (ref === undefined || session === undefined || !own.has(session)) return hit;
    return { ...hit, source: { seq: hit.source.seq }, ref: `${session}:${ref}` };
  };
  return { ...page, hits: page.hits.map(withRef) };
}

/** Hits that one session may have before others are looked for. */
const HITS_EACH = 5;

async function searchSessions(
  { services, scope }: Place,
  { query, limit }: SearchInput,
  signal: AbortSignal,
): Promise<Result<string, Failure>> {
  const wanted = { text: query, within: scope, limit: limit * HITS_EACH, kinds: SAID };
  const results = await ask(services.recall, wanted, signal);
  if (!results.ok) return results;
  const bySession = Map.groupBy(results.value.hits, ({ source }) => source.session);
  const names = new Map(sessionsIn(services.db).map(({ id, name }) => [id, name]));
  const rows = [...bySession].flatMap(([session, hits]) => {
    const [best] = hits;
    if (session === undefined || !best) return [];
    const dates = hits.flatMap(({ time }) => time?.slice(0, 10) ?? []).sort();
    const title = [session, dates.at(-1), names.get(session)].filter(Boolean).join("  ");
    return [`${title}\n  ${labelOf(best)}: ${firstLine(snippetText(best), 200)}`];
  });
  if (rows.length === 0) return ok(`No session was found in ${searchedText(scope)}.`);
  return ok(rows.slice(0, limit).join("\n"));
}
