// Gemini's API refuses a second response to one call; its client sends some all the same when it resumes a session.
import { isRecord } from "../../base/json.ts";
import { pairGemini } from "../../model/wire/gemini-pairs.ts";
import type { Piece, ScannedBody } from "../contract.ts";
import { assemble } from "./assemble.ts";
import { HISTORY_KEY, scanBody } from "./scan.ts";

/** The body without them; the very same when it has none. A message of which nothing is left is gone. */
export function withoutDoubled(body: ScannedBody): ScannedBody {
  const contents = body.value[HISTORY_KEY.gemini];
  if (body.wire !== "gemini" || !Array.isArray(contents)) return body;
  const { doubled } = pairGemini(contents);
  if (doubled.size === 0) return body;
  const pieces = contents.flatMap((raw: unknown, at): Piece[] => {
    const id = String(at);
    const all: unknown[] = isRecord(raw) && Array.isArray(raw["parts"]) ? raw["parts"] : [];
    const parts = all.filter((part) => !doubled.has(part));
    if (parts.length === all.length) return [{ type: "kept", at, id }];
    return parts.length === 0 ? [] : [{ type: "made", json: JSON.stringify({ ...(raw as object), parts }), id }];
  });
  const collapsed = scanBody(assemble(body, pieces), body.wire);
  return collapsed.ok ? collapsed.value : body;
}
