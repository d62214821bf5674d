// Which written-out line breaks stand between words of a text, and which `\n` is the beginning of a folder's name.

const BREAK = /\\r\\n|\\n/g;
/** A word of a sentence, with what may stand around it. */
const WORD = /^["'(]*\p{L}[\p{L}\p{N}'’-]+["').,;:!?]*$/u;
/** An escape beside the breaks: only paths have a backslash before other letters. */
const OTHER_BACKSLASH = /\\(?!r\\n|n|"|u[0-9a-f]{4})/i;
const EXTENSION = /[\p{L}\p{N}_]\.[a-z]\w{0,4}["').,;:!?]*$/iu;

/** Names that folders and files have and that begin with n: `src\new` is no break before "ew". */
const NAMES = new Set(
  `name names namespace namespaces native nav navigation nested net network new news next nginx nightly nlp nn node nodes
   node_modules note notebook notebooks notes notification notifications npm ns nuget nul null nulls num number numbers numpy
   nuxt`.split(/\s+/),
);
/** Folders that end no sentence. */
const FOLDERS = new Set(
  `app apps bin cmd components config dist etc internal lib libs node_modules opt packages pkg public src usr util utils var
   vendor`.split(/\s+/),
);

/** Positions of breaks that are meant as such. Empty for a text of nothing but paths. */
export function wordBreaks(text: string): ReadonlySet<number> {
  const breaks = new Set<number>();
  const tokens = [...text.matchAll(/\S+/g)];
  const isProse = tokens.some(({ 0: token }) => WORD.test(token));
  for (const { index, 0: token } of tokens) {
    const hits = [...token.matchAll(BREAK)];
    if (hits.length === 0 || OTHER_BACKSLASH.test(token)) continue;
    const ends = hits.map((one) => one.index);
    const starts = hits.map((one) => one.index + one[0].length);
    const pieces = [0, ...starts].map((start, at) => token.slice(start, ends[at] ?? token.length));
    for (const [at, end] of ends.entries()) {
      const [left = "", right = ""] = [pieces[at], pieces[at + 1]];
      const isParagraph = (left === "" && at > 0) || (right === "" && at + 1 < ends.length);
      if (isParagraph || (isProse && areWords(left, right))) breaks.add(index + end);
    }
  }
  return breaks;
}

function areWords(left: string, right: string): boolean {
  if (left.length < 2 && right.length < 2) return false;
  if (!/[\p{L}\p{N}.,;:!?)"'*`]$/u.test(left) || !/^[\p{L}\p{N}"'(*`]/u.test(right)) return false;
  if (FOLDERS.has(left.toLowerCase()) || EXTENSION.test(right)) return false;
  const name = /^[\p{L}_]+/u.exec(right)?.[0] ?? "";
  return !NAMES.has(`n${name}`.toLowerCase());
}
