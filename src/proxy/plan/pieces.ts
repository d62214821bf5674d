// A plan as pieces for the bytes and as rows for the record: what is kept, left out, shortened and put in, in order.
import { optional } from "../../base/optional.ts";
import { isSystem } from "../../context/truncate/cut.ts";
import { wireAdapters } from "../../model/wire/adapters.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { WireName } from "../../schema/model.ts";
import type { HistoryItem, Insertion, LaneCut, Piece, RecordRow } from "../contract.ts";

export type Shape = {
  wire: WireName;
  /** As the client sent them. */
  all: readonly HistoryItem[];
  /** Those that are sent, cut and repaired. */
  kept: readonly ContextItem[];
  cut: LaneCut | undefined;
  insertions: readonly Insertion[];
  refOf: (item: HistoryItem) => string | undefined;
};

export function piecesOf({ wire, all, kept, cut, insertions }: Shape): Piece[] {
  const originals = new Map(all.map((item) => [item.id, item]));
  const put = byAnchor(insertions);
  return kept.flatMap((item): Piece[] => {
    const mine = put.get(item.id) ?? [];
    const texts = (place: Insertion["place"]): string[] => mine.filter((one) => one.place === place).map((o) => o.text);
    const [append, prepend, after] = [texts("append"), texts("before"), mine.filter((one) => one.place === "after")];
    const added = {
      ...optional("append", append.length > 0 ? append : undefined),
      ...optional("prepend", prepend.length > 0 ? prepend : undefined),
    };
    const original = originals.get(item.id);
    const piece: Piece =
      original && original.raw === item.raw
        ? { type: "kept", at: original.at, id: item.id, ...added }
        : { type: "made", json: cut?.shortened[item.id] ?? JSON.stringify(item.raw), id: item.id, ...added };
    return [piece, ...messagesOf(after, item.id, wire)];
  });
}

/** What stands after one item is one message, as long as it is of one role. */
function messagesOf(insertions: readonly Insertion[], anchor: string, wire: WireName): Piece[] {
  const byRole = [undefined, "system" as const].map((role) => insertions.filter((one) => one.role === role));
  return byRole.flatMap((all, index): Piece[] => {
    if (all.length === 0) return [];
    const text = all.map((one) => one.text).join("\n\n");
    const system = all[0]?.role === "system" ? SYSTEM_MESSAGE[wire]?.(text) : undefined;
    const raw = system ?? wireAdapters[wire].userMessage(text);
    return [{ type: "made", json: JSON.stringify(raw), id: `${anchor}/${index}` }];
  });
}

/** The seed's separate entry; the other wires know no such role in a history. */
export const SYSTEM_MESSAGE: Partial<Record<WireName, (text: string) => unknown>> = {
  "openai-chat": (content) => ({ role: "system", content }),
  "openai-responses": (text) => ({ type: "message", role: "developer", content: [{ type: "input_text", text }] }),
};

export function rowsOf({ all, kept, cut, insertions, refOf }: Shape): RecordRow[] {
  const sent = new Map(kept.map((item) => [item.id, item]));
  const put = byAnchor(insertions);
  const known = new Set(all.map(({ id }) => id));
  const madeUp = kept.filter(({ id }) => !known.has(id));
  const rows = all.flatMap((item): RecordRow[] => {
    const asSent = sent.get(item.id);
    const action = !asSent ? "drop" : cut?.shortened[item.id] === undefined ? "keep" : "shorten";
    const { at, role, kind, own } = item;
    const ref = isSystem(item) ? undefined : refOf(item);
    const row = { at, role, kind, tokens: asSent?.tokens ?? item.tokens, action } as const;
    return [{ ...row, ...optional("ref", ref), ...optional("own", own) }, ...(put.get(item.id) ?? []).map(insertedRow)];
  });
  return [
    ...rows,
    ...madeUp.map(({ role, tokens }): RecordRow => ({ role, kind: "repair", tokens, action: "insert" })),
  ];
}

const insertedRow = ({ kind, tokens, role }: Insertion): RecordRow => ({
  role: role ?? "user",
  kind,
  tokens,
  action: "insert",
});

function byAnchor(insertions: readonly Insertion[]): Map<string, Insertion[]> {
  const found = new Map<string, Insertion[]>();
  for (const one of insertions) found.set(one.anchor, [...(found.get(one.anchor) ?? []), one]);
  return found;
}
