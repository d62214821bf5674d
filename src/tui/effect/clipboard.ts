// The clipboard of whoever looks at the terminal, over ssh and through tmux too: the terminal is asked to set it.
import type { App } from "../loop/app.ts";

/** Terminals drop longer ones. */
const MOST_BYTES = 74_000;

/** Gives what to say of it. */
export function copyText({ terminal, face }: App, text: string): string {
  const bytes = Buffer.from(text);
  const encoded = bytes.toString("base64");
  if (encoded.length > MOST_BYTES)
    return `The answer is too long for the terminal's clipboard (${bytes.length} bytes). /export md writes it to a file.`;
  const sequence = `\u001b]52;c;${encoded}\u0007`;
  // tmux hands on only what is wrapped, with its escapes doubled.
  terminal.write(
    face.terminal.TMUX === undefined
      ? sequence
      : `\u001bPtmux;${sequence.replaceAll("\u001b", "\u001b\u001b")}\u001b\\`,
  );
  return `Copied ${text.length} characters, if your terminal allows it.`;
}
