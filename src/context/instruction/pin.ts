// Pinned sections of instruction files: what their author wants to stand, word for word, after every compaction.
const PINNED = /<!--\s*pin\s*-->([\s\S]*?)<!--\s*\/pin\s*-->/g;

/** Sections come in the order of the files; empty when nothing is pinned. */
export const pinnedSections = (files: readonly { text: string }[]): string =>
  files
    .flatMap(({ text }) => [...text.matchAll(PINNED)].map(([, section = ""]) => section.trim()))
    .filter((section) => section !== "")
    .join("\n\n");
