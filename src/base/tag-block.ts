// Blocks in tags that programs put into texts, taken out again. Linear in the text, however many tags stay open.

export type TagBlock = {
  name: string;
  /** Whether a block of that name is meant; all are by default. */
  isMeant?: (inside: string) => boolean;
};

/** Gives back the very text when it has none of them; what stood around a block is joined by one line end. */
export function blockRemover(blocks: readonly TagBlock[]): (text: string) => string {
  const any = new RegExp(`<(?:${blocks.map(({ name }) => name).join("|")})[\\s>]`);
  return (text) => (any.test(text) ? blocks.reduce(without, text) : text);
}

function without(text: string, { name, isMeant = () => true }: TagBlock): string {
  const [open, close] = [`<${name}`, `</${name}>`];
  const lines: string[] = [];
  let from = 0;
  for (let at = text.indexOf(open); at !== -1; ) {
    let next = at + open.length;
    if (/[\s>]/.test(text.charAt(next))) {
      const inside = text.indexOf(">", next) + 1;
      const end = inside === 0 ? -1 : text.indexOf(close, inside);
      if (end === -1) break;
      next = end + close.length;
      if (isMeant(text.slice(inside, end))) {
        lines.push(text.slice(from, at));
        from = next;
      }
    }
    at = text.indexOf(open, next);
  }
  if (from === 0) return text;
  const [first = "", ...others] = [...lines, text.slice(from)];
  const last = others.length - 1;
  const pieces = [first.trimEnd(), ...others.map((piece, at) => (at === last ? piece.trimStart() : piece.trim()))];
  return pieces.filter((piece) => piece !== "").join("\n");
}
