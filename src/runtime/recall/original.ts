// The exact original of anything that was ever said, by its ref: read from the log, which has every character.
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { HomePaths } from "../../host/paths.ts";
import { readSession } from "../../session/read-session.ts";
import { parseRef, type Ref, RefCounter, refPrefix, sourceOf } from "../../session/ref.ts";

export type OriginalOutcome = { ref: string; sourceType: string; text: string; timestamp: string };
export type Wanted = Ref | { session?: string; checkpoint: number };

const CHECKPOINT = /^(?:([0-9a-f-]{4,36}|imp_[a-z]+_[\w.-]{1,120}):)?checkpoint:(\d{1,6})$/i;

/** `tN`, `tN.k`, `tN-tM`, `checkpoint:N`, each also after `SESSION:`. */
export function parseWanted(text: string): Wanted | undefined {
  const match = CHECKPOINT.exec(text.trim());
  if (!match) return parseRef(text);
  return { ...(match[1] ? { session: match[1] } : {}), checkpoint: Number(match[2]) };
}

/** A turn by its number alone, too. */
export const turnRef = (text: string): string => (/^\d+$/.test(text) ? `t${text}` : text);

/** How many turns on each side are shown of what was around a turn. */
const WINDOW = 2;

/** Whole turns, with those around them. */
export function turnsAround(wanted: Wanted, window = WINDOW): Wanted {
  if ("checkpoint" in wanted) return wanted;
  const { item: _whole, ...turns } = wanted;
  return { ...turns, from: Math.max(1, turns.from - window), to: turns.to + window };
}

/** The items that it names, in order. */
export async function itemsOf(
  paths: HomePaths,
  sessionId: string,
  wanted: Wanted,
): Promise<Result<OriginalOutcome[], Failure>> {
  const read = await readSession(paths.session(sessionId));
  if (!read.ok) return read;
  const agent = "checkpoint" in wanted ? undefined : wanted.agent;
  const refs = new RefCounter();
  const originals: OriginalOutcome[] = [];
  let last = 0;
  for (const event of read.value.events) {
    if (event.agentId !== agent) continue;
    const { timestamp } = event;
    if ("checkpoint" in wanted) {
      if (event.type !== "session.compaction_complete" || event.data.checkpointNumber !== wanted.checkpoint) continue;
      const ref = `checkpoint:${wanted.checkpoint}`;
      originals.push({ ref, sourceType: "checkpoint", text: event.data.summaryContent ?? "", timestamp });
      continue;
    }
    const source = sourceOf(event);
    if (!source) continue;
    const at = refs.next(event);
    last = Math.max(last, at.turn);
    const inside = at.turn >= wanted.from && at.turn <= wanted.to;
    if (!inside || (wanted.item !== undefined && at.item !== wanted.item) || source.text === "") continue;
    originals.push({
      ref: `${refPrefix(agent)}t${at.turn}.${at.item}`,
      sourceType: source.type,
      text: source.text,
      timestamp,
    });
  }
  if (originals.length > 0) return ok(originals);
  if ("checkpoint" in wanted)
    return fail(missing("No such checkpoint in that session.", "everlong checkpoints lists them."));
  const next = last > 0 ? `Its turns are t1 to t${last}.` : "It has no turns yet.";
  return fail(missing("No such turn in that session.", next));
}

export const noSuchTurn = (what: string): Failure => missing(what, "everlong proxy show lists them.");

const missing = (what: string, next: string): Failure => refusal("no_such_turn", what, next);

export const itemsText = (items: readonly OriginalOutcome[]): string =>
  items.length === 1 ? (items[0]?.text ?? "") : items.map((i) => `[${i.ref} ${i.sourceType}]\n${i.text}`).join("\n\n");
