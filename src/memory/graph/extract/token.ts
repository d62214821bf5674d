// A sentence as tokens: words, names of code, quotations and marks, with contractions written out.
import type { EntityDraft } from "./draft.ts";
import { recogniseCode, recogniseWord } from "./recognise.ts";

/** When a fact begins to hold, and when it ends. */
export type StatedTime = { validAt?: string; validUntil?: string };

export type Token = {
  text: string;
  lower: string;
  kind: "word" | "number" | "code" | "quote" | "mark" | "time";
  /** What a token of code is. */
  entity?: EntityDraft;
  /** What a token of time tells. */
  time?: StatedTime;
  start: number;
  end: number;
};

/** Backticks, quotations, addresses, words, single marks; each alternative ends within its own bound. */
const PIECE =
  /`([^`\n]{1,200})`|["“]([^"“”\n]{1,200})["”]|(https?:\/\/[^\s<>"'`|]{1,300})|((?:[^\s`"“”,;:!?()[\]{}<>|*—–]|[:,](?=[^\s"'`,;:)])|(?<=\w)\(\)){1,200})|(\S)/g;

const ENDINGS: readonly [RegExp, string][] = [
  [/^won't$/i, "will not"],
  [/^can't$/i, "can not"],
  [/^shan't$/i, "shall not"],
  [/^let's$/i, "let us"],
  [/^(\w+)n't$/i, "$1 not"],
  [/^(\w+)'re$/i, "$1 are"],
  [/^(\w+)'ve$/i, "$1 have"],
  [/^(\w+)'ll$/i, "$1 will"],
  [/^(\w+)'d$/i, "$1 would"],
  [/^i'm$/i, "I am"],
  [/^(it|that|there|here|he|she|what|who|where|how)'s$/i, "$1 is"],
  [/^([\p{L}\p{N}._/-]+)'s$/u, "$1 's"],
];

/** Contractions whose apostrophe was left out. */
const BARE = new Map([
  ["im", "I am"],
  ["ive", "I have"],
  ["weve", "we have"],
  ["theyre", "they are"],
  ["thats", "that is"],
  ["wont", "will not"],
  ["cant", "can not"],
  ...["do", "does", "did", "is", "are", "was", "were", "would", "could", "should", "has", "have", "had"].map(
    (verb) => [`${verb}nt`, `${verb} not`] as const,
  ),
]);

export function tokenise(sentence: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sentence.matchAll(PIECE)) {
    const [whole, code, quote, url, word, mark] = match;
    const [start, end] = [match.index, match.index + whole.length];
    const push = (text: string, kind: Token["kind"], entity?: EntityDraft): void => {
      tokens.push({ text, lower: text.toLowerCase(), kind, start, end, ...(entity && { entity }) });
    };
    if (code !== undefined) push(code.trim(), "code", recogniseCode(code) ?? { name: code.trim(), label: "Term" });
    else if (quote !== undefined) push(quote.replace(/[.,!?]$/, ""), "quote");
    else if (url !== undefined) pushUrl(url.replace(/[.,;:!?)\]]+$/, ""), push);
    else if (word !== undefined) pushWord(word, push);
    else if (mark !== undefined) push(mark, "mark");
  }
  return tokens;
}

type Push = (text: string, kind: Token["kind"], entity?: EntityDraft) => void;

function pushUrl(url: string, push: Push): void {
  push(url, "code", recogniseWord(url) ?? { name: url, label: "Term" });
}

function pushWord(raw: string, push: Push): void {
  const word = raw.replaceAll("’", "'").replace(/^'+|[.'…]+$/g, "");
  const stop = /[.…]$/.test(raw);
  if (word === "") return push(raw.charAt(0), "mark");
  if (/^[-–—=+/\\&%$@#^~]+$/.test(word)) return push(word === "-" || word === "--" ? "—" : word, "mark");
  if (word.includes("'")) {
    const [pattern, parts] = ENDINGS.find(([ending]) => ending.test(word)) ?? [];
    if (pattern && parts) {
      for (const part of word.replace(pattern, parts).split(" ")) push(part, "word");
      return;
    }
  }
  const bare = BARE.get(word.toLowerCase());
  if (bare !== undefined) {
    for (const part of bare.split(" ")) push(part, "word");
    return;
  }
  const entity = recogniseWord(word);
  if (entity) push(word, "code", entity);
  else push(word, /^[v~±+$€£-]?\d[\d.,_:/x%]*(?:[a-zA-Z%]{0,4})$/.test(word) ? "number" : "word");
  // A stop inside of a sentence divides it like a semicolon.
  if (stop && !/^(?:etc|vs|e\.g|i\.e|approx|incl|no)$/i.test(word)) push(".", "mark");
}

/** A word that is written like a name: with a capital, and not as a whole sentence in capitals would be. */
export const isCapital = ({ text, kind }: Token): boolean =>
  kind === "word" && /^\p{Lu}[\p{L}\p{N}.'+#&/_-]*$/u.test(text);
