// A compaction that only its provider can open: the client sends it back as it is, so a hash of it tells whose it is.
import { hash } from "node:crypto";
import type { WireBody } from "../../model/wire/contract.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";

/** One line, keyed as everything that is kept of a content; undefined for what is no closed compaction. */
export function sealOf(wire: WireName, item: unknown, key: string): string | undefined {
  const content = wireOf(wire).history.sealed?.(item);
  return content === undefined ? undefined : `sealed ${hash("sha256", `seal\n${key}\n${content}`)}`;
}

/** The seal of the closed compaction in an answer. */
export function sealIn(wire: WireName, records: readonly WireBody[], key: string): string | undefined {
  const items = wireOf(wire).answer.items?.(records) ?? [];
  return items.map((item) => sealOf(wire, item, key)).findLast((seal) => seal !== undefined);
}
