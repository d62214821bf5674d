// Which session a question means: one of the agent's own, or one of another agent that came through the gateway.
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { HomePaths } from "../../host/paths.ts";
import type { ProxyStore } from "../../proxy/store/handle.ts";
import { findSession as findProxied, itemsOfTurns } from "../../proxy/store/list.ts";
import type { ProxySession } from "../../proxy/store/session.ts";
import { findSession, sessionIds } from "../../session/find-session.ts";
import type { Database } from "../../store/sqlite.ts";
import { sessionsIn } from "../store.ts";
import { itemsOf, noSuchTurn, type OriginalOutcome, parseWanted, type Wanted } from "./original.ts";

export type AnySession = { type: "own"; id: string } | { type: "proxied"; id: string; session: ProxySession };
/** Where sessions are kept. */
export type Sessions = { db: Database; paths: HomePaths; store: ProxyStore };

/** By id, by the beginning of one, or by name; a whole id counts before the beginning of another. */
export async function namedSession({ db, paths, store }: Sessions, name: string): Promise<Result<AnySession, Failure>> {
  const proxied = await findProxied(store, name);
  const proxiedSession = proxied.ok ? proxied.value : undefined;
  if (proxiedSession?.type === "one" && proxiedSession.session.id === name)
    return ok(proxiedOf(proxiedSession.session));
  const own = await findSession(name, sessionIds(paths.sessions), async () => sessionsIn(db));
  if (own.ok) return ok({ type: "own", id: own.value });
  if (proxiedSession?.type === "one" && name !== "") return ok(proxiedOf(proxiedSession.session));
  return own;
}

const proxiedOf = (session: ProxySession): AnySession => ({ type: "proxied", id: session.id, session });

export type Aimed = { wanted: Wanted; session?: AnySession };

/** A ref with the session it names. Undefined: these are words to look for. */
export async function aimedAt(sessions: Sessions, text: string): Promise<Result<Aimed | undefined, Failure>> {
  const wanted = parseWanted(text);
  if (wanted) {
    if (wanted.session === undefined) return ok({ wanted });
    const session = await namedSession(sessions, wanted.session);
    return session.ok ? ok({ wanted, session: session.value }) : session;
  }
  // Other agents name their sessions as they like, so only a name that is known makes a ref of it.
  const [, name, rest] = /^(\S+):(t\d\S*)$/.exec(text.trim()) ?? [];
  const turns = rest === undefined ? undefined : parseWanted(rest);
  if (name === undefined || !turns) return ok(undefined);
  const match = await findProxied(sessions.store, name);
  if (!match.ok) return match;
  if (match.value.type !== "one" || match.value.session.id !== name) return ok(undefined);
  return ok({ wanted: turns, session: proxiedOf(match.value.session) });
}

/** The exact words: of our own sessions from the log, of others as they were stored. */
export async function originalsOf(
  { paths, store }: Sessions,
  session: AnySession,
  wanted: Wanted,
): Promise<Result<OriginalOutcome[], Failure>> {
  if (session.type === "own") return itemsOf(paths, session.id, wanted);
  if ("checkpoint" in wanted) return fail(noSuchTurn("That session has no checkpoints of ours."));
  const items = await itemsOfTurns(store, session.session, wanted);
  if (!items.ok) return items;
  if (items.value.length === 0) return fail(noSuchTurn("Nothing is stored under that ref."));
  return ok(
    items.value.map(({ turn, item, role, text, time }) => ({
      ref: `t${turn}.${item}`,
      sourceType: role,
      text,
      timestamp: time,
    })),
  );
}
