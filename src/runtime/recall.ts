// Recall over the index: a query finds text, a ref gives the exact original of anything that was ever said.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { HomePaths } from "../host/paths.ts";
import { type SearchHit, type SearchScope, searchIndex } from "../session/index/search.ts";
import { readSession } from "../session/read-session.ts";
import { parseRef, type Ref, RefCounter, sourceOf } from "../session/ref.ts";
import type { CommandResult } from "./client.ts";
import type { LiveSession } from "./live-session.ts";
import { standOnGround } from "./start.ts";
import { latestIn, lookUpSession, openCaughtUp } from "./store.ts";

export type Found = {
  ref: string;
  sourceType: string;
  text: string;
  timestamp: string;
  rewound?: boolean;
  name?: string;
};

/** The exact items that a ref names, in order. */
export async function itemsOf(paths: HomePaths, sessionId: string, ref: Ref): Promise<Result<Found[], Failure>> {
  const read = await readSession(paths.session(sessionId));
  if (!read.ok) return read;
  const refs = new RefCounter();
  const found: Found[] = [];
  let last = 0;
  for (const event of read.value.events) {
    if (event.agentId !== undefined) continue;
    const source = sourceOf(event);
    if (!source) continue;
    const at = refs.next(event);
    last = Math.max(last, at.turn);
    if (
      at.turn < ref.from ||
      at.turn > ref.to ||
      (ref.item !== undefined && at.item !== ref.item) ||
      source.text === ""
    )
      continue;
    found.push({
      ref: `t${at.turn}.${at.item}`,
      sourceType: source.type,
      text: source.text,
      timestamp: event.timestamp,
    });
  }
  if (found.length > 0) return ok(found);
  return fail({
    code: "no_such_turn",
    what: "There is no such turn in that session.",
    data: "Nothing was changed.",
    next: last > 0 ? `Its turns are t1 to t${last}.` : "It has no turns yet.",
    exit: 1,
  });
}

export function hitsText(hits: readonly SearchHit[], more = 0): string {
  if (hits.length === 0) return "Nothing was found.";
  const rows = hits.map(
    (h) =>
      `session ${h.sessionId} ${h.ref} (${h.sourceType}, ${h.timestamp.slice(0, 10)}${h.rewound ? ", rewound" : ""})\n${h.snippet}`,
  );
  return [...rows, ...(more > 0 ? [`${more} more`] : [])].join("\n\n");
}

export const itemsText = (items: readonly Found[]): string =>
  items.length === 1 ? (items[0]?.text ?? "") : items.map((i) => `[${i.ref} ${i.sourceType}]\n${i.text}`).join("\n\n");

/** /recall and the tool, inside an open session. */
export async function recallIn(live: LiveSession, query: string, limit = 8): Promise<CommandResult> {
  const ref = parseRef(query);
  if (ref) {
    const session = ref.session
      ? await lookUpSession(ref.session, live.ground.paths, live.ground.redact)
      : ok(live.session.id);
    if (!session.ok) return session;
    const items = await itemsOf(live.ground.paths, session.value, ref);
    return items.ok ? ok(itemsText(items.value)) : items;
  }
  const db = await live.index.reader();
  if (!db)
    return fail({
      code: "store_unavailable",
      what: "The search index cannot be opened.",
      data: "The logs have everything.",
      next: "Try again.",
      exit: 1,
    });
  return ok(hitsText(searchIndex(db, query, scopeOf(live), limit)));
}

export function scopeOf(live: LiveSession): SearchScope {
  if (live.ground.settings.values["history.scope"] === "all") return {};
  const { repository, gitRoot, cwd } = live.session.state.context;
  return { ...(repository ? { repository } : {}), gitRoot: gitRoot ?? cwd };
}

type RecallOptions = { session?: string; limit: number; all?: boolean; json?: boolean };

/** `everlong recall`. */
export async function recallCommand(
  query: string,
  options: RecallOptions,
): Promise<Result<string | { json: unknown }, Failure>> {
  const ground = await standOnGround();
  if (!ground.ok) return ground;
  const { paths, redact, context, root } = ground.value;
  const wanted = parseRef(query);
  const named = wanted?.session ?? options.session;
  const session = named === undefined ? ok(undefined) : await lookUpSession(named, paths, redact);
  if (!session.ok) return session;
  const db = await openCaughtUp(paths, redact);
  if (!db.ok) return db;
  try {
    if (wanted) {
      const id = session.value ?? latestIn(db.value, root);
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
      return ok(options.json ? { json: items.value } : itemsText(items.value));
    }
    const everywhere = options.all || ground.value.settings.values["history.scope"] === "all";
    const here: SearchScope = { ...(context.repository ? { repository: context.repository } : {}), gitRoot: root };
    const scope: SearchScope = {
      ...(everywhere || session.value ? {} : here),
      ...(session.value ? { sessionId: session.value } : {}),
    };
    const hits = searchIndex(db.value, query, scope, Math.min(100, options.limit));
    return ok(options.json ? { json: hits } : hitsText(hits));
  } finally {
    db.value.close();
  }
}
