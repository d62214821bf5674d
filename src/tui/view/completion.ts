// The list of completions over the editor: the chosen one is marked, long lists scroll and are counted.
import type { CompletionState } from "../completion/completion.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { fitLine } from "./line.ts";

const LABEL_COLUMNS = 22;

/** At most `rows` lines. */
export function renderCompletion(
  state: CompletionState | undefined,
  width: number,
  look: Look,
  rows: number,
): string[] {
  if (!state || state.rows.length === 0 || rows < 2) return [];
  const room = rows - 1;
  const top = Math.max(0, Math.min(state.at - Math.floor(room / 2), state.rows.length - room));
  const lines = state.rows.slice(top, top + room).map(({ label, detail }, i) => {
    const isChosen = top + i === state.at;
    const name = detail === "" ? label : `${label.padEnd(LABEL_COLUMNS)} `;
    return fitLine(
      [span(isChosen ? "> " : "  ", "accent"), span(name, isChosen ? "accent" : undefined), span(detail, "dim")],
      width,
      look,
    );
  });
  const count = span(`  ${state.at + 1}/${state.rows.length}`, "dim");
  return [...lines, ...(state.rows.length > room ? [fitLine([count], width, look)] : [])];
}
