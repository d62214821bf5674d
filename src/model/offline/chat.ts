// The offline model in a conversation: does what a line orders, searches in a few steps, then answers with quotes.
import type { ModelRequest } from "../contract.ts";
import type { AskedAction } from "./asked-actions.ts";
import { askedActions, asksForChange } from "./asked-actions.ts";
import type { Gathered } from "./gather.ts";
import { gather } from "./gather.ts";
import type { Question } from "./question.ts";
import { readQuestion } from "./question.ts";
import { chooseQuotes, quoteText } from "./quote.ts";
import type { Ranking } from "./rank.ts";
import { namedFiles, rank } from "./rank.ts";
import { reportCall } from "./report.ts";
import type { MadeCall, Round } from "./round.ts";
import type { PlannedCall } from "./search-plan.ts";
import { firstSearch, MAX_CALLS, MAX_STEPS, views, widerSearch } from "./search-plan.ts";
import { pieces, wordHit } from "./word-match.ts";
import { CANNOT_CHANGE, NO_SUBJECT, NOTHING_FOUND } from "./wording.ts";

/** Tools to call next, or what to say. `success` is what autopilot is told. */
export type Decision = { type: "call"; calls: PlannedCall[] } | { type: "say"; paragraphs: string[]; success: boolean };

const MAX_FILES_NAMED = 10;

export function decideChat(request: ModelRequest, round: Round, offered: ReadonlySet<string>): Decision {
  const { actions, rest } = askedActions(round.text);
  const question = readQuestion(rest);
  const gathered = gather(request, round);
  const ranking = rank(question, gathered);
  const files = namedFiles(question, gathered);
  const ordered = actions.map((action) => ({ action, call: actionCall(action, round) }));
  const calls = [
    ...(round.steps === 0 ? ordered.map(({ call }) => call) : []),
    ...nextSearches(question, round, ranking, files, actions.length),
  ].filter((call) => offered.has(call.name));
  const left = MAX_CALLS - round.calls.length;
  if (calls.length > 0 && round.steps < MAX_STEPS && left > 0) return { type: "call", calls: calls.slice(0, left) };

  const done = ordered.map(({ action, call }) => reportAction(action, madeCall(round, call), offered.has(call.name)));
  const paragraphs = done.map((report) => report.text);
  let success = done.every((report) => report.success);
  if (actions.length === 0 || rest !== "") {
    const answer = answerQuestion(question, gathered, ranking, files);
    paragraphs.push(...answer.paragraphs);
    success &&= answer.found && !asksForChange(rest);
  }
  return { type: "say", paragraphs, success };
}

function nextSearches(
  question: Question,
  round: Round,
  ranking: Ranking,
  files: readonly string[],
  actions: number,
): PlannedCall[] {
  if (actions > 0 && question.text === "") return [];
  if (round.steps === 0) return firstSearch(question);
  if (round.calls.some((call) => call.name === "view")) return [];
  const exists = question.paths.length > 0 && question.terms.length + question.words.length === 0 && files.length > 0;
  const testFiles = question.wants.tests || exists ? files : [];
  const found = ranking.evidence.length > 0 || exists;
  if (found || testFiles.length > 0) return views(ranking.evidence, testFiles, round.calls);
  return round.steps === 1 ? widerSearch(question) : [];
}

function answerQuestion(
  question: Question,
  gathered: Gathered,
  ranking: Ranking,
  files: readonly string[],
): { paragraphs: string[]; found: boolean } {
  const change = asksForChange(question.text) ? [CANNOT_CHANGE] : [];
  if (question.terms.length + question.words.length + question.paths.length === 0)
    return { paragraphs: [...change, NO_SUBJECT], found: false };
  const quotes = chooseQuotes(question, ranking.evidence, gathered).map(quoteText);
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
    return {
      paragraphs: [...change, `${NOTHING_FOUND} that holds ${subjectOf(question)}. ${where}`, ...fileList],
      found: fileList.length > 0 && question.terms.length + question.words.length === 0,
    };
  }
  return { paragraphs: [...change, lead(question, ranking, quotes.join("\n")), ...quotes, ...fileList], found: true };
}

function subjectOf({ paths, terms, words }: Question): string {
  const names =
    terms.length > 0 ? terms.map((term) => term.text) : words.length > 0 ? [] : paths.map(({ path }) => path);
  return names.length > 0 ? names.map((name) => `\`${name}\``).join(" or ") : `enough of: ${words.join(", ")}`;
}

/** Says how well the quotes fit: what was asked for by name, and which words no quote holds. */
function lead(question: Question, ranking: Ranking, shown: string): string {
  const terms = question.terms.map((term) => `\`${term.text}\``).join(", ");
  if (ranking.named === "missing") return `Nothing holds ${terms}. Nearest by the other words:`;
  if (ranking.named === "partial") return `Nothing holds exactly ${terms}. Nearest:`;
  const absent =
    ranking.named === "exact" || asksForChange(question.text)
      ? []
      : question.words.filter((word) => wordHit(word, shown, pieces(shown)) === 0);
  return absent.length > 0 ? `Best evidence first; none of it holds: ${absent.join(", ")}.` : "Best evidence first:";
}

function actionCall(action: AskedAction, round: Round): PlannedCall {
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
  action: AskedAction,
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
