// The bytes that are sent: those received, with another history in the place of the client's.
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { ByteSpan, HistoryPiece, ScannedBody } from "../contract.ts";
import { extended, hasTexts, partsOf } from "./extend.ts";
import { contentOf, historyIn, type ItemBytes, sourceOf } from "./message.ts";

/** A piece with its bytes; `at` is its place in the client's history, if it came from there. */
type Unit = { piece: HistoryPiece; source: ItemBytes; at: number | undefined };

/** The same buffer when the pieces are the history as it came. Throws for pieces that no plan may make. */
export const assemble = (body: ScannedBody, pieces: readonly HistoryPiece[]): Buffer => joined(chunksOf(body, pieces));

/** The bytes in one buffer; the very one when there is only one. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}

/** What is sent, in order; nothing of what was received is copied. */
export function chunksOf(body: ScannedBody, pieces: readonly HistoryPiece[]): readonly Buffer[] {
  if (isUnchanged(body, pieces)) return [body.bytes];
  const { bytes, history, wire } = body;
  const units = pieces.map((piece) => unitOf(body, piece));
  requireOrder(units);
  const chunks = [bytes.subarray(0, history.start)];
  if (typeof historyIn(body) === "string") chunks.push(...historyOfText(units, wire));
  else chunks.push(...historyOfList(body, joinUsers(units, wire)));
  chunks.push(bytes.subarray(history.end));
  return chunks;
}

const isUnchanged = ({ items }: ScannedBody, pieces: readonly HistoryPiece[]): boolean =>
  pieces.length === items.length &&
  pieces.every((piece, index) => piece.type === "kept" && piece.at === index && !hasTexts(piece));

const unitOf = (body: ScannedBody, piece: HistoryPiece): Unit =>
  piece.type === "kept"
    ? { piece, source: sourceOf(body, piece.at), at: piece.at }
    : { piece, source: sourceOf(body, piece.json), at: undefined };

function requireOrder(units: readonly Unit[]): void {
  let last = -1;
  for (const { at } of units) {
    if (at === undefined) continue;
    if (at <= last) throw new Error(`Item ${at} was to be sent after item ${last}.`);
    last = at;
  }
}

const COMMA = Buffer.from(",");

/** Between items that were neighbours stands what stood there. */
function historyOfList(body: ScannedBody, groups: readonly (readonly Unit[])[]): Buffer[] {
  const { bytes, history, items, wire } = body;
  const chunks: Buffer[] = [];
  // Most of a history stays in one piece, so neighbours are taken together.
  let run: ByteSpan = { start: history.start, end: items[0]?.start ?? history.end - 1 };
  const endRun = (next: ByteSpan): void => {
    if (run.end > run.start) chunks.push(bytes.subarray(run.start, run.end));
    run = next;
  };
  let previous: Unit | undefined;
  for (const group of groups) {
    const [first] = group;
    const span =
      group.length === 1 && first?.at !== undefined && !hasTexts(first.piece) ? first.source.span : undefined;
    const isNext = previous !== undefined && first !== undefined && wereNeighbours(previous, first);
    if (span && (isNext ? run.end === previous?.source.span.end : run.end === span.start)) run.end = span.end;
    else {
      endRun({ start: 0, end: 0 });
      if (previous) chunks.push(separator(body, previous, first));
      if (span) run = { ...span };
      else chunks.push(...groupBytes(group, wire));
    }
    previous = group.at(-1);
  }
  endRun({ start: items.at(-1)?.end ?? history.end - 1, end: history.end });
  endRun({ start: 0, end: 0 });
  return chunks;
}

function separator({ bytes, items }: ScannedBody, previous: Unit, next: Unit | undefined): Buffer {
  if (!next || !wereNeighbours(previous, next)) return COMMA;
  return bytes.subarray(previous.source.span.end, items[next.at ?? 0]?.start);
}

const wereNeighbours = (first: Unit, second: Unit): boolean => first.at !== undefined && second.at === first.at + 1;

/** A text stays one while it stands alone; beside others it is the message that it stood for. */
function historyOfText(units: readonly Unit[], wire: WireName): Buffer[] {
  const [only] = units;
  if (only?.at !== undefined && units.length === 1) return extended(only.source, only.piece, wire);
  const items = units.map(({ piece, source, at }) => {
    const item = extended(source, piece, wire);
    if (at === undefined) return item;
    return [Buffer.from(wireOf(wire).message.plainText ?? ""), ...item, Buffer.from("}")];
  });
  return [
    Buffer.from("["),
    ...items.flatMap((item, index) => (index === 0 ? item : [COMMA, ...item])),
    Buffer.from("]"),
  ];
}

/** User messages that a cut or an insertion brought together are one group; those that the client sent so stay apart. */
function joinUsers(units: readonly Unit[], wire: WireName): Unit[][] {
  const groups: Unit[][] = [];
  const joins = wireOf(wire).message.joined !== undefined;
  const isUser = ({ source }: Unit): boolean => contentOf(source, wire) !== undefined;
  for (const unit of units) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    if (joins && previous && !wereNeighbours(previous, unit) && isUser(previous) && isUser(unit)) group?.push(unit);
    else groups.push([unit]);
  }
  return groups;
}

function groupBytes(group: readonly Unit[], wire: WireName): Buffer[] {
  const [first, ...others] = group;
  if (!first) return [];
  if (others.length === 0) return extended(first.source, first.piece, wire);
  const parts = group.map(({ source, piece }) => partsOf(source, piece, wire));
  const all = [...parts.flatMap(({ results }) => results), ...parts.flatMap((part) => part.others)];
  const list = all.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  return [Buffer.from(wireOf(wire).message.joined ?? ""), ...list, Buffer.from("]}")];
}
