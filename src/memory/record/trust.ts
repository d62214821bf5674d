// How far a fact is trusted, by the weakest of its origins, and which stores no blanket approval covers.
import type { FactOrigin, OriginKind, Scope } from "./contract.ts";

export const TRUST: Record<OriginKind, number> = {
  user: 1,
  assistant: 0.9,
  file: 0.8,
  import: 0.8,
  tool: 0.7,
  proxy: 0.7,
  mcp: 0.5,
  web: 0.4,
  memory: 0.9, // of an unknown record; a known one brings its own
};

/** `ofRecord`: the trust of the record that a `memory` origin names. */
export const trustOf = (
  origins: readonly FactOrigin[],
  ofRecord: (ref: string) => number | undefined = () => undefined,
): number =>
  Math.min(
    ...origins.map(
      ({ kind, ref }) => (kind === "memory" && ref !== undefined ? ofRecord(ref) : undefined) ?? TRUST[kind],
    ),
    1,
  );

/** A user-scope fact that the user has not typed; a repository one from outside; anything that looks odd. */
export function mustAsk(scope: Scope, origins: readonly FactOrigin[], warnings: readonly string[]): boolean {
  if (warnings.length > 0) return true;
  if (scope === "user") return origins.length === 0 || origins.some(({ kind }) => kind !== "user");
  return origins.some(({ kind }) => kind === "web" || kind === "mcp");
}
