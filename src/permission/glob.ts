// Path patterns, matched by whole components: `*` and `?` inside one, `**` over any number of them.

type Item = { star: true } | { star: false; accepts: (text: string) => boolean };

/** Greedy matching with one point to fall back to: linear in pattern times text, whatever the pattern. */
function matchItems(items: readonly Item[], texts: readonly string[]): boolean {
  let i = 0;
  let t = 0;
  let starAt = -1;
  let starText = 0;
  while (t < texts.length) {
    const item = items[i];
    if (item?.star) {
      starAt = i++;
      starText = t;
    } else if (item?.accepts(texts[t] ?? "")) {
      i++;
      t++;
    } else if (starAt >= 0) {
      i = starAt + 1;
      t = ++starText;
    } else return false;
  }
  return items.slice(i).every((item) => item.star);
}

function componentItems(pattern: string): Item[] {
  const items: Item[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const c = String.fromCodePoint(pattern.codePointAt(i) ?? 0);
    i += c.length - 1;
    const end = c === "[" ? pattern.indexOf("]", i + 2) : -1;
    if (c === "*") items.push({ star: true });
    else if (c === "?") items.push({ star: false, accepts: () => true });
    else if (end > 0) {
      items.push({ star: false, accepts: inSet(pattern.slice(i + 1, end)) });
      i = end;
    } else items.push(exactly(c));
  }
  return items;
}

function inSet(set: string): (text: string) => boolean {
  const negated = set.startsWith("!") || set.startsWith("^");
  const body = negated ? set.slice(1) : set;
  return (text) => {
    let isMatch = false;
    for (let i = 0; i < body.length; i++) {
      const from = body.charAt(i);
      const isRange = body.charAt(i + 1) === "-" && i + 2 < body.length;
      const to = isRange ? body.charAt(i + 2) : from;
      if (isRange) i += 2;
      if (text >= from && text <= to) isMatch = true;
    }
    return isMatch !== negated;
  };
}

/** A word in a shell line is made of these: a live piece is a pattern, any other one only text. */
export type PatternPiece = { text: string; live: boolean };

/** A text of which it is not known what was quoted: all that can be a pattern is one. */
export const piecesOf = (text: string): PatternPiece[] =>
  text.split(/(\[[^\]/]+\]|[*?])/).map((piece, i) => ({ text: piece, live: i % 2 === 1 }));

export const matchesPieces = (pieces: readonly PatternPiece[], name: string): boolean =>
  matchItems(
    pieces.flatMap(({ text, live }) => (live ? componentItems(text) : [...text].map(exactly))),
    [...name],
  );

const exactly = (c: string): Item => ({ star: false, accepts: (text) => text === c });

export const components = (path: string): string[] => path.split("/").filter((c) => c !== "" && c !== ".");

/** True when the pattern's components match all of the path's. */
export function matchComponents(pattern: readonly string[], path: readonly string[]): boolean {
  return matchItems(
    pattern.map((p): Item => {
      if (p === "**") return { star: true };
      const items = componentItems(p);
      return { star: false, accepts: (text) => matchItems(items, [...text]) };
    }),
    path,
  );
}

export const hasGlob = (text: string): boolean => /[*?[]/.test(text);
