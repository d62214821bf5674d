// Long texts are indexed in passages that together are the whole text, cut where a reader would cut.

export type Passage = { start: number; text: string };

export const PASSAGE_CHARS = 1600;
const LEAST = 800;
/** What may follow a cut, best first: a paragraph, a line, a sentence, a word. */
const CUTS = [/\n\s*\n/g, /\n/g, /[.!?。！？]["')\]]?\s+|[。！？]/g, /\s+/g];

/** Concatenated, the passages give the text back. */
export function passagesOf(text: string): Passage[] {
  const passages: Passage[] = [];
  let start = 0;
  while (text.length - start > PASSAGE_CHARS) {
    const end = start + cutIn(text.slice(start, start + PASSAGE_CHARS));
    passages.push({ start, text: text.slice(start, end) });
    start = end;
  }
  if (start < text.length) passages.push({ start, text: text.slice(start) });
  return passages;
}

function cutIn(window: string): number {
  for (const pattern of CUTS) {
    let last = 0;
    pattern.lastIndex = LEAST;
    for (let m = pattern.exec(window); m !== null; m = pattern.exec(window)) last = m.index + m[0].length;
    pattern.lastIndex = 0;
    if (last > 0) return last;
  }
  const code = window.charCodeAt(window.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? window.length - 1 : window.length;
}
