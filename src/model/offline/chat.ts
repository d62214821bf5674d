// The offline model in a conversation: does what a line orders, searches in a few steps, then answers with quotes.
import type { ModelRequest } from "../contract.ts";
import type { PromptAction } from "./action.ts";
import { actionsIn, asksForChange, asksForJudgement } from "./action.ts";
import type { Gathered } from "./gather.ts";
import { gather } from "./gather.ts";
import type { OfflineQuestion } from "./question.ts";
import { readQuestion, withPathsAsText } from "./question.ts";
import { chooseQuotes, quoteText, rangeQuotes } from "./quote.ts";
import type { AnswerCandidate, Ranking } from "./rank.ts";
import { isNamedAfter, namedFiles, rank } from "./rank.ts";
import { reportCall } from "./report.ts";
import type { MadeCall, Round } from "./round.ts";
import type { PlannedCall } from "./search-plan.ts";
import { firstSearch, MAX_CALLS, MAX_STEPS, stdinSearch, views, widerSearch } from "./search-plan.ts";
import { smallTalk } from "./small-talk.ts";
import { asksForFailure, STDIN, tellingLines } from "./stdin.ts";
import { isTold } from "./told.ts";
import { isTopicCall, type Topic, topicOf, topicRanges, topicSearch, topicViews, topLevel } from "./topic.ts";
import { pieces, wordHit } from "./word-match.ts";
import {
  askLater,
  BEST_FIRST,
  CANNOT_CHANGE,
  CANNOT_JUDGE,
  NO_SUBJECT,
  NOTHING_FOUND,
  TOLD_BEFORE,
  TRY_NEXT,
  UNDERSTOOD,
} from "./wording.ts";

/** Tools to call next, or what to say. `success` is what autopilot is told. */
export type OfflineDecision =
  | { type: "call"; calls: PlannedCall[] }
  | { type: "say"; paragraphs: string[]; success: boolean };

const MAX_FILES_NAMED = 10;
const MAX_QUOTES = 5;
const MAX_NAMESAKES = 2;
const OPENING_LINES = 8;

/** All that an answer is made from. */
type Inquiry = {
  question: OfflineQuestion;
  topic: Topic | undefined;
  round: Round;
  gathered: Gathered;
  ranking: Ranking;
  files: readonly string[];
};

export function decideChat(request: ModelRequest, round: Round, offered: ReadonlySet<string>): OfflineDecision {
  const { actions, rest } = actionsIn(round.text);
  const talk = round.piped === undefined && actions.length === 0 ? smallTalk(rest) : undefined;
  if (talk) return { type: "say", ...talk };
  const gathered = gather(request, round);
  const question = readPrompt(rest, round, gathered);
  const ranking = withStdin(question, gathered, rank(question, gathered));
  const files = namedFiles(question, gathered);
  const topic = round.piped === undefined ? topicOf(question) : undefined;
  const inquiry = { question, topic, round, gathered, ranking, files };
  const ordered = actions.map((action) => ({ action, call: actionCall(action, round) }));
  const searches = actions.length > 0 && rest === "" ? [] : nextSearches(inquiry);
  const calls = [...(round.steps === 0 ? ordered.map(({ call }) => call) : []), ...searches].filter((call) =>
    offered.has(call.name),
  );
  const left = MAX_CALLS - round.calls.length;
  if (calls.length > 0 && round.steps < MAX_STEPS && left > 0) return { type: "call", calls: calls.slice(0, left) };

  const reports = ordered.map(({ action, call }) =>
    reportAction(action, madeCall(round, call), offered.has(call.name)),
  );
  const paragraphs = reports.map((report) => report.text);
  let success = reports.every((report) => report.success);
  if (actions.length === 0 || rest !== "") {
    const answer = answerQuestion(inquiry);
    paragraphs.push(...answer.paragraphs);
    success &&= answer.found && !asksForChange(rest);
  }
  return { type: "say", paragraphs, success };
}

function readPrompt(prompt: string, round: Round, gathered: Gathered): OfflineQuestion {
  const read = readQuestion(prompt);
  // Who tells a value is interested in what it was before: the new one stands nowhere yet.
  const isValueNew = isTold(read.text) && read.words.length > 0;
  const question = isValueNew ? { ...read, terms: read.terms.filter(({ kind }) => kind !== "number") } : read;
  const isMissing =
    question.paths.length > 0 &&
    round.calls.some((call) => call.name === "glob") &&
    namedFiles(question, gathered).length === 0;
  return isMissing ? withPathsAsText(question) : question;
}

/** When no line of stdin holds what was asked, its most telling lines come first all the same. */
function withStdin(question: OfflineQuestion, gathered: Gathered, ranking: Ranking): Ranking {
  const lines = gathered.files.get(STDIN);
  if (lines === undefined || ranking.evidence.some((one) => one.type === "line" && one.path === STDIN)) return ranking;
  const telling = tellingLines(question, lines).map(
    (line): AnswerCandidate => ({ type: "line", path: STDIN, ...line, score: 1, matched: "", defines: false }),
  );
  return { ...ranking, evidence: [...telling, ...ranking.evidence] };
}

function nextSearches({ question, topic, round, gathered, ranking, files }: Inquiry): PlannedCall[] {
  const topicSteps = topic ? topicSearches(topic, question, round, gathered) : [];
  if (topicSteps.length > 0) return topicSteps;
  if (topic && topicRanges(topic, gathered).length > 0) return [];
  if (round.steps === 0 || round.calls.every((call) => isTopicCall(call))) {
    const piped = round.piped?.file === undefined ? [] : stdinSearch(question, round.piped.file);
    return [...piped, ...(isAboutStdin(question, ranking) ? [] : firstSearch(question))];
  }
  if (round.calls.some((call) => call.name === "view")) return [];
  const exists = question.paths.length > 0 && question.terms.length + question.words.length === 0 && files.length > 0;
  const testFiles = question.wants.tests || exists ? files : [];
  const evidence = ranking.evidence.filter((one) => one.type === "said" || one.path !== STDIN);
  if (evidence.length > 0 || exists || testFiles.length > 0) return views(evidence, testFiles, round.calls);
  if (isAboutStdin(question, ranking)) return [];
  const wider = round.steps > 1 ? [] : widerSearch(question);
  return wider.length > 0 ? wider : views([], namesakes(question, files), round.calls);
}

function topicSearches(topic: Topic, question: OfflineQuestion, round: Round, gathered: Gathered): PlannedCall[] {
  if (round.steps === 0) return topicSearch(topic);
  return round.steps === 1 ? topicViews(topic, question, gathered.names) : [];
}

/** Files that are called after what is asked for, so that one may be the answer though no line of it says so. */
function namesakes({ wants, words }: OfflineQuestion, files: readonly string[]): string[] {
  return wants.place ? files.filter((file) => isNamedAfter(file, words)).slice(0, MAX_NAMESAKES) : [];
}

/** True when stdin alone answers: it holds the words, or what failed in it is asked, and no name or file is. */
function isAboutStdin(question: OfflineQuestion, { evidence }: Ranking): boolean {
  const first = evidence[0];
  if (first?.type !== "line" || first.path !== STDIN || question.terms.length + question.paths.length > 0) return false;
  if (asksForJudgement(question.text)) return true;
  return question.words.length === 0 || first.matched !== "" || (asksForFailure(question) && !first.opens);
}

function answerQuestion(inquiry: Inquiry): { paragraphs: string[]; found: boolean } {
  const { question, topic, round, gathered, ranking, files } = inquiry;
  const ranges = topic ? topicRanges(topic, gathered) : [];
  const tree = topic?.type === "overview" ? topLevel(round) : [];
  if (ranges.length + tree.length > 0) {
    const quotes = ranges.slice(0, MAX_QUOTES).flatMap((range) => rangeQuotes(range, gathered).map(quoteText));
    return { paragraphs: [...quotes, ...tree], found: true };
  }
  const change = asksForChange(question.text) ? [CANNOT_CHANGE] : asksForJudgement(question.text) ? [CANNOT_JUDGE] : [];
  const isEmpty = question.terms.length + question.words.length + question.paths.length === 0;
  if (isEmpty && ranking.evidence.length === 0) return { paragraphs: [...change, NO_SUBJECT], found: false };
  const quotes = chooseQuotes(question, ranking.evidence, gathered).map(quoteText);
  if (round.piped === undefined && isTold(question.text)) {
    const isRecalled = round.calls.some(({ name }) => name === "recall");
    const before = quotes.length > 0 ? [TOLD_BEFORE, ...quotes] : [];
    return { paragraphs: [`${UNDERSTOOD} ${askLater(isRecalled)}`, ...before], found: true };
  }
  const listed =
    files.slice(0, MAX_FILES_NAMED).join(", ") +
    (files.length > MAX_FILES_NAMED ? `, and ${files.length - MAX_FILES_NAMED} more` : "");
  const fileList =
    files.length > 0 && (question.wants.place || question.wants.tests || question.paths.length > 0)
      ? [`Files by name: ${listed}`]
      : [];
  if (quotes.length === 0) {
    const where =
      gathered.looked.length > 0 ? `Looked in: ${gathered.looked.join("; ")}.` : "No search tool was offered.";
    const openings = namesakes(question, files)
      .filter((path) => gathered.files.has(path))
      .flatMap((path) => rangeQuotes({ path, from: 1, to: OPENING_LINES }, gathered).map(quoteText));
    return {
      paragraphs: [
        ...change,
        `${NOTHING_FOUND} about ${subjectOf(question)}. ${where} ${TRY_NEXT}`,
        ...fileList,
        ...openings,
      ],
      found: fileList.length > 0 && question.terms.length + question.words.length === 0,
    };
  }
  return { paragraphs: [...change, lead(question, ranking, quotes.join("\n")), ...quotes, ...fileList], found: true };
}

function subjectOf({ paths, terms, words }: OfflineQuestion): string {
  const names =
    terms.length > 0 ? terms.map((term) => term.text) : words.length > 0 ? words : paths.map(({ path }) => path);
  return names.map((name) => `\`${name}\``).join(" or ");
}

/** Says how well the quotes fit: what was asked for by name, and which words no quote mentions. */
function lead(question: OfflineQuestion, ranking: Ranking, shown: string): string {
  const terms = question.terms.map((term) => `\`${term.text}\``).join(", ");
  const first = ranking.evidence[0];
  if (first?.type === "line" && first.path === STDIN) return "From the text on stdin:";
  if (ranking.named === "missing") return `No match for ${terms}. Closest by the other words:`;
  if (ranking.named === "partial") return `No exact match for ${terms}. Closest:`;
  const absent =
    ranking.named === "exact" || asksForChange(question.text)
      ? []
      : question.words.filter((word) => wordHit(word, shown, pieces(shown)) === 0);
  const unseen = absent.map((word) => `'${word}'`).join(" or ");
  return absent.length > 0 ? `${BEST_FIRST}. No match mentions ${unseen}.` : `${BEST_FIRST}:`;
}

function actionCall(action: PromptAction, round: Round): PlannedCall {
  if (action.type === "run") {
    return {
      name: "bash",
      args: { command: action.command, description: "Run the command that the user gave", mode: "sync" },
    };
  }
  const subject = action.fact.split(/\s+/).slice(0, 6).join(" ").slice(0, 100);
  return {
    name: "store_memory",
    args: {
      subject,
      fact: action.fact,
      citations: [`t${round.prompt.turn}`],
      reason: "The user asked for it to be remembered.",
    },
  };
}

function madeCall(round: Round, planned: PlannedCall): MadeCall | undefined {
  const key = (args: Record<string, unknown>) => String(args["command"] ?? args["fact"]);
  return round.calls.find((call) => call.name === planned.name && key(call.args) === key(planned.args));
}

function reportAction(
  action: PromptAction,
  call: MadeCall | undefined,
  isOffered: boolean,
): { text: string; success: boolean } {
  const [what, doing, done, tool] =
    action.type === "run"
      ? [`\`${action.command}\``, "Running", "run", "no shell is offered"]
      : [`"${action.fact}"`, "Storing", "stored", "memory is not available"];
  if (call) return reportCall(`${doing} ${what}`, call);
  const why = isOffered ? `I make at most ${MAX_CALLS} calls` : `${tool} here`;
  return { text: `${what} was not ${done}: ${why}.`, success: false };
}
