// "How do I run it": which section of a README and which heading of a question belong together.
import type { ManifestRange } from "./manifest.ts";
import type { OfflineQuestion } from "./question.ts";

export type HowTo = keyof typeof HEADINGS;

/** What the heading of a section says that answers. */
const HEADINGS = {
  run: /\b(?:runs?|running|usage|us(?:e|ing)|start(?:ed|ing)?|quick ?start|launch|serve)\b/i,
  install: /\b(?:install(?:ation|ing)?|set ?up|getting started|quick ?start|requirements|prerequisites)\b/i,
  build: /\b(?:build(?:ing)?|compil(?:e|ing)|develop(?:ment|ing)?|contributing)\b/i,
  test: /\b(?:tests?|testing|develop(?:ment|ing)?|contributing)\b/i,
  deploy: /\b(?:deploy(?:ment|ing)?|releas(?:e|ing)|publish(?:ing)?)\b/i,
};
const ASKS = /^\W*how (?:(?:do|can|should|would|could) (?:i|we|you|one|people) |to |is (?:it|this) )/i;
/** The first that fits: "run the tests" is about tests. */
const VERBS: [HowTo, RegExp][] = [
  ["test", /\b(?:test|tests|tested|testing)\b/i],
  ["install", /\b(?:install(?:ed)?|set ?up|get started)\b/i],
  ["build", /\b(?:build|built|compiled?)\b/i],
  ["deploy", /\b(?:deploy(?:ed)?|released?|publish(?:ed)?)\b/i],
  ["run", /\b(?:run|start(?:ed)?|launch(?:ed)?|used?)\b/i],
];
/** Anything else in the question makes it one about a part of the project. */
const PLAIN =
  /^(?:run|start(?:ed)?|launch(?:ed)?|used?|install(?:ed)?|set|setup|build|built|compiled?|tests?|tested|testing|deploy(?:ed)?|released?|publish(?:ed)?|project|repo|repository|app|application|program|tool|code|codebase|everything|locally|local|unit|suite)$/i;
const MAX_LINES = 16;
const MAX_SECTIONS = 2;

/** What is to be done with the project as a whole. */
export function howToOf({ text, paths, terms, words }: OfflineQuestion): HowTo | undefined {
  if (!ASKS.test(text) || paths.length + terms.length > 0 || !words.every((word) => PLAIN.test(word))) return undefined;
  return VERBS.find(([, sign]) => sign.test(text))?.[0];
}

/** The sections of a README that tell how, from heading to heading. */
export function sectionsOn(how: HowTo, lines: ReadonlyMap<number, string>): ManifestRange[] {
  const headings: number[] = [];
  let isCode = false;
  for (const [line, text] of lines) {
    if (/^\s*(?:```|~~~)/.test(text)) isCode = !isCode;
    if (!isCode && /^#{2,6}\s/.test(text)) headings.push(line);
  }
  return headings
    .filter((line) => HEADINGS[how].test(lines.get(line) ?? ""))
    .slice(0, MAX_SECTIONS)
    .map((from) => {
      let to = Math.min((headings.find((line) => line > from) ?? Number.POSITIVE_INFINITY) - 1, from + MAX_LINES);
      while (to > from && (lines.get(to) ?? "").trim() === "") to--;
      return { from, to };
    })
    .filter(({ from, to }) => to > from);
}
