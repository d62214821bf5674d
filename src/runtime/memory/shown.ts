// Which records stand in the memories section: by the beginning of the id and the words of each line.
import { recalledLine } from "../../context/fragment/recalled.ts";
import type { MemoryRecord, Place, Strategy } from "../../memory/record/contract.ts";

export type ShownLine = { id: string; text: string };

export const shownLines = (section: string): ShownLine[] =>
  [...section.matchAll(/^- \[([0-9A-Z]+)\].*$/gm)].map(([text, id = ""]) => ({ id, text }));

/** Records of one moment begin alike: the words tell which one it is. */
export const isShown = ({ id, fact }: MemoryRecord, line: ShownLine): boolean =>
  id.slice("mem_".length).startsWith(line.id) && line.text.includes(recalledLine(fact));

/** Something in it was deleted, changed or taken back since. */
export async function hasGone(
  section: string,
  { strategy, place, signal }: { strategy: Strategy; place: Place; signal: AbortSignal },
): Promise<boolean> {
  const gone = await Promise.all(
    shownLines(section).map(async (line) => {
      const got = await strategy.get(`mem_${line.id}`, { place }, signal);
      // The beginning of an id may fit a newer record as well by now.
      if (got.type === "not_found") return got.ambiguous === undefined;
      return got.type === "got" && !(got.record.status.type === "active" && isShown(got.record, line));
    }),
  );
  return gone.includes(true);
}
