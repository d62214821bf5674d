// The live part of the screen, top to bottom: blocks that still change, queue, question or panel, editor, status, hint.
import { directivesIn } from "../../runtime/client/directive.ts";
import { expanded, markBefore } from "../editor/text.ts";
import { type Activity, activityOf } from "../state/activity.ts";
import type { TerminalSize } from "../terminal/adapter.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import type { ScreenState } from "../update/message.ts";
import { historyMatches } from "../update/search.ts";
import { renderActivity } from "./activity.ts";
import { renderCompletion } from "./completion.ts";
import { renderEditor } from "./editor.ts";
import { fitLine, ruleLine } from "./line.ts";
import { questionKeys, renderQuestion } from "./question.ts";
import { renderQueue } from "./queue.ts";
import { renderStatusLine } from "./status-line.ts";

export type ScreenChoices = {
  look: Look;
  statusItems: readonly string[];
  hasMotion: boolean;
  /** Lines such as `preference: …` are kept for later sessions. */
  promotes: boolean;
  /** What the user's own status command said. */
  custom?: string | undefined;
  /** Where the gateway of this home listens. */
  gateway?: string | undefined;
};

/** From here on a line of space stands over the editor. */
const ROOMY_ROWS = 16;
const MOST_COMPLETIONS = 9;
const LEAST: TerminalSize = { columns: 40, rows: 10 };

export const isTooSmall = ({ columns, rows }: TerminalSize): boolean => columns < LEAST.columns || rows < LEAST.rows;

/** `live`: the lines of blocks that still change. Never more lines than the screen has rows. */
export function renderScreen(
  state: ScreenState,
  live: readonly string[],
  size: TerminalSize,
  now: number,
  choices: ScreenChoices,
): string[] {
  const { look } = choices;
  const width = size.columns;
  if (isTooSmall(size)) return [fitLine([span(`too small: need ${LEAST.columns}x${LEAST.rows}`)], width, look)];
  // In a small window a question needs every row: what is asked must be seen.
  const isCramped = size.rows < ROOMY_ROWS && state.questions.length > 0;
  const status = isCramped
    ? []
    : [
        renderStatusLine(
          { ...state.facts, custom: choices.custom, gateway: choices.gateway },
          choices.statusItems,
          width,
          look,
        ),
        promotionHint(state, width, choices) ?? hintLine(state, now, width, look),
      ];
  const activity = renderActivity(
    shownActivity(state),
    state.activity.last,
    { now, hasMotion: choices.hasMotion },
    width,
    look,
  );
  const below = lowerPart(state, activity, size, look);
  const space = size.rows >= ROOMY_ROWS ? [""] : [];
  const foot = [...space, ...below, ...status].slice(-size.rows);
  const room = Math.min(Math.max(3, size.rows - 8), size.rows - foot.length);
  const queue = renderQueue(state.queue, width, look).slice(0, Math.max(0, Math.min(3, room)));
  return [...tail(live, room - queue.length, width, look), ...queue, ...foot];
}

/** The editor under its rule; a question over it, or a panel in its place. */
function lowerPart(state: ScreenState, activity: string, size: TerminalSize, look: Look): string[] {
  const width = size.columns;
  const rows = Math.max(1, Math.floor(size.rows * 0.3));
  const rule = ruleLine([], width, look);
  const [question] = state.questions;
  if (state.search) return [activity, ...searchLines(state, width, look), rule];
  if (question) {
    const isCramped = size.rows < ROOMY_ROWS;
    const editor = renderEditor(state.editor, width, look, isCramped ? 1 : 3);
    const room = size.rows - editor.length - (isCramped ? 0 : 4);
    const lines = renderQuestion(question, waitingCount(state), width, look, room);
    return [...lines, ...(isCramped ? [] : [rule]), ...editor];
  }
  if (state.panel) {
    const room = Math.max(3, size.rows - 6);
    const lines = state.panel.view.render(state.panel.state, width, look, room);
    return [ruleLine([span(`/${state.panel.command}`, "accent", "bold")], width, look), ...lines.slice(0, room)];
  }
  const editor = renderEditor(state.editor, width, look, rows);
  const list = renderCompletion(
    state.completion,
    width,
    look,
    Math.min(MOST_COMPLETIONS, size.rows - editor.length - 6),
  );
  return [...list, activity, ...editor, rule];
}

/** Permission questions come to the screen one at a time; the others wait behind them. */
function waitingCount({ questions, facts }: ScreenState): number {
  const permissions = questions.filter(({ body }) => body.type === "permission").length;
  return questions.length + Math.max(0, facts.asking - permissions);
}

function shownActivity({ activity, sending, shell, questions }: ScreenState): Activity | undefined {
  if (questions.length > 0) return undefined; // what it waits for is a person
  if (shell) return { words: `running ${shell.command}`, since: shell.since, cancels: "esc ends it" };
  const now = activityOf(activity);
  return now ?? (sending > 0 ? { words: "sending", since: Number.POSITIVE_INFINITY } : undefined);
}

/** The last lines, with a count of those above them. */
function tail(lines: readonly string[], rows: number, width: number, look: Look): string[] {
  if (lines.length <= rows) return [...lines];
  if (rows <= 1) return lines.slice(lines.length - Math.max(0, rows));
  const hidden = lines.length - rows + 1;
  return [fitLine([span(`${look.glyphs.ellipsis} ${hidden} more above`, "dim")], width, look), ...lines.slice(hidden)];
}

function searchLines({ search, history }: ScreenState, width: number, look: Look): string[] {
  const words = search?.words ?? "";
  const matches = historyMatches(history, words);
  const match = matches[search?.at ?? 0];
  const count = matches.length === 0 ? "no match" : `${(search?.at ?? 0) + 1}/${matches.length}`;
  return [
    fitLine(
      [span("search: ", "accent"), span(words), span(" ", undefined, "inverse"), span(`  (${count})`, "dim")],
      width,
      look,
    ),
    fitLine([span(match === undefined ? "" : `${look.glyphs.user} ${match.replaceAll("\n", " ")}`)], width, look),
  ];
}

/** What is written will be kept; said before it is sent. */
function promotionHint(
  { editor, panel, search }: ScreenState,
  width: number,
  choices: ScreenChoices,
): string | undefined {
  if (!choices.promotes || panel || search || !editor.text.includes(":")) return undefined;
  const scopes = new Set(directivesIn(expanded(editor)).map(({ scope }) => scope));
  if (scopes.size === 0) return undefined;
  return fitLine([span(`will be promoted to ${[...scopes].join(" and ")}`, "accent")], width, choices.look);
}

function hintLine(state: ScreenState, now: number, width: number, look: Look): string {
  if (state.hint && now <= state.hint.until) return fitLine([span(state.hint.text, "warning")], width, look);
  return fitLine([span(keysNow(state).join(` ${look.glyphs.dot} `), "dim")], width, look);
}

const IN_FRONT = ["ctrl+b or /background", "shift+tab mode"];

/** What keys do at this moment, the most useful first. */
function keysNow(state: ScreenState): string[] {
  const { search, questions, completion, panel, activity, shell, editor } = state;
  const [question] = questions;
  if (search) return ["enter inserts", "ctrl+r older", "esc closes"];
  if (question) return questionKeys(question);
  if (completion && completion.rows.length > 0) return ["tab completes", "enter takes it", "esc closes"];
  if (panel) return ["esc closes"];
  const isWorking = activity.turnSince !== undefined;
  if (markBefore(editor)) return [isWorking ? "enter queues" : "enter sends", "the same paste again shows it whole"];
  if (isWorking) return ["enter queues", "esc interrupts", ...IN_FRONT];
  if (shell) return ["esc ends it", ...IN_FRONT];
  return ["? keys", "/ commands", "@ files", "! shell", "shift+tab mode"];
}
