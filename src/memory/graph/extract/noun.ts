// Noun phrases as entities: articles, possessions, names of code with the noun that says what they are.
import { entryOf } from "../../../base/own-entry.ts";
import { type EntityDraft, MAX_NAME, type SourceMessage } from "./draft.ts";
import { hedgesOf } from "./hedge.ts";
import type { EntityLabel } from "./relation.ts";
import { isCapital, type Token } from "./token.ts";
import {
  INCIDENT_HEADS,
  LESSON_HEADS,
  NEGATION,
  NOT_IN_PHRASE,
  PROCEDURE_HEADS,
  PRODUCTS,
  SERVICE_HEADS,
  TOOLS,
  VAGUE,
  VAGUE_ALONE,
} from "./word-list.ts";

export type PhraseContext = { speaker: string; role: SourceMessage["role"]; now: boolean };

/** Stands for "we" until the relation says whether people or their workspace are meant. */
export const WE: EntityDraft = { name: "we", label: "Workspace" };
export const WORKSPACE: EntityDraft = { name: "workspace", label: "Workspace" };
export const TEAM: EntityDraft = { name: "team", label: "User" };

const HERE = /^(?:repo|repository|project|codebase|workspace|monorepo)$/;
const LABEL_NOUNS: Readonly<Record<string, EntityLabel>> = {
  pr: "PullRequest",
  "pull request": "PullRequest",
  "merge request": "PullRequest",
  mr: "PullRequest",
  issue: "Task",
  ticket: "Task",
  task: "Task",
  story: "Task",
  bug: "Task",
  commit: "Commit",
  branch: "Branch",
  repo: "Repository",
  repository: "Repository",
  file: "File",
  folder: "File",
  directory: "File",
  module: "File",
  function: "Symbol",
  class: "Symbol",
  method: "Symbol",
  type: "Symbol",
  package: "Package",
  library: "Package",
  dependency: "Package",
  service: "Service",
  tool: "Tool",
  command: "Tool",
  incident: "Incident",
};
const LONGEST = 6;
/** "The metadata generated …" goes on behind the phrase. */
const PARTICIPLE = /^[a-z]+(?:at|ort|in|id|uir|all|er|iz|is)ed$/;
/** Means another thing with every release. */
const PASSING =
  /^(?:new|old|older|newer|previous|latest|current|former|original) (?:version|versions|implementation|release|behaviou?r|code|api)$/i;

/** One of several that nobody has chosen yet. */
const PROPOSAL =
  /^(?:option|approach|variant|alternative|plan|solution|proposal|scenario|candidate) (?:[a-z]|\d{1,2}|one|two|three)$/i;

export const clipped = (name: string, label: EntityLabel): EntityDraft => ({ name: name.slice(0, MAX_NAME), label });
export const joined = (tokens: readonly Token[]): string =>
  tokens.reduce(
    (text, token) => (text === "" || token.lower === "'s" ? `${text}${token.text}` : `${text} ${token.text}`),
    "",
  );

export const isReal = (tokens: readonly Token[]): boolean =>
  hedgesOf(tokens).length === 0 && !tokens.some(({ lower, kind }) => kind === "word" && NEGATION.has(lower));

/** A noun phrase: an optional article, then words of which none belongs to another part of the sentence. */
export function thing(tokens: readonly Token[], context: PhraseContext, articles = true): EntityDraft | undefined {
  const [first, ...others] = tokens;
  if (!first) return undefined;
  if (tokens.length === 1 && first.kind === "code" && first.entity) return first.entity;
  if (first.lower === "this" || first.lower === "our" || first.lower === "the" || first.lower === "these") {
    const [head] = others;
    if (others.length === 1 && head && HERE.test(head.lower) && first.lower !== "these") return WORKSPACE;
    if (first.lower === "this" || first.lower === "these") return undefined;
    if (others.length === 1 && head?.lower === "team") return WE;
    if (first.lower === "the" && others.length === 1 && head?.lower === "user") return user(context.speaker);
    return nouns(others, true);
  }
  if (first.lower === "a" || first.lower === "an") return articles ? nouns(others, true) : undefined;
  if (first.lower === "my") {
    if (joined(others).toLowerCase() === "team" && context.role === "user") return WE;
    const inside = context.role === "user" ? nouns(others) : undefined;
    return inside && clipped(`${context.speaker}'s ${inside.name}`, inside.label);
  }
  return nouns(tokens);
}

export const user = (name: string): EntityDraft => ({ name, label: "User" });

/** `pointed` says that an article stood before them. */
function nouns(tokens: readonly Token[], pointed = false): EntityDraft | undefined {
  const owner = tokens.findIndex(({ lower }) => lower === "'s");
  if (owner > 0) return possession(tokens.slice(0, owner), tokens.slice(owner + 1));
  const last = tokens.at(-1);
  if (!last || tokens.length > LONGEST || !isReal(tokens)) return undefined;
  for (const { kind, lower } of tokens)
    if (kind === "mark" || (kind === "word" && NOT_IN_PHRASE.has(lower))) return undefined;
  const before = tokens.slice(0, -1);
  const noun = entryOf(LABEL_NOUNS, joined(before).toLowerCase());
  if (last.kind === "code" && last.entity) {
    if (noun !== undefined) return relabelled(last.entity, noun);
    if (last.entity.label === "Task" && before.length > 0) return undefined;
    const described =
      before.length === 0 || (pointed && before.length <= 2 && before.every(({ kind }) => kind === "word"));
    return described ? last.entity : undefined;
  }
  if (noun !== undefined && /^#?\d+$/.test(last.text)) return clipped(`#${last.text.replace("#", "")}`, noun);
  if (noun === "Commit" && /^[0-9a-f]{7,40}$/.test(last.text)) return clipped(last.text, noun);
  const [code] = tokens;
  const label = entryOf(LABEL_NOUNS, last.lower);
  if (tokens.length === 2 && code?.kind === "code" && code.entity && label) return relabelled(code.entity, label);
  if (tokens.some(({ kind }) => kind === "code") && tokens.length > 2) return undefined;
  if (tokens.length === 1 && /^[a-z]+ly$/.test(last.text)) return undefined;
  if (tokens.length === 1 && last.kind === "word" && VAGUE_ALONE.has(last.text)) return undefined;
  const isVague =
    VAGUE.has(last.lower) && !(isCapital(last) && last.start > 0) && (pointed || !PRODUCTS.has(last.lower));
  if (isVague || /^[\W_]+$/.test(joined(tokens))) return undefined;
  if (
    PASSING.test(joined(tokens)) ||
    PROPOSAL.test(joined(tokens)) ||
    (before.length > 0 && PARTICIPLE.test(last.text))
  )
    return undefined;
  if (last.kind === "quote") return tokens.length === 1 ? clipped(last.text, "Term") : undefined;
  return clipped(joined(tokens), labelOf(tokens));
}

/** "Alice's editor" stays a possession; "the API's port" is the API port, as most people write it. */
function possession(owner: readonly Token[], rest: readonly Token[]): EntityDraft | undefined {
  const [whose, what] = [nouns(owner), nouns(rest)];
  if (!whose || !what) return undefined;
  const [first] = owner;
  const person = owner.length === 1 && first !== undefined && /^\p{Lu}\p{Ll}+$/u.test(first.text);
  return clipped(`${whose.name}${person ? "'s" : ""} ${what.name}`, what.label);
}

const relabelled = (entity: EntityDraft, label: EntityLabel): EntityDraft =>
  entity.label === "PullRequest" ? entity : { ...entity, label };

function labelOf(tokens: readonly Token[]): EntityLabel {
  const head = tokens.at(-1)?.lower ?? "";
  if (tokens.length === 1 && TOOLS.has(head)) return "Tool";
  if (tokens.length <= 2 && TOOLS.has(tokens[0]?.lower ?? "") && tokens[1]?.kind === "number") return "Tool";
  if (head === "team") return "User";
  if (SERVICE_HEADS.has(head)) return "Service";
  if (PROCEDURE_HEADS.has(head)) return "Procedure";
  if (LESSON_HEADS.has(head)) return "Lesson";
  if (INCIDENT_HEADS.has(head)) return "Incident";
  return "Term";
}
