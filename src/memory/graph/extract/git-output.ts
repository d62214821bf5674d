// What git prints about commits: which files they modify, who wrote them, which work they complete.
import { clip } from "../../../base/text.ts";
import { instantAt, instantOf } from "../time.ts";
import { type EntityDraft, type FactDraft, MAX_FACT_TEXT, MAX_NAME } from "./draft.ts";
import { isPath, recogniseWord } from "./recognise.ts";

type GitReading = {
  facts: FactDraft[];
  entities: EntityDraft[];
  /** The places of the lines that git printed. */
  lines: ReadonlySet<number>;
};

type CommitLines = {
  hash: string;
  author?: string;
  at: string;
  subject: string;
  message: string[];
  files: Set<string>;
};

const MAX_LINE = 400;
const MAX_FILES = 50;
const HEADER = /^commit ([0-9a-f]{7,40})(?: \([^)]{1,200}\))?$/;
/** What `git commit` answers. */
const ANSWER = /^\[([\w./-]{1,100})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (\S.*)$/;
const ONE_LINE = /^(?:[*|/\\ ]{1,10})?((?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40}) (?:\([^)]{1,100}\) )?(\S.*)$/;
const AUTHOR = /^Author:\s+([^<]{1,100}?)\s*<[^>]*>$/;
const DATE = /^(?:Author|Commit)?Date:\s+(\S.*)$/;
const MESSAGE = /^ {4}(.*)$/;
const STATISTIC = /^ (\S(?:[^|]{0,300}\S)?) +\| +(?:\d+(?: [+-]+)?|Bin\b.*)$/;
const STATUS = /^[MADTRC]\d{0,3}\t([^\t]+)(?:\t([^\t]+))?$/;
const MODE = /^ (?:create|delete) mode \d{6} (\S.*)$/;
const RENAME = /^ (?:rename|copy|rewrite) (\S.*) \(\d{1,3}%\)$/;
const DIFF = /^diff --git a\/\S+ b\/(\S+)$/;
const PASSED_OVER =
  /^(?:Merge: |Commit: | \d+ files? changed\b|index [0-9a-f]+\.\.|--- |\+\+\+ |@@ |[ +-]|new file mode |deleted file mode |similarity index |rename (?:from|to) |\\ No newline)/;

/** `isOutput` is for text that is known to be output: there a line of `git log --oneline` is one. */
export function readGitOutput(lines: readonly string[], at: string, isOutput: boolean): GitReading {
  const facts: FactDraft[] = [];
  const entities: EntityDraft[] = [];
  const own = new Set<number>();
  let commit: CommitLines | undefined;
  const end = (): void => {
    if (commit) facts.push(...commitFacts(commit));
    commit = undefined;
  };
  const begin = (hash: string, subject: string): void => {
    end();
    entities.push({ name: hash, label: "Commit" });
    commit = { hash, at, subject, message: subject === "" ? [] : [subject], files: new Set() };
  };
  for (const [place, line] of lines.entries()) {
    const [, hash] = line.length > MAX_LINE ? [] : (HEADER.exec(line) ?? []);
    const [, branch, answered, subject = ""] = line.length > MAX_LINE ? [] : (ANSWER.exec(line) ?? []);
    if (hash !== undefined) begin(hash, "");
    else if (branch !== undefined && answered !== undefined) {
      begin(answered, subject);
      if (branch !== "detached") entities.push({ name: branch, label: "Branch" });
    } else if (line.length > MAX_LINE) end();
    else if (commit && readLine(commit, line)) own.add(place);
    else if (isOutput && ONE_LINE.test(line)) {
      const [, short = "", words = ""] = ONE_LINE.exec(line) ?? [];
      begin(short, words);
      end();
    } else if (line.trim() !== "") {
      end();
      const file = DIFF.exec(line)?.[1];
      if (file === undefined) continue;
      entities.push({ name: file, label: "File" });
    }
    if (line.trim() !== "") own.add(place);
  }
  end();
  return { facts, entities, lines: own };
}

/** Whether the line belongs to what git prints about the commit. */
function readLine(commit: CommitLines, line: string): boolean {
  const author = AUTHOR.exec(line)?.[1];
  const date = DATE.exec(line)?.[1];
  const message = MESSAGE.exec(line)?.[1];
  if (author !== undefined) commit.author = author;
  else if (date !== undefined) commit.at = gitTime(date) ?? commit.at;
  else if (message !== undefined) {
    commit.subject ||= message.trim();
    commit.message.push(message);
  } else {
    const [, from, to] = STATUS.exec(line) ?? [];
    const file =
      STATISTIC.exec(line)?.[1] ?? to ?? from ?? MODE.exec(line)?.[1] ?? RENAME.exec(line)?.[1] ?? DIFF.exec(line)?.[1];
    if (file !== undefined) addFile(commit, file);
    else if (isPath(line)) addFile(commit, line);
    else return line === "" || PASSED_OVER.test(line);
  }
  return true;
}

/** `src/{old.ts => new.ts}` and `old.ts => new.ts` are known by the new path; a shortened path is known by none. */
function addFile(commit: CommitLines, shown: string): void {
  const path = shown
    .replace(/\{[^{}]*? ?=> ?([^{}]*)\}/, "$1")
    .replace(/^.* => /, "")
    .replaceAll("//", "/")
    .trim();
  if (path !== "" && !path.startsWith("...") && path.length <= MAX_NAME && commit.files.size < MAX_FILES)
    commit.files.add(path);
}

/** As `git log` writes it, or in the forms of `--date=iso`. */
function gitTime(date: string): string | undefined {
  const ms = Date.parse(date);
  return instantOf(date) ?? (Number.isNaN(ms) ? undefined : instantAt(ms));
}

function commitFacts({ hash, author, at, subject, message, files }: CommitLines): FactDraft[] {
  const commit: EntityDraft = { name: hash, label: "Commit" };
  const short = hash.slice(0, 10);
  const title = subject === "" ? "" : `: ${subject}`;
  const fact = (from: EntityDraft, relation: string, to: EntityDraft, text: string): FactDraft => ({
    subject: from,
    relation,
    object: to,
    text: clip(text, MAX_FACT_TEXT),
    validAt: at,
  });
  return [
    ...[...files].map((name) =>
      fact(commit, "MODIFIES", { name, label: "File" }, `Commit ${short} modifies ${name}${title}`),
    ),
    ...(author === undefined
      ? []
      : [fact({ name: author, label: "User" }, "AUTHORED", commit, `${author} wrote commit ${short}${title}`)]),
    ...completedWork(message.join("\n")).map((work) =>
      fact(commit, "IMPLEMENTS", work, `Commit ${short} implements ${work.name}${title}`),
    ),
  ];
}

const REFERENCE = "(?:[\\w.-]{1,60}/[\\w.-]{1,60})?#\\d{1,7}|[A-Z][A-Z0-9]{1,9}-\\d{1,6}|https?://[^\\s,)]{1,200}";
const COMPLETES = new RegExp(
  `(\\b(?:not|never|partially|partly)\\s+)?\\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|implement(?:s|ed)?):?\\s+(?:issues?\\s+|ticket\\s+)?((?:${REFERENCE})(?:(?:,|\\s+and|\\s+&)?\\s+(?:${REFERENCE})){0,9})`,
  "gi",
);

/** The issues and tasks that a commit's message says it completes. */
function completedWork(message: string): EntityDraft[] {
  const work: EntityDraft[] = [];
  for (const [, negation, references = ""] of message.slice(0, 4_000).matchAll(COMPLETES)) {
    if (negation !== undefined) continue;
    for (const [reference] of references.matchAll(new RegExp(REFERENCE, "g"))) {
      const entity = recogniseWord(reference);
      if (entity && /^(?:Task|PullRequest|Incident)$/.test(entity.label)) work.push(entity);
    }
  }
  return work;
}
