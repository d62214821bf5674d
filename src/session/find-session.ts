// Which session is meant: an id, the beginning of one, or an exact name. The text is only ever looked up, never a path.
import { readdirSync } from "node:fs";
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { clip, nearNames } from "../base/text.ts";
import { importedFrom } from "../schema/imported.ts";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MIN_PREFIX = 4;

export type NamedSession = { id: string; name: string };

/** Ids of the folders under sessions/; anything that is not one of our ids is no session. */
export function sessionIds(sessionsDir: string): string[] {
  try {
    return readdirSync(sessionsDir).filter((name) => ID.test(name) || importedFrom(name) !== undefined);
  } catch {
    return []; // no folder yet: no session
  }
}

/** `names` is asked only when the text is neither an id nor the beginning of one. */
export async function findSession(
  wanted: string,
  ids: readonly string[],
  names: () => Promise<readonly NamedSession[]>,
): Promise<Result<string, Failure>> {
  const shown = clip(wanted.replace(/[\u0000-\u001f]/g, "?"), 60);
  if (wanted === "" || wanted.length > 200 || /[\u0000-\u001f/\\]/.test(wanted)) {
    return fail({
      code: "bad_session_id",
      what: `"${shown}" is not the id or name of a session.`,
      data: "Nothing was changed.",
      next: "everlong sessions lists them.",
      exit: 2,
    });
  }
  const lower = wanted.toLowerCase();
  // The ids of other clients may have capitals.
  const exact = ids.filter((id) => id === wanted || id === lower);
  const byPrefix = lower.length >= MIN_PREFIX ? ids.filter((id) => id.toLowerCase().startsWith(lower)) : [];
  const named =
    exact.length > 0 || byPrefix.length === 1 ? [] : (await names()).filter((s) => s.name === wanted).map((s) => s.id);
  const matches = exact.length > 0 ? exact : [...new Set([...byPrefix, ...named])];
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return ok(only);
  if (matches.length > 1) {
    return fail({
      code: "ambiguous_session",
      what: `"${shown}" fits ${matches.length} sessions: ${matches.slice(0, 10).join(", ")}.`,
      data: "Nothing was changed.",
      next: "Give more of the id.",
      exit: 2,
    });
  }
  const near = [
    ...nearIds(lower, ids),
    ...nearNames(
      wanted,
      (await names()).flatMap(({ name }) => (name === "" ? [] : [name])),
    ),
  ];
  return fail({
    code: "session_not_found",
    what: `Session not found: ${shown}.`,
    data: "Nothing was changed.",
    next:
      near.length > 0
        ? `Did you mean ${near.slice(0, 3).join(" or ")}? List them all with: everlong sessions --all`
        : "List them with: everlong sessions --all",
    exit: 1,
  });
}

/** Ids that begin almost like the text: one with a mistyped character, or with the same first two. */
function nearIds(text: string, ids: readonly string[]): string[] {
  const begins = new Set(nearNames(text, new Set(ids.map((id) => id.slice(0, text.length))), 3, 2));
  const close = ids.filter((id) => begins.has(id.slice(0, text.length)));
  return close.length > 0 ? close : ids.filter((id) => id.startsWith(text.slice(0, 2)));
}
