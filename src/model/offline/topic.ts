// Questions about the project as a whole: what it is, how it is run, its version, scripts, dependencies. README, manifest and tree answer them.
import { fileKind } from "./file-kind.ts";
import type { Gathered } from "./gather.ts";
import { type HowTo, howToOf, sectionsOn } from "./how-to.ts";
import { isManifest, type ManifestFact, type ManifestRange, PROJECT_FILES, stated } from "./manifest.ts";
import type { OfflineQuestion } from "./question.ts";
import { depth, matchesPath } from "./rank.ts";
import type { Round } from "./round.ts";
import type { PlannedCall } from "./search-plan.ts";
import { pieces, wordHit } from "./word-match.ts";

/** `subject` is a package whose version or use is asked about. */
export type Topic =
  | { type: "overview" }
  | { type: "how-to"; how: HowTo }
  | { type: "fact"; fact: ManifestFact; subject?: string };
export type FileRange = ManifestRange & { path: string };

/** Longer prompts ask for more than a fact. */
const MAX_CHARS = 200;
const MAX_VIEWS = 3;
const MAX_ENTRIES = 24;
const README = /(?:^|\/)readme[^/]*$/i;
const WHOLE =
  /\b(?:repo|repository|project|codebase|code base|program|app|application|tool|package|library|folder|directory|workspace|overview|code|software)\b|^(?:what (?:is|does)|what'?s|explain|describe) (?:this|it|here|all this)\b/i;
const ABOUT_WORDS = new Set(
  "overview summary summarize summarise purpose structure structured layout organised organized tree program app application tool package library folders directories software base main about top level idea introduction introduce high root".split(
    " ",
  ),
);
const FACTS: [fact: ManifestFact, sign: RegExp][] = [
  ["dev", /\b(?:dev(?:elopment)?[- ]?dependenc(?:y|ies)|devdependencies)\b/i],
  [
    "dependencies",
    /\b(?:dependenc(?:y|ies)|deps|depends? on|requirements|(?:what|which) (?:packages|libraries|frameworks?)|tech(?:nology)? stack)\b/i,
  ],
  ["license", /\blicen[cs]ed?\b/i],
  ["entry", /\bentry ?points?\b/i],
  [
    "runtime",
    /\b(?:node(?:\.?js)?|python|go|golang|rust|java|ruby|php|elixir|dart)\b.*\bversions?\b|\bversions? of (?:node(?:\.?js)?|python|go|golang|rust|java|ruby|php)\b|\bengines?\b/i,
  ],
  ["version", /\bversions?\b/i],
  [
    "scripts",
    /\b(?:npm|make|yarn|pnpm|cargo|build)? ?(?:scripts|targets)\b|\b(?:commands|targets|tasks) (?:can|does|do|are)\b/i,
  ],
];
const FACT_WORDS =
  /^(?:dev|development|devdependencies|dependenc(?:y|ies)|dependent|deps|depends?|requirements?|require[sd]?|packages?|librar(?:y|ies)|frameworks?|tech|technology|stack|licen[cs]ed?|entry|entrypoints?|points?|node|nodejs|python|go|golang|rust|java|ruby|php|elixir|dart|versions?|engines?|current|currently|latest|release|number|npm|make|yarn|pnpm|cargo|build|scripts?|targets?|commands?|tasks?|program|app|application|tool|software|minimum|required|installed|json|manifest|external|direct|third|party|main|runtime)$/;

/** What of the project is asked about, when it is the project and not something in it. */
export function topicOf(question: OfflineQuestion): Topic | undefined {
  const { text, paths, terms, words } = question;
  const isPast =
    question.wants.said && /\b(?:did|said|told|decided?|agreed|chose|last|earlier|previous|remember)\b/i.test(text);
  if (text.length > MAX_CHARS || isPast || question.wants.tests || terms.some((term) => term.kind !== "name"))
    return undefined;
  const named = paths.filter(({ path }) => !isManifest(path));
  if (named.length > 0) return undefined;
  const how = howToOf(question);
  if (how !== undefined) return { type: "how-to", how };
  const fact = FACTS.find(([, sign]) => sign.test(text))?.[0];
  if (fact !== undefined) {
    const others = [...terms.map((term) => term.text), ...words.filter((word) => !FACT_WORDS.test(word))];
    const [subject] = others;
    if (subject === undefined) return { type: "fact", fact };
    const ofPackage = fact === "version" || fact === "dependencies" || fact === "dev";
    return ofPackage && others.length === 1 ? { type: "fact", fact, subject } : undefined;
  }
  const isWhole = paths.length + terms.length === 0 && words.every((word) => ABOUT_WORDS.has(word)) && WHOLE.test(text);
  return isWhole && !question.wants.use ? { type: "overview" } : undefined;
}

export function topicSearch(topic: Topic): PlannedCall[] {
  return [
    { name: "glob", args: { pattern: PROJECT_FILES } },
    ...(topic.type === "overview" ? [{ name: "view", args: { path: "." } }] : []),
  ];
}

/** True for a call that topicSearch or topicViews planned. */
export function isTopicCall({ name, args }: PlannedCall): boolean {
  const path = String(args["path"]);
  return name === "view" ? path === "." || README.test(path) || isManifest(path) : args["pattern"] === PROJECT_FILES;
}

/** Reads the project's own README and manifests, those nearest to the top first. */
export function topicViews(topic: Topic, question: OfflineQuestion, names: readonly string[]): PlannedCall[] {
  const isAbout = (name: string) =>
    question.paths.length === 0 || question.paths.some(({ path }) => matchesPath(name, path));
  const files = names
    .filter((name) => (README.test(name) ? topic.type !== "fact" : isManifest(name) && isAbout(name)))
    .filter(
      (name) => README.test(name) || fileKind(name) === "source" || /requirements\.txt$|CMakeLists\.txt$/.test(name),
    )
    .sort((a, b) => depth(a) - depth(b) || Number(README.test(b)) - Number(README.test(a)) || (a < b ? -1 : 1));
  const top = depth(files[0] ?? "");
  return files
    .filter((name) => depth(name) === top)
    .slice(0, MAX_VIEWS)
    .map((path) => ({
      name: "view",
      args: { path, ...(README.test(path) ? { view_range: [1, topic.type === "overview" ? 60 : 400] } : {}) },
    }));
}

/** The lines that answer, README first. */
export function topicRanges(topic: Topic, { files }: Gathered): FileRange[] {
  const own = [...files].filter(([path]) => isManifest(path) || README.test(path));
  if (topic.type !== "fact") {
    const introduces = (lines: ReadonlyMap<number, string>) =>
      topic.type === "overview" ? opening(lines) : sectionsOn(topic.how, lines);
    const fact = topic.type === "overview" ? "about" : "scripts";
    return own
      .sort(([a], [b]) => Number(README.test(b)) - Number(README.test(a)))
      .flatMap(([path, lines]) =>
        (README.test(path) ? introduces(lines) : stated(path, lines, fact)).map((range) => ({ path, ...range })),
      );
  }
  const manifests = own.filter(([path]) => isManifest(path));
  const { fact, subject } = topic;
  if (subject === undefined)
    return manifests.flatMap(([path, lines]) => stated(path, lines, fact).map((range) => ({ path, ...range })));
  return manifests.flatMap(([path, lines]) =>
    [...lines]
      .filter(([, text]) => wordHit(subject.toLowerCase(), text, pieces(text)) === 1 || text.includes(subject))
      .map(([line]) => ({ path, from: line, to: line })),
  );
}

/** The entries of the working folder, as the tool listed them: folders, then files. */
export function topLevel(round: Round): string[] {
  const listing = round.calls.find((call) => call.name === "view" && call.args["path"] === ".")?.result;
  if (listing === undefined || listing.isError) return [];
  const entries = listing.content
    .split("\n")
    .slice(1)
    .filter((row) => /^[^\s.([]/.test(row) && !/^node_modules\/$/.test(row));
  const shown = [...entries.filter((row) => row.endsWith("/")), ...entries.filter((row) => !row.endsWith("/"))];
  if (shown.length === 0) return [];
  const more = shown.length > MAX_ENTRIES ? `, and ${shown.length - MAX_ENTRIES} more` : "";
  return [`In this folder: ${shown.slice(0, MAX_ENTRIES).join(", ")}${more}`];
}

/** The title and the first paragraph of prose; without the title when badges stand between them. */
function opening(lines: ReadonlyMap<number, string>): ManifestRange[] {
  const isProse = (text: string) => /^\s*[\p{L}\p{N}*_`"“>]/u.test(text) && !/^\s*(?:=+|-+)\s*$/.test(text);
  const title = [...lines].find(([, text]) => /^#\s/.test(text))?.[0];
  const first = [...lines].find(([line, text]) => line > (title ?? 0) && isProse(text))?.[0] ?? title;
  if (first === undefined) return [];
  let to = first;
  while ((lines.get(to + 1) ?? "").trim() !== "") to++;
  return [{ from: title !== undefined && first - title <= 2 ? title : first, to }];
}
