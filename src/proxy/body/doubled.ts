// Items that no upstream of the wire accepts, taken out of a body before anything else is done with it.
import { wireOf } from "../../model/wire/registry.ts";
import type { HistoryPiece, ScannedBody } from "../contract.ts";
import { assemble } from "./assemble.ts";
import { historyIn } from "./message.ts";
import { scanBody } from "./scan.ts";

/** The body without them; the very same when it has none. */
export function withoutDoubled(body: ScannedBody): ScannedBody {
  const raws = historyIn(body);
  const accepted = Array.isArray(raws) ? wireOf(body.wire).history.accepted?.(raws) : undefined;
  if (!Array.isArray(raws) || accepted === undefined || accepted === raws) return body;
  const pieces = accepted.flatMap((raw, at): HistoryPiece[] => {
    const id = String(at);
    if (raw === raws[at]) return [{ type: "kept", at, id }];
    return raw === undefined ? [] : [{ type: "made", json: JSON.stringify(raw), id }];
  });
  const collapsed = scanBody(assemble(body, pieces), body.wire);
  return collapsed.ok ? collapsed.value : body;
}
