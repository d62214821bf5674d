// How words and names are compared with text: pieces of identifiers, word roots, and the ripgrep patterns that find them.
const SUFFIX = /(?:ations?|ions?|ments?|ings?|ers?|ors?|ies|ied|ed|es|(?<!s)s)$/;

/** Lower-case pieces of a text, with camelCase and snake_case taken apart. */
export function pieces(text: string): string[] {
  const parted = text.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return parted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What forms of one English word share; four letters at least, so that short words stay themselves. */
export function root(word: string): string {
  const cut = word.replace(SUFFIX, "").replace(/[eiy]$/, "");
  return cut.length >= 4 ? cut : singular(word);
}

/** 1 for the word itself, less for another form of it, 0 for none. */
export function wordHit(word: string, text: string, textPieces: readonly string[]): number {
  if (!isAscii(word)) return text.toLowerCase().includes(word) ? 1 : 0;
  let hit = 0;
  for (const numbered of textPieces) {
    const piece = numbered === word ? word : numbered.replace(/(?<=\p{L})\d+$/u, "");
    if (piece === word || singular(piece) === singular(word)) return 1;
    if (root(piece) === root(word)) hit = 0.6;
  }
  return hit;
}

/** 1 for the name as it stands, less in another spelling (`parse_config`), least inside a longer name. */
export function nameHit(name: string, text: string): number {
  if (wholeName(name).test(text)) return 1;
  const wanted = fold(name);
  if (wanted === "") return 0;
  if (!fold(text).includes(wanted)) return 0;
  const spellings = text.match(/[\p{L}\p{N}_$.-]+/gu) ?? [];
  return spellings.some((spelling) => fold(spelling) === wanted) ? 0.8 : 0.5;
}

function wholeName(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${escapePattern(name)}(?![\\p{L}\\p{N}_$])`, "u");
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/(?<!s)s$/, "") : word;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Finds every form of a word, at a word's start or at a hump of a name. */
export function wordPattern(word: string): string {
  if (!isAscii(word)) return `(?i:${escapePattern(word)})`;
  const stem = escapePattern(root(word));
  const end = root(word).length >= 4 ? "" : "(?:s|es)?(?:\\b|_|[A-Z])";
  const hump = stem.charAt(0).toUpperCase() + stem.slice(1);
  return `(?:\\b|_)(?i:${stem})${end}|[a-z0-9]${hump}${end}`;
}

/** Finds two neighbouring words, also grown together into one name. */
export function phrasePattern([first, second]: readonly [string, string]): string {
  return `${escapePattern(root(first))}[a-z]{0,4}[-_. ]?${escapePattern(root(second))}`;
}

/** Finds a number with or without separators: 20480, 20_480, 20,480. */
export function numberPattern(number: string): string {
  return escapePattern(number).replace(/(?<=\d)[,_]?(?=(?:\d{3})+(?!\d))/g, "[,_]?");
}

/** Finds a name in any spelling: `parseConfig`, `parse_config`, `PARSE-CONFIG`. */
export function spellingPattern(name: string): string {
  return pieces(name).map(escapePattern).join("[-_. ]?");
}
