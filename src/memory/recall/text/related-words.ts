// The list of related English words, read once. It is large: whoever needs it loads this file at first use.
import { readFileSync } from "node:fs";
import { remembering } from "../../../base/remember.ts";
import type { RelatedWords } from "./related.ts";
import { groupOf } from "./word-groups.ts";

// The build puts the list beside the part that this file becomes.
const lines = readFileSync(new URL("related-words.txt", import.meta.url), "latin1");
const starts = new Map<string, number>();
for (let start = 0; start < lines.length; start = lines.indexOf("\n", start) + 1)
  starts.set(lines.slice(start, lines.indexOf(" ", start)), start);

/** A line is a stem and the stems that are used like it (`scripts/related-words.mjs`). */
export const relatedWords: RelatedWords = remembering(2_000, (stem) => {
  const start = starts.get(stem);
  const used = start === undefined ? [] : lines.slice(start, lines.indexOf("\n", start)).split(" ").slice(1);
  return [...new Set([...groupOf(stem), ...used])];
});
