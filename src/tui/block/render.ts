// One block as lines of a terminal, none wider than it is. Pure: the same block, width and look give the same lines.
import type { TranscriptBlock } from "../../runtime/client/transcript.ts";
import { type SpanLine, span, textLines } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { paintAll } from "../theme/paint.ts";
import { shellCard, toolCard } from "../view/tool-card.ts";
import { compactionLines } from "./compaction.ts";
import { hanging, headLines, INDENT, indented } from "./layout.ts";
import { lineBlock } from "./line.ts";
import { permissionLines } from "./permission.ts";
import { answerLines, reasoningLines, userLines } from "./words.ts";

/** From 40 columns up; narrower is not drawn at all. */
export const renderBlock = (block: TranscriptBlock, width: number, look: Look): string[] =>
  paintAll(blockLines(block, width, look), look);

export function blockLines(block: TranscriptBlock, width: number, look: Look): SpanLine[] {
  switch (block.kind) {
    case "user":
      return userLines(block, width, look);
    case "assistant":
      return answerLines(block, width, look);
    case "reasoning":
      return reasoningLines(block, width, look);
    case "tool":
      return toolCard(block, width, look);
    case "shell":
      return shellCard(block, width, look);
    case "compaction":
      return compactionLines(block, width, look);
    case "permission":
      return permissionLines(block, width, look);
    case "event": {
      const head = { glyph: "event", word: `event ${block.type}`, role: "dim" } as const;
      if (!look.isWhole)
        return headLines(head, [span(look.isPlain ? "data not shown" : "data folded (ctrl+o)", "fold")], width, look);
      const data = textLines(JSON.stringify(block.data, undefined, 2) ?? "", "dim");
      return [
        ...headLines(head, [], width, look),
        ...data.flatMap((line) => hanging([line], width - INDENT).map((one) => indented(one))),
      ];
    }
    default:
      return lineBlock(block, width, look);
  }
}

/** Lines of space above a block: talk and cards stand apart, quiet entries stand together. */
export function spaceAbove(before: TranscriptBlock | undefined, block: TranscriptBlock): 0 | 1 {
  return before === undefined || (isQuiet(before) && isQuiet(block)) ? 0 : 1;
}

const LOUD: ReadonlySet<TranscriptBlock["kind"]> = new Set(["user", "assistant", "tool", "shell", "compaction"]);
const isQuiet = (block: TranscriptBlock): boolean => !LOUD.has(block.kind);
