// The two ways into the proxy's rows: reading, and changing in one transaction.
import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import type { RowStore, Unit } from "../../store/unit.ts";
import type { GroupCommit } from "./group-commit.ts";

export type RowAccess = {
  rows: RowStore;
  clock: Clock;
  /** A request must not wait longer than this for other writers; without the store it goes on unchanged. */
  onPathMs: number;
  /** What no request waits for: one transaction at a time, since each that waits for another process blocks a little. */
  laters: GroupCommit;
  /** What requests wait for while their upstreams work. */
  soons: GroupCommit;
  /** Requests that come at the same time share a transaction: right where there is one writer at a time anyway. */
  sharesTransactions: boolean;
};

export function read<T>({ rows, clock, onPathMs }: RowAccess, unit: () => Unit<T>): Promise<Result<T, Fault>> {
  return rows.read(unit, { clock, limitMs: onPathMs });
}

/** The same, with all that has happened so far: what still waits to be written is written first. */
export async function readSettled<T>(access: RowAccess, unit: () => Unit<T>): Promise<Result<T, Fault>> {
  await access.laters.settled();
  return read(access, unit);
}

/**
 * In one transaction, in which the unit locks what it decides by. `soon` shares it with other requests that come at the
 * same time; `later` is for work that no request waits for, and shares it with others; `at-leisure` waits for them.
 */
export function change<T>(
  { rows, clock, onPathMs, laters, soons, sharesTransactions }: RowAccess,
  unit: () => Unit<T>,
  when: "now" | "soon" | "later" | "at-leisure" = "now",
): Promise<Result<T, Fault>> {
  if (when === "soon" && sharesTransactions) return soons.add(unit);
  if (when === "now" || when === "soon") return rows.write(unit, { clock, limitMs: onPathMs, holds: true });
  return laters.add(unit, when === "at-leisure");
}
