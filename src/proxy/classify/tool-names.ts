// Which tools a request offers, and how alike two offers are.
import { wireOf } from "../../model/wire/registry.ts";
import type { ScannedBody } from "../contract.ts";

type Body = Pick<ScannedBody, "value" | "wire">;

/** The names are sorted, and each comes once. */
export const toolNames = ({ value, wire }: Body): string[] =>
  [...new Set(wireOf(wire).request.toolNames(value))].sort();

/** Tools that the model may call. */
export const offersTools = (body: Body): boolean =>
  toolNames(body).length > 0 && !wireOf(body.wire).request.forbidsTools(body.value);

/** This is Jaccard's measure: what is in both, of all that is in either. */
export function overlap(one: readonly string[], other: readonly string[]): number {
  const names = new Set(one);
  const both = other.filter((name) => names.has(name)).length;
  const all = new Set([...one, ...other]).size;
  return all === 0 ? 1 : both / all;
}
