// One step of the screen: what happened goes in, the next state and what has to be done come out. Pure.
import { reduceBlocks } from "../../runtime/client/transcript.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { pasteText, replaceText } from "../editor/edit.ts";
import { expanded, insert, textOf } from "../editor/text.ts";
import { openQuestion } from "../question/question.ts";
import { idle, reduceActivity } from "../state/activity.ts";
import { noFacts, reduceFacts } from "../state/facts.ts";
import { withOutput } from "../state/front-shell.ts";
import { followTyping, takeRows } from "./completion.ts";
import { onKey } from "./key.ts";
import { doing, type ScreenMessage, type ScreenState, type Step, stay } from "./message.ts";

/** A larger paste goes to a file. */
const LARGE_PASTE_BYTES = 5 * 1024 * 1024;

export function update(state: ScreenState, message: ScreenMessage): Step {
  return followTyping(state, advance(state, message), message);
}

function advance(state: ScreenState, message: ScreenMessage): Step {
  switch (message.type) {
    case "key":
      return onKey(
        state.columns === message.columns ? state : { ...state, columns: message.columns },
        message.key,
        message.now,
      );
    case "paste":
      return onPaste(state, message.text);
    case "event":
      return stay(onEvent(state, message.event));
    case "opened":
      return stay(forOtherSession(state));
    case "asked":
      return doing(
        { ...state, questions: [...state.questions, openQuestion(message.id, message.body)] },
        { type: "bell" },
      );
    case "withdrawn":
      return stay(withdraw(state, message.id));
    case "shown":
      return stay(markShown(state, message.now));
    case "hint":
      return stay({ ...state, hint: { text: message.text, until: message.until } });
    case "sent":
      return stay({ ...state, sending: Math.max(0, state.sending - 1) });
    case "shell":
      return stay({ ...state, shell: message.shell });
    case "shellOutput":
      return stay({ ...state, shell: state.shell && withOutput(state.shell, message.text) });
    case "returned":
      return stay({ ...state, editor: replaceText(state.editor, returned(state, message.texts)) });
    case "written":
      return stay({ ...state, editor: replaceText(state.editor, message.text) });
    case "insert":
      return stay({ ...state, editor: replaceText(state.editor, insert(state.editor, message.text)) });
    case "completions":
      return stay(takeRows(state, message));
    case "panel":
      return stay({ ...state, panel: message.panel });
  }
}

/** Blocks on the screen stay where they are; they are not of this session. */
const forOtherSession = (state: ScreenState): ScreenState => ({
  ...state,
  earlier: state.transcript.settled?.count ?? 0,
  facts: { ...noFacts, autopilot: state.facts.autopilot },
  activity: idle,
  queue: [],
  sending: 0,
});

/** Words for a search that is open; everything else stands in the editor, under a panel too: nothing pasted is lost. */
function onPaste(state: ScreenState, text: string): Step {
  const { search, panel } = state;
  const words = text.trim();
  if (words.length > 1 && !words.includes("\n")) {
    if (search) return stay({ ...state, search: { words: search.words + words, at: 0 } });
    const action = panel?.view.handle({ id: "paste", text: words }, panel.state);
    if (panel && action?.type === "show" && action.state !== panel.state)
      return stay({ ...state, panel: { ...panel, state: action.state } });
  }
  if (Buffer.byteLength(text) > LARGE_PASTE_BYTES) return doing(state, { type: "savePaste", text });
  return stay({ ...state, editor: pasteText(state.editor, text) });
}

function onEvent(state: ScreenState, event: Envelope): ScreenState {
  return {
    ...state,
    transcript: reduceBlocks(state.transcript, event),
    facts: reduceFacts(state.facts, event),
    activity: reduceActivity(state.activity, event),
    queue: queueAfter(state.queue, event),
    sending: event.type === "turn.start" && event.agentId === undefined ? 0 : state.sending,
  };
}

function queueAfter(queue: ScreenState["queue"], event: Envelope): ScreenState["queue"] {
  if (event.agentId !== undefined) return queue;
  switch (event.type) {
    case "message.queued":
      return event.data.hidden || (event.data.source ?? "user") === "notification"
        ? queue
        : [...queue, { id: event.data.messageId, text: event.data.display ?? event.data.content }];
    case "message.dequeued":
    case "user.message":
      return queue.some(({ id }) => id === event.data.messageId)
        ? queue.filter(({ id }) => id !== event.data.messageId)
        : queue;
    default:
      return queue;
  }
}

/** Whoever asked has gone; what was being written for it gives way to the draft. */
function withdraw(state: ScreenState, id: number): ScreenState {
  const question = state.questions.find((one) => one.id === id);
  if (!question) return state;
  return {
    ...state,
    questions: state.questions.filter((one) => one.id !== id),
    editor: question.writing?.draft ?? state.editor,
  };
}

function markShown(state: ScreenState, now: number): ScreenState {
  const [first, ...rest] = state.questions;
  if (!first || first.shownAt !== undefined) return state;
  return { ...state, questions: [{ ...first, shownAt: now }, ...rest] };
}

/** Messages that were not sent, then the draft, with the cursor at the end. */
function returned({ editor }: ScreenState, texts: readonly string[]) {
  const draft = expanded(editor);
  return textOf([...texts, ...(draft === "" ? [] : [draft])].join("\n\n"));
}
