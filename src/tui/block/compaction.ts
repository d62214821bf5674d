// A compaction as people see it: what it was for, the sizes before and after, where the summary is.
import type { BlockOf } from "../../runtime/client/transcript.ts";
import { type SpanLine, span, textLines } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { countText, durationText, tokenText } from "./figure.ts";
import { factSpans, hanging, headLines, INDENT, indented } from "./layout.ts";

const HEAD = { glyph: "compaction", role: "accent" } as const;
const UNCHANGED = { glyph: "compaction", role: "warning" } as const;

export function compactionLines(block: BlockOf<"compaction">, width: number, look: Look): SpanLine[] {
  const inner = (line: SpanLine) => hanging(line, width - INDENT, 0).map((one) => indented(one));
  switch (block.state) {
    case "undone": {
      const facts = [
        block.checkpoint === undefined ? undefined : `checkpoint ${block.checkpoint}`,
        `${countText(block.messages, "message")} and ${tokenText(block.tokens)} tokens are back`,
      ];
      return headLines({ ...HEAD, word: "Compaction undone" }, factSpans(facts, look), width, look);
    }
    case "provider": {
      const facts = [
        block.provider,
        block.tokens === undefined ? undefined : `${tokenText(block.tokens)} tokens cleared`,
        block.items === undefined ? undefined : `${countText(block.items, "item")} cleared`,
      ];
      return headLines({ ...HEAD, word: "Compacted by the provider" }, factSpans(facts, look), width, look);
    }
    case "applied": {
      const { before, after, turns, trigger, model, checkpoint, title, durationMs, summary } = block;
      const to = look.glyphs.arrow;
      const name = title ? ` "${title}"` : "";
      const facts = [
        `${tokenText(before.tokens)} ${to} ${tokenText(after.tokens)} tokens`,
        `${before.messages} ${to} ${countText(after.messages, "message")}`,
        turns ? `t${turns.from}-t${turns.to}` : undefined,
        checkpoint === undefined ? undefined : `checkpoint ${checkpoint}${name}`,
        model,
        durationMs === undefined ? undefined : durationText(durationMs),
      ];
      const head = headLines(
        { ...HEAD, word: "Conversation Compacted" },
        [span(triggerText(trigger), "dim")],
        width,
        look,
      );
      const body = look.isWhole && summary ? textLines(summary).flatMap((line) => inner([line])) : [];
      return [...head, ...inner(factSpans(facts, look)), ...body];
    }
    default: {
      const word = block.state === "cancelled" ? "Compaction cancelled" : "Compaction failed";
      const rest = [
        span(`${block.reason}; history unchanged`),
        span("  "),
        ...factSpans([block.trigger, block.model], look),
      ];
      return headLines(
        { ...UNCHANGED, word: block.state === "not_applicable" ? "Not compacted" : word },
        rest,
        width,
        look,
      );
    }
  }
}

const triggerText = (trigger: string): string => trigger.replaceAll("_", " ");
