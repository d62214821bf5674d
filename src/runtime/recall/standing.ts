// What belongs to every answer of a search: the pins that are in force here, and when facts ended that have.
import { activePins, type Pin } from "../../memory/pin/pin.ts";
import { RECALLED_BOUNDS } from "../../memory/recall/recalled-block.ts";
import { readableText } from "../../memory/recall/result.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Database } from "../../store/sqlite.ts";
import { pinOwners } from "../pin/owner.ts";
import type { Workspace } from "../workspace.ts";
import type { MatchPage, RecallHit } from "./query.ts";

type StandingOptions = {
  /** Its own pins are in force, too. */
  session?: string | undefined;
  /** Kinds that were asked for by name. */
  kinds?: readonly string[] | undefined;
};

/** A pin that is in force takes no place among what was found, unless pins were asked for. */
export function withStanding(
  db: Database,
  workspace: Pick<Workspace, "redact" | "context" | "settings">,
  page: MatchPage,
  { session, kinds }: StandingOptions = {},
): MatchPage {
  const isOn = workspace.settings.values["memory.enabled"];
  const pins = isOn ? activePins(db, pinOwners(workspace, session)) : [];
  const inForce = new Set(pins.map(({ id }) => id));
  const hits = kinds?.includes("pin") ? page.hits : page.hits.filter(({ id }) => !inForce.has(id));
  const bounded = withinBounds(pins).map(({ id, text, level }) => ({ id, text, level }));
  return { ...page, hits: saidOnce(hits).map((hit) => withEnd(db, hit)), pinned: bounded };
}

/** One sentence may state several relations; it is shown once, with the others' ids. */
function saidOnce(hits: readonly RecallHit[]): RecallHit[] {
  const bySentence = new Map<string, RecallHit>();
  return hits.flatMap((hit) => {
    const key = hit.kind === "fact" ? `${hit.role} ${hit.time} ${readableText(hit, " ")}` : undefined;
    const first = key === undefined ? undefined : bySentence.get(key);
    if (first) first.also = [...(first.also ?? []), hit.id];
    if (first) return [];
    const own = { ...hit };
    if (key !== undefined) bySentence.set(key, own);
    return [own];
  });
}

function withinBounds(pins: readonly Pin[]): Pin[] {
  const { lines, chars } = RECALLED_BOUNDS.pins;
  let room = chars;
  return pins.slice(0, lines).filter(({ text }) => {
    room -= text.length;
    return room >= 0;
  });
}

function withEnd(db: Database, hit: RecallHit): RecallHit {
  if (hit.kind !== "fact") return hit;
  const end = prepared(db, "SELECT invalid_at FROM graph_fact WHERE uuid = ?").get(hit.id)?.["invalid_at"];
  return typeof end === "string" ? { ...hit, until: end } : hit;
}
