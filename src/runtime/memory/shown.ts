// Which records stand in the memories section, and whether they still are what it shows.
import { recalledLine } from "../../context/fragment/recalled.ts";
import type { MemoryRecord, Place, Strategy } from "../../memory/record/contract.ts";
import type { ShownLine } from "../../memory/record/section.ts";

/** A record that was changed since is not the one that the line shows. */
export const isShown = ({ id, fact }: MemoryRecord, line: ShownLine): boolean =>
  (line.id === undefined || line.id === id) && line.text.includes(recalledLine(fact));

/** Something in them was deleted, changed or taken back since. */
export async function hasGone(
  lines: readonly ShownLine[],
  { strategy, place, signal }: { strategy: Strategy; place: Place; signal: AbortSignal },
): Promise<boolean> {
  const gone = await Promise.all(
    lines.map(async (line) => {
      if (line.id === undefined) return false;
      const got = await strategy.get(line.id, { place }, signal);
      if (got.type === "not_found") return true;
      return got.type === "got" && !(got.record.status.type === "active" && isShown(got.record, line));
    }),
  );
  return gone.includes(true);
}
