// What was done to a request, in words.
import type { RequestRow } from "../../../src/schema/api/request.ts";
import { plural } from "../../part/figure.tsx";
import { Mark, type Tone } from "../../part/form.tsx";

/** Everything that happened, the most telling first. */
function deeds(row: RequestRow): readonly (readonly [tone: Tone, text: string])[] {
  const list: [Tone, string][] = [];
  if (row.outcome === "failed") list.push(["red", row.status ? `failed ${row.status}` : "failed"]);
  if (row.outcome === "incomplete") list.push(["amber", "incomplete"]);
  if (row.action === "retry") list.push(["amber", "sent again, smaller"]);
  if (row.trimmed > 0) list.push(["red", `${row.trimmed} trimmed`]);
  if (row.shortened > 0) list.push(["amber", `${row.shortened} shortened`]);
  if (row.injected > 0) list.push(["accent", `${row.injected} injected`]);
  if (row.recalled > 0) list.push(["accent", `${plural(row.recalled, "quote")} recalled`]);
  if (row.recallLost !== undefined) list.push(["amber", "recall lost"]);
  return list;
}

export function ActionMark({ row }: { row: RequestRow }) {
  const list = deeds(row);
  if (list.length === 0)
    return <span class="faint">{row.whyNothing ?? (row.action === "pass" ? "unchanged" : row.action)}</span>;
  return (
    <span class="marks">
      {list.map(([tone, text]) => (
        <Mark key={text} tone={tone}>
          {text}
        </Mark>
      ))}
    </span>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  "high-water": "the history came near the end of the model's window",
  "context-error": "the provider refused it for its size",
  model: "the model was changed",
  rewritten: "the client rewrote its history",
  fold: "the state block was folded",
  compaction: "the client compacted its history",
};

/** Why a lane was cut anew. */
export const reasonOf = (reason: string): string => REASONS[reason] ?? reason.replaceAll(/[-_]/g, " ");
