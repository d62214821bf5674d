// What a compacted session still carries of planted constraints, decisions, edits and failures, by the summary it got.
import { carriage, type Summariser } from "../test/context/compacted-session.ts";

export async function bench(): Promise<void> {
  for (const [limit, turns] of [
    [24_000, 120],
    [64_000, 300],
    [200_000, 600],
  ] as const)
    for (const kind of ["good", "empty", "lying"] satisfies Summariser[]) {
      const [made, bare] = [
        await carriage(kind, { limit, turns }),
        await carriage(kind, { limit, turns, withLedger: false }),
      ];
      const shares = Object.entries(made.share).map(
        ([name, share]) =>
          `${name}s ${share.toFixed(2)} (without ${bare.share[name as keyof typeof bare.share].toFixed(2)})`,
      );
      console.log(
        `window ${limit}, ${made.plants} planted, ${made.compactions} compactions, ${kind} summary: ${shares.join(", ")}; ledger ${((100 * made.ledgerTokens) / made.budget).toFixed(0)} % of its message (target 0.95 of constraints, 0.9 of the rest)`,
      );
    }
}
