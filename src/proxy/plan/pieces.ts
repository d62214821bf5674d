// A plan as pieces for the bytes and as rows for the record: what is kept, left out, shortened and put in, in order.
import { optional } from "../../base/optional.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { WireName } from "../../schema/model.ts";
import type { HistoryItem, HistoryPiece, Insertion, LaneCut, RecordRow } from "../contract.ts";
import { withMarksOf } from "./cache-marks.ts";

type Shape = {
  wire: WireName;
  /** The items as the client sent them. */
  all: readonly HistoryItem[];
  /** Those that are sent, cut and repaired. */
  kept: readonly ContextItem[];
  cut: LaneCut | undefined;
  insertions: readonly Insertion[];
  /** Those of them that the lane has had before. */
  standing: readonly Insertion[];
  refOf: (item: HistoryItem) => string | undefined;
};

export function piecesOf({ wire, all, kept, cut, insertions }: Shape): HistoryPiece[] {
  const originals = new Map(all.map((item) => [item.id, item]));
  const put = byAnchor(insertions);
  const pieces: HistoryPiece[] = [];
  let messages: HistoryPiece[] = [];
  for (const { id, raw } of kept) {
    const original = originals.get(id);
    // Results that were made up for a call stand right after it, before any message of ours.
    if (original) pieces.push(...messages.splice(0));
    const piece: HistoryPiece =
      original && original.raw === raw
        ? { type: "kept", at: original.at, id }
        : { type: "made", json: madeJson(raw, original, cut?.shortened[id]), id };
    const mine = put.get(id);
    pieces.push(mine ? { ...piece, ...textsOf(mine) } : piece);
    if (mine) messages = messagesOf(mine, id, wire);
  }
  return [...pieces, ...messages];
}

const madeJson = (raw: unknown, original: HistoryItem | undefined, shortened: string | undefined): string =>
  shortened === undefined ? JSON.stringify(raw) : withMarksOf(original?.raw, shortened);

/** What goes into the item itself. */
function textsOf(insertions: readonly Insertion[]): Pick<HistoryPiece, "append" | "prepend"> {
  const at = (place: Insertion["place"]): string[] | undefined => {
    const texts = insertions.filter((one) => one.place === place).map(({ text }) => text);
    return texts.length > 0 ? texts : undefined;
  };
  return { ...optional("append", at("append")), ...optional("prepend", at("before")) };
}

/** What stands after it is one message, as long as it is of one role. */
function messagesOf(insertions: readonly Insertion[], anchor: string, wire: WireName): HistoryPiece[] {
  const { history, message } = wireOf(wire);
  const after = insertions.filter(({ place }) => place === "after");
  const byRole = [after.filter(({ role }) => role === undefined), after.filter(({ role }) => role === "system")];
  return byRole.flatMap((all, index): HistoryPiece[] => {
    if (all.length === 0) return [];
    const text = all.map((one) => one.text).join("\n\n");
    const system = all[0]?.role === "system" ? message.systemMessage?.(text) : undefined;
    const raw = system ?? history.userMessage(text);
    return [{ type: "made", json: JSON.stringify(raw), id: `${anchor}/${index}` }];
  });
}

/** Refs are looked up for what is not in view; the own hash names the rest. */
export function rowsOf({ all, kept, cut, insertions, standing, refOf }: Shape): RecordRow[] {
  const sent = new Map(kept.map((item) => [item.id, item]));
  const short = new Set(Object.keys(cut?.shortened ?? {}));
  const put = byAnchor(insertions);
  const rows: RecordRow[] = [];
  for (const item of all) {
    const { id, at, role, kind, own } = item;
    const asSent = sent.get(id);
    const row: RecordRow = { at, role, kind, tokens: asSent?.tokens ?? item.tokens, action: "keep" };
    if (own !== undefined) row.own = own;
    if (!asSent || short.has(id)) {
      row.action = asSent ? "shorten" : "drop";
      Object.assign(row, optional("ref", refOf(item)));
    }
    rows.push(row);
    for (const one of put.get(id) ?? []) {
      const { role = "user", kind, tokens, anchor } = one;
      const text = standing.includes(one) ? undefined : one.text;
      rows.push({ role, kind, tokens, action: "insert", anchor, ...optional("text", text) });
    }
    sent.delete(id);
  }
  for (const { role, tokens } of sent.values()) rows.push({ role, kind: "repair", tokens, action: "insert" });
  return rows;
}

function byAnchor(insertions: readonly Insertion[]): Map<string, Insertion[]> {
  const groups = new Map<string, Insertion[]>();
  for (const one of insertions) groups.set(one.anchor, [...(groups.get(one.anchor) ?? []), one]);
  return groups;
}
