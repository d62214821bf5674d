// The window's title: what is being done; put back as it was at the end.
import type { FaceStart } from "../../runtime/client.ts";
import type { SessionFacts } from "../state/facts.ts";
import type { TerminalAdapter } from "../terminal/adapter.ts";
import { escapeLine } from "../text/escape.ts";

const PUSH = "\u001b[22;2t";
const POP = "\u001b[23;2t";
const MOST_CHARS = 60;

type TitleWriter = { show(facts: SessionFacts): void; restore(): void };

export function titleWriter(terminal: TerminalAdapter, face: FaceStart): TitleWriter {
  let shown: string | undefined;
  return {
    show({ intent }) {
      if (!face.ui.title) return;
      const words = escapeLine(intent || face.folder).slice(0, MOST_CHARS);
      if (words === shown) return;
      terminal.write(`${shown === undefined ? PUSH : ""}\u001b]2;everlong: ${words}\u0007`);
      shown = words;
    },
    restore() {
      if (shown !== undefined) terminal.write(POP);
    },
  };
}
