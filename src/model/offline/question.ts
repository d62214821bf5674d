// Reads what a prompt asks about: paths, names, quoted text, numbers and rare words, and what kind of answer it wants.
import { STOP_WORDS } from "./stop-words.ts";

export type Term = { text: string; kind: "name" | "quoted" | "number" };
type NamedPath = { path: string; line?: number };
export type OfflineQuestion = {
  text: string;
  paths: NamedPath[];
  terms: Term[];
  words: string[];
  /** Neighbours among the words: "prompt limit" may be written `promptLimit`. */
  phrases: [string, string][];
  /** What the answer should be: where something stands, who uses it, tests, documentation, a value, or what was said. */
  wants: { place: boolean; use: boolean; tests: boolean; docs: boolean; value: boolean; said: boolean };
};

const MAX_PATHS = 4;
const MAX_TERMS = 6;
const MAX_WORDS = 8;
/** Enough to hold any question; a pasted log behind it adds only noise. */
const MAX_CHARS = 6_000;

const EXTENSION =
  /\.(?:[cm]?[jt]sx?|jsonc?|jsonl|mdx?|rst|txt|adoc|py|rs|go|java|kts?|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|ex|exs|lua|pl|r|sh|bash|zsh|fish|ps1|ya?ml|toml|ini|cfg|conf|env|lock|sql|html?|s?css|xml|proto|gradle|mk|csv|vue|svelte|tf|nix|zig|ipynb)$/i;
const FILE_NAME =
  /^(?:readme|license|changelog|contributing|makefile|dockerfile|procfile|gemfile|justfile|agents\.md|\.env|\.[a-z]+(?:rc|ignore))$/i;
const TOP_FOLDER = /^(?:src|test|tests|docs?|lib|app|bin|packages?|scripts|examples?|bench|web|server|client)\//;
/** Spelt like names in code or files, but plain words. */
const PROPER =
  /^(?:GitHub|GitLab|TypeScript|JavaScript|CoffeeScript|OpenAI|PostgreSQL|MySQL|SQLite|GraphQL|macOS|iOS|DevOps|YouTube|(?:node|vue|next|nuxt|three|express)\.js)$/i;
const KIND =
  "function|class|type|interface|method|struct|enum|constant|const|variable|trait|macro|component|hook|field|property|setting|option|flag";
/** Where `Parser` is, there is `Parser.parse`. */
const MEMBER = /^([A-Z]\w*)(?:\.|::|#|->)\w+$/;
const TEST_WORD = /^(?:tests?|tested|testing|covers?|covered|coverage)$/;
const DOC_WORD = /^(?:docs?|documentation|documented|specs?|specification|guide|manual)$/;
/** In "what did we decide about tabs" it is the tabs that were spoken of; nobody says "decide" when deciding. */
const SAID_WORD =
  /^(?:decid(?:e|ed|ing)|decisions?|agreed?|choose|chose|prefer(?:red)?|said|told|discuss(?:ed)?|talk(?:ed)?|remember(?:ed)?)$/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

export function readQuestion(prompt: string): OfflineQuestion {
  const text = prompt.slice(0, MAX_CHARS).trim();
  const paths = new Map<string, NamedPath>();
  const terms = new Map<string, Term>();
  const words = new Set<string>();
  const phrases: [string, string][] = [];
  const addPath = (token: string) => {
    const [, path = token, line] = /^(.+?)(?::(\d+)(?:[:-]\d+)?)?$/.exec(token) ?? [];
    paths.set(path, line === undefined ? { path } : { path, line: Number(line) });
  };
  const addTerm = (kind: Term["kind"], value: string) => {
    if (value !== "" && !terms.has(value)) terms.set(value, { text: value, kind });
  };

  for (const name of framedNames(text)) addTerm("name", name);
  let rest = text.replace(/`([^`\n]{1,200})`/g, (_, inner: string) => {
    const token = inner.trim().replace(/\(\)$/, "");
    if (isPath(token)) addPath(token);
    else addTerm(/^[\w$.:#]+$/.test(token) ? "name" : "quoted", token);
    return " ";
  });
  rest = rest.replace(
    /"([^"\n]{2,200})"|“([^”\n]{2,200})”|(?<=^|[\s(])'([^'\n]{2,200})'(?=$|[\s,.?!;:)])/g,
    (_, a, b, c) => {
      const inner = String(a ?? b ?? c).trim();
      if (isPath(inner)) addPath(inner);
      else addTerm("quoted", inner);
      return " ";
    },
  );
  let previous: string | undefined;
  for (const raw of rest.split(/\s+/)) {
    const before = previous;
    previous = undefined;
    const token = raw
      .replace(/^[([{<*]+/, "")
      .replace(/[)\]}>,;:!?*]+$|\.+$/g, "")
      .replace(/['’]s$/, "")
      .replace(/[.,?!]+$/, "");
    if (token === "" || terms.has(token)) continue;
    if (/^(?:license|changelog|contributing)$/.test(token)) words.add(token);
    if (isPath(token)) addPath(token);
    else if (/^(?:https?:\/\/|--?[a-z][\w-]+$|@[\w-]+\/)/.test(token)) addTerm("quoted", token);
    else if (isName(token)) {
      const name = token.replace(/\(.*$/, "").replace(/^\$/, "");
      addTerm("name", name);
      addTerm("name", MEMBER.exec(name)?.[1] ?? name);
    } else if (/^v?\d[\d.,_]*$/.test(token) && token.replace(/\D/g, "").length + (/\d\.\d/.test(token) ? 1 : 0) >= 3)
      addTerm("number", token);
    else {
      const plain = plainWords(token);
      for (const word of plain) words.add(word);
      for (const [first, second] of [
        [before, plain[0]],
        [plain[0], plain[1]],
      ]) {
        if (first !== undefined && second !== undefined) phrases.push([first, second]);
      }
      previous = /[,;:.]$/.test(raw) ? undefined : plain.at(-1);
    }
  }
  const wants = readWants(text.toLowerCase());
  const telling = [...words].filter(
    (word) =>
      !(wants.tests && TEST_WORD.test(word)) &&
      !(wants.docs && DOC_WORD.test(word)) &&
      !(wants.said && SAID_WORD.test(word)),
  );
  return {
    text,
    paths: [...paths.values()].slice(0, MAX_PATHS),
    terms: [...terms.values()].slice(0, MAX_TERMS),
    words: rarestLooking(telling.length > 0 ? telling : [...words]),
    phrases: phrases.slice(0, MAX_WORDS),
    wants,
  };
}

/** Paths that name no file are looked for as text. */
export function withPathsAsText(question: OfflineQuestion): OfflineQuestion {
  const terms = question.paths.map(({ path }): Term => ({ kind: "quoted", text: path }));
  return { ...question, paths: [], terms: [...question.terms, ...terms].slice(0, MAX_TERMS) };
}

/** Plain words that the sentence itself calls a name: "where is retry defined", "the clip function". */
function framedNames(text: string): string[] {
  const names: string[] = [];
  const frames = [
    /\bwhere(?:['’]s|\s+is|\s+are|\s+do(?:es)?)\s+(?:the\s+)?(?:\w+\s+)??([A-Za-z_$][\w$]*)\s+(?:get\s+)?(?:defined|declared|implemented|exported)\b/gi,
    /\bwhat\s+do(?:es)?\s+(?:the\s+)?([A-Za-z_$][\w$]*)\s+(?:do|return|take|accept|expect|throw)s?\b/gi,
    /\b(?:who|what|which\s+\w+)\s+(?:calls|uses|invokes|imports)\s+(?:the\s+)?([A-Za-z_$][\w$]*)(?:\(\))?\s*[?.]?$/gi,
    new RegExp(`\\b(?:${KIND})\\s+(?:called\\s+|named\\s+)?([A-Za-z_$][\\w$]*)`, "gi"),
    new RegExp(`\\b(?:the|does|is)\\s+([A-Za-z_$][\\w$]*)\\s+(?:${KIND})\\b`, "gi"),
  ];
  for (const frame of frames) {
    for (const [, name = ""] of text.matchAll(frame)) {
      const isCommon = STOP_WORDS.has(name.toLowerCase()) && !/^[A-Z][a-z]/.test(name);
      if (name.length > 1 && !isCommon && !new RegExp(`^(?:${KIND})s?$`, "i").test(name)) names.push(name);
    }
  }
  return names;
}

function isPath(token: string): boolean {
  if (/\s|:\/\/|^@/.test(token) || PROPER.test(token) || !/[a-z]/i.test(token)) return false;
  const path = token.replace(/:\d+(?:[:-]\d+)?$/, "");
  if (FILE_NAME.test(path)) return true;
  if (EXTENSION.test(path) && /^[\w@.~*/+-]+$/.test(path)) return true;
  return (
    /^[\w@.~*/+-]+$/.test(path) &&
    path.includes("/") &&
    (/^[./~]/.test(path) || /\/$|\/.*\//.test(path) || TOP_FOLDER.test(path))
  );
}

function isName(token: string): boolean {
  if (PROPER.test(token)) return false;
  if (/^[\w$.]+\([^)]*\)?$/.test(token)) return true;
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)+$/.test(token)) return !/^(?:e\.g|i\.e)$/i.test(token);
  return /^[$A-Za-z_][\w$]*$/.test(token) && (/[a-z\d][A-Z]/.test(token) || /\w_\w|^[_$]\w/.test(token));
}

function plainWords(token: string): string[] {
  const runs = token.match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) ?? [];
  return runs
    .flatMap((run) => (UNSPACED.test(run) ? segments(run) : [run]))
    .flatMap((run) => {
      const word = run.replace(/['’].*$/, "").toLowerCase();
      const telling =
        word.length >= 3 || /\d/.test(word) || /^\p{Lu}{2}$/u.test(run) || (UNSPACED.test(word) && word.length >= 2);
      return telling && !STOP_WORDS.has(word) ? [word] : [];
    });
}

function segments(run: string): string[] {
  const segments = [...new Intl.Segmenter("ja", { granularity: "word" }).segment(run)];
  return segments.filter((part) => part.isWordLike === true).map((part) => part.segment);
}

/** Words keep their order; of too many the longest stay. */
function rarestLooking(words: string[]): string[] {
  const longest = new Set([...words].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, MAX_WORDS));
  return words.filter((word) => longest.has(word));
}

function readWants(lower: string): OfflineQuestion["wants"] {
  return {
    place: /\bwhere\b|\bwhich (?:files?|modules?|lines?|folders?)\b|\b(?:defined?|definition|declared|located)\b/.test(
      lower,
    ),
    use: /\b(?:who|what|which \w+|where)\b.*\b(?:calls|uses|imports|references)\b|\b(?:is|are|gets?)\b.*\b(?:used|called|imported|referenced)\b|\b(?:callers?|usages?|uses) of\b/.test(
      lower,
    ),
    tests:
      /\b(?:which|what|any|are|is|where)\b.*\b(?:tests?)\b|\btests? (?:for|of|that|cover)|\b(?:tested|covered|coverage)\b/.test(
        lower,
      ),
    docs: /\b(?:docs?|documentation|documented|readme|guide|changelog|says?)\b|\bhow (?:do|can|to|should)\b/.test(
      lower,
    ),
    value: /\b(?:what|which|how (?:many|much|long|big|large|often))\b/.test(lower),
    said: /\b(?:did|do) (?:i|we|you)\b|\b(?:i|we|you) (?:said|told|decided?|agreed|chose|prefer|mentioned|asked)\b|\blast (?:time|session|week)\b|\b(?:earlier|previous|previously|yesterday|remember|my|our)\b/.test(
      lower,
    ),
  };
}
