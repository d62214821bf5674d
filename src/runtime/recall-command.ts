// `everlong recall`: every question that the engine answers, from the command line.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { KINDS, type Kind } from "../memory/recall/item.ts";
import { itemById } from "../memory/recall/list.ts";
import type { Scope, Within } from "../memory/recall/store/scope.ts";
import type { Database } from "../store/sqlite.ts";
import { openRecall } from "./recall-engine.ts";
import { itemsOf, itemsText, parseWanted, type Wanted } from "./recall-original.ts";
import { ask, foundText, type RecallFound, type RecallQuery } from "./recall-query.ts";
import { EVERYWHERE, SCOPES, type ScopeName, scopesOf } from "./recall-scope.ts";
import { parseTime } from "./recall-time.ts";
import { type Ground, standOnGround } from "./start.ts";
import { latestIn, lookUpSession } from "./store.ts";
import { type Printed, usage, withStore } from "./stored-sessions.ts";

export type RecallFlags = {
  scope?: string;
  all?: boolean;
  session?: string;
  repo?: string;
  branch?: string;
  kind?: string[];
  role?: string[];
  since?: string;
  until?: string;
  before?: string;
  asOf?: string;
  order?: string;
  around?: string;
  window?: number;
  limit?: number;
  cursor?: string;
  full?: boolean;
  explain?: boolean;
  json?: boolean;
  reindex?: string | boolean;
};

const WINDOW = 2;

export async function recallCommand(text: string, flags: RecallFlags): Promise<Printed> {
  if (flags.reindex !== undefined) return reindex(flags.reindex);
  const bounded = [flags.since, flags.until, flags.before, flags.around].some((b) => b !== undefined);
  if (text.trim() === "" && !bounded)
    return usage("There is nothing to look for.", "Give a query, or --since, --until or --around.");
  const query = queryOf(text, flags);
  if (!query.ok) return query;
  const ground = await standOnGround();
  if (!ground.ok) return ground;
  const { paths, indexing } = ground.value;
  const named = parseWanted(flags.around ?? text)?.session ?? flags.session;
  const session = named === undefined ? ok(undefined) : await lookUpSession(named, paths, indexing);
  if (!session.ok) return session;
  return withStore(async (db) => {
    const wanted = wantedOf(text, flags);
    if (wanted) return printOriginals(db, ground.value, wanted, session.value, flags.json);
    if (flags.around !== undefined)
      return usage(`"${flags.around}" is not a turn such as t12.`, "Name a turn: --around t12.");
    const within = withinOf(flags, ground.value, session.value);
    if (!within.ok) return within;
    const item = itemById(db, within.value, text.trim());
    if (item) return ok(flags.json ? { json: item } : item.text);
    const answer = await searchStore(db, ground.value, { ...query.value, within: within.value });
    if (!answer.ok) return answer;
    const found = flags.full ? whole(answer.value, db, within.value) : answer.value;
    const { hits: results, ...rest } = found;
    return ok(
      flags.json ? { json: { results, ...rest } } : foundText(found, searchedText(within.value), flags.explain),
    );
  });
}

/** One question to the store, in a thread that ends with it. */
export async function searchStore(
  db: Database,
  ground: Ground,
  query: Omit<RecallQuery, "limit"> & { limit?: number },
): Promise<Result<RecallFound, Failure>> {
  const { values } = ground.settings;
  if (!values["recall.enabled"]) return usage("Recall is switched off.", "Set recall.enabled to true.");
  const recall = openRecall(ground, db, { mayChoose: false });
  try {
    return await ask(recall, { ...query, limit: query.limit ?? values["recall.limit"] });
  } finally {
    await recall.close();
  }
}

/** Items with all of their text instead of snippets. */
const whole = (found: RecallFound, db: Database, within: Within): RecallFound => ({
  ...found,
  hits: found.hits.map((h) => {
    const text = itemById(db, within, h.id)?.text ?? "";
    return { ...h, snippets: [{ text, start: 0, end: text.length, hits: [] }] };
  }),
});

export const searchedText = ({ scopes }: Within): string => scopes.map(scopeText).join(" and ");

function scopeText(scope: Scope): string {
  switch (scope.type) {
    case "session":
      return `session ${scope.session}`;
    case "repository":
      return `the sessions of ${scope.repository}`;
    case "branch":
      return `the sessions on ${scope.branch} of ${scope.repository}`;
    case "workspace":
      return `the sessions of ${scope.workspace}`;
    case "user":
      return "what belongs to the user";
    case "all":
      return "all sessions";
  }
}

/** A ref, or the turns around one. */
function wantedOf(text: string, { around, window = WINDOW }: RecallFlags): Wanted | undefined {
  if (around === undefined) return parseWanted(text);
  const turn = parseWanted(/^\d+$/.test(around) ? `t${around}` : around);
  if (!turn || "checkpoint" in turn) return undefined;
  const { item: _whole, ...turns } = turn;
  return { ...turns, from: Math.max(1, turns.from - window), to: turns.to + window };
}

async function printOriginals(
  db: Database,
  { paths, root }: Ground,
  wanted: Wanted,
  session: string | undefined,
  json?: boolean,
): Promise<Printed> {
  const id = session ?? latestIn(db, root);
  if (id === undefined)
    return fail({
      code: "session_not_found",
      what: "There is no session in this folder.",
      data: "Nothing was changed.",
      next: "Name one: --session ID.",
      exit: 1,
    });
  const items = await itemsOf(paths, id, wanted);
  if (!items.ok) return items;
  return ok(json ? { json: items.value } : itemsText(items.value));
}

function withinOf(flags: RecallFlags, ground: Ground, session: string | undefined): Result<Within, Failure> {
  const { context, settings } = ground;
  const everywhere = flags.all || (flags.scope === undefined && settings.values["history.scope"] === "all");
  const name =
    flags.scope ??
    (session ? "session" : flags.branch ? "branch" : flags.repo ? "repository" : everywhere ? "all" : "auto");
  if (!(SCOPES as readonly string[]).includes(name))
    return usage(`"${name}" is not a scope.`, `Scopes: ${SCOPES.join(", ")}.`);
  if (name === "all") return ok(EVERYWHERE);
  const scopes = scopesOf(name as ScopeName, {
    ...context,
    ...(flags.repo === undefined ? {} : { repository: flags.repo }),
    ...(flags.branch === undefined ? {} : { branch: flags.branch }),
    ...(session === undefined ? {} : { session }),
  });
  return scopes.ok ? ok({ scopes: scopes.value }) : usage(scopes.error, "Name another --scope.");
}

function queryOf(
  text: string,
  flags: RecallFlags,
): Result<Omit<RecallQuery, "within" | "limit"> & { limit?: number }, Failure> {
  const bad = flags.kind?.find((k) => !(KINDS as readonly string[]).includes(k));
  if (bad !== undefined) return usage(`"${bad}" is not a kind.`, `Kinds: ${KINDS.join(", ")}.`);
  if (flags.order !== undefined && flags.order !== "relevance" && flags.order !== "time")
    return usage(`"${flags.order}" is not an order.`, "Orders: relevance, time.");
  const times = {
    since: parseTime(flags.since, "since"),
    before: parseTime(flags.before, "before") ?? parseTime(flags.until, "until"),
    asOf: parseTime(flags.asOf, "until"),
  };
  for (const [name, time] of Object.entries(times))
    if (time === null) return usage(`--${name} is not a date or time.`, "For example 2025-03-01, 7d or yesterday.");
  return ok({
    ...(text.trim() === "" ? {} : { text }),
    ...(flags.kind ? { kinds: flags.kind as Kind[] } : {}),
    ...(flags.role ? { roles: flags.role } : {}),
    ...(typeof times.since === "number" ? { since: times.since } : {}),
    ...(typeof times.before === "number" ? { before: times.before } : {}),
    ...(typeof times.asOf === "number" ? { asOf: times.asOf } : {}),
    ...(flags.order === "time" || flags.order === "relevance" ? { order: flags.order } : {}),
    ...(flags.limit === undefined ? {} : { limit: Math.min(1000, flags.limit) }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
    ...(flags.explain ? { explain: true } : {}),
  });
}

/** `--reindex`: everything anew from the logs; `--reindex embeddings`: the embedder is chosen and asked anew. */
async function reindex(what: string | boolean): Promise<Printed> {
  if (what === "embeddings") return (await import("./reindex-embeddings.ts")).reindexEmbeddings();
  if (what !== true) return usage(`"${what}" cannot be rebuilt.`, "Use --reindex or --reindex embeddings.");
  return (await import("./stored-sessions.ts")).reindexSessions();
}
