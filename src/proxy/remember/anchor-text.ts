// The anchor as text: what matters now in its first lines, which are all that a request shows; below it older detail.
import { createHash } from "node:crypto";
import { clip } from "../../base/text.ts";
import { refText } from "../../context/ledger/happening.ts";
import type { LedgerLine, SessionLedger } from "../../context/ledger/ledger.ts";
import { chooseEntries, entriesText, ledgerEntries } from "../../context/ledger/render.ts";
import { clipAtLine } from "../plan/clip.ts";

export type Anchor = {
  version: typeof ANCHOR_VERSION;
  /** The client's own summary: what came before is in it. */
  base?: string;
  /** The first prompt. */
  task?: LedgerLine;
  ledger: SessionLedger;
};
/** Anchors of another make are made anew from what is stored. */
export const ANCHOR_VERSION = 2;

/** The first part has so many characters, and a request shows it whole. */
const NOW_CHARS = 2_350;
const ASKED_CHARS = 430;
const BASE_CHARS = 3000;
/** Below this nothing worth reading fits. */
const LEAST = 200;
const EARLIER = "\n### Earlier\n";
const chars = (text: string): number => text.length;

/** At most `room` characters; the oldest detail goes first. Empty when there is nothing that the request does not say anyway. */
export function anchorText({ task, base, ledger }: Anchor, room: number): string {
  const entries = ledgerEntries(ledger);
  const asks = ledger.asks.filter((ask) => ask.turn !== task?.turn && !isSaid(ask, ledger));
  if (room < LEAST || (entries.length === 0 && asks.length === 0 && base === undefined)) return "";
  const recent = newest(asks, ASKED_CHARS);
  const opening = [
    ...(task ? ["### Task", lineText(task)] : []),
    ...(recent.length > 0 ? ["### Asked since", ...recent.map(lineText)] : []),
  ].join("\n");
  const now = chooseEntries(entries, Math.min(NOW_CHARS, room) - opening.length - 20, chars);
  const first = [opening, entriesText(now, "###")].filter(Boolean).join("\n");
  const summary = base === undefined ? "" : `\n### The client's own summary\n${wholeLines(base, BASE_CHARS)}`;
  const left = room - first.length - summary.length - EARLIER.length;
  const older = newest(
    asks.filter((ask) => !recent.includes(ask)),
    left / 4,
  );
  const questions = older.length === 0 ? "" : ["#### Asked", ...older.map(lineText), ""].join("\n");
  const detail = chooseEntries(
    entries.filter((entry) => !now.includes(entry)),
    left - questions.length - 20,
    chars,
  );
  const earlier = `${questions}${entriesText(detail, "####")}`.trimEnd();
  return wholeLines(`${first}${summary}${earlier === "" ? "" : `${EARLIER}${earlier}`}`.trim(), room);
}

/** A prompt that is no more than a sentence told anyway. */
const isSaid = (ask: LedgerLine, { words }: SessionLedger): boolean =>
  words.some(({ turn, item, text }) => turn === ask.turn && item === ask.item && text.length > 0.8 * ask.text.length);

const lineText = (line: LedgerLine): string => `- [${refText(line)}] ${line.text}`;

/** It takes as many lines from the end as fit, in their order. */
function newest(lines: readonly LedgerLine[], room: number): LedgerLine[] {
  let left = room;
  const start = lines.findLastIndex((line) => {
    left -= lineText(line).length + 1;
    return left < 0;
  });
  return lines.slice(start + 1);
}

function wholeLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf("\n", most);
  return (end === -1 ? clip(text, most) : text.slice(0, end)).replace(/(?:\n#+ [^\n]*)+$/, "");
}

const HEADING = /^## From the conversation \(automatic, ([0-9a-f]{8})\)\n/gm;
const sum = (body: string): string => createHash("sha256").update(body.trim()).digest("hex").slice(0, 8);
const headed = (body: string): string => `## From the conversation (automatic, ${sum(body)})\n${body}\n`;

/** What people wrote in the file; our own part counts as theirs once they changed it. */
export function handWritten(file: string): string {
  const heading = [...file.matchAll(HEADING)].at(-1);
  if (!heading) return file;
  return sum(file.slice(heading.index + heading[0].length)) === heading[1] ? file.slice(0, heading.index) : file;
}

/** The file with our part made anew below what people wrote. */
export function withAnchor(file: string, anchor: Anchor, maxChars: number): string {
  const hand = handWritten(file);
  const gap = hand === "" || hand.endsWith("\n\n") ? "" : hand.endsWith("\n") ? "\n" : "\n\n";
  const body = anchorText(anchor, maxChars - hand.length - gap.length - headed("").length);
  return body === "" ? hand : `${hand}${gap}${headed(body)}`;
}

const CUT = "[cut here: the rest does not fit]";

/** What a request shows of the file: all that people wrote, then the first part of ours, as many whole lines as fit. */
export function shownAnchor(file: string, most: number, quoted: (text: string) => string): string {
  const hand = handWritten(file);
  const own = file.slice(hand.length).replace(HEADING, "## From the conversation\n");
  const shown = clipAtLine(quoted(hand).trim(), most, CUT);
  const end = own.indexOf(EARLIER);
  const room = most - shown.length - 2;
  const ours = wholeLines(quoted(end === -1 ? own : own.slice(0, end)).trim(), Math.max(0, room));
  const isWorthIt = own !== "" && room >= LEAST && ours.includes("\n- ");
  return [shown, isWorthIt ? ours : ""].filter(Boolean).join("\n\n");
}
