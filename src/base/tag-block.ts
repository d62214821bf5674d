// Blocks in tags that programs put into texts, taken out again. Linear in the text, however many tags stay open.

export type TagBlock = {
  name: string;
  /** Whether a block of that name is meant; all are by default. */
  isMeant?: (inside: string) => boolean;
};

/** The very text when it has none of them; what stood around a block is joined by one line end. */
export function withoutBlocks(text: string, blocks: readonly TagBlock[]): string {
  if (!text.includes("<")) return text;
  let left = text;
  for (const block of blocks) if (left.includes(`<${block.name}`)) left = without(left, block);
  return left;
}

function without(text: string, { name, isMeant = () => true }: TagBlock): string {
  const [open, close] = [`<${name}`, `</${name}>`];
  const kept: string[] = [];
  let from = 0;
  let at = text.indexOf(open);
  while (at !== -1) {
    const inside = text.indexOf(">", at) + 1;
    const end = inside === 0 ? -1 : text.indexOf(close, inside);
    if (end === -1) break;
    const isName = /[\s>]/.test(text.charAt(at + open.length));
    if (isName && isMeant(text.slice(inside, end))) {
      kept.push(text.slice(from, at).trimEnd());
      from = end + close.length;
    }
    at = text.indexOf(open, isName ? end + close.length : at + open.length);
  }
  if (from === 0) return text;
  kept.push(text.slice(from).trimStart());
  return kept.filter((piece) => piece !== "").join("\n");
}
