// Keys that stop or leave: Esc, Ctrl+C, Ctrl+D, and what they mean when pressed twice.
import { emptyEditor } from "../editor/edit.ts";
import { expanded } from "../editor/text.ts";
import { doing, type Effect, isBusy, type ScreenState, type Step, stay } from "./message.ts";

const TWICE_MS = 500;
/** Within this time after an interrupt the same key stops what runs in the background. */
const STOP_ALL_MS = 3000;
const EXIT_MS = 2000;

export function cancel(state: ScreenState, now: number): Step {
  const { pressed } = state;
  if (isBusy(state)) return stop(state, now);
  if (now - pressed.interrupt < STOP_ALL_MS) return stopOthers(state, now);
  const isTwice = now - pressed.escape < TWICE_MS;
  const next = { ...state, pressed: { ...pressed, escape: isTwice ? 0 : now } };
  if (!isTwice) return stay(next);
  return state.editor.text === "" ? doing(next, { type: "panel", command: "rewind", args: "" }) : clear(next);
}

export function interrupt(state: ScreenState, now: number): Step {
  const { pressed } = state;
  if (isBusy(state)) return stop(state, now);
  if (state.editor.text !== "") return clear(state);
  if (now - pressed.interrupt < STOP_ALL_MS && state.facts.tasks.running.length > 0) return stopOthers(state, now);
  if (now - pressed.exit < EXIT_MS) return leave(state);
  return stay({
    ...state,
    pressed: { ...pressed, exit: now },
    hint: { text: "ctrl+c again to exit", until: now + EXIT_MS },
  });
}

export const leave = (state: ScreenState): Step => doing(state, { type: "exit" });

/** The turn and what it waits for; what runs in the background goes on and is counted. */
function stop(state: ScreenState, now: number): Step {
  const effects: Effect[] = state.shell ? [{ type: "stopShell" }] : [{ type: "interrupt" }];
  return doing({ ...state, pressed: { ...state.pressed, interrupt: now, escape: 0 } }, ...effects);
}

function stopOthers(state: ScreenState, now: number): Step {
  if (state.facts.tasks.running.length === 0) return stay(state);
  return doing({ ...state, pressed: { ...state.pressed, interrupt: now - STOP_ALL_MS } }, { type: "stopBackground" });
}

/** The text is not lost: it is the newest of the history. */
function clear(state: ScreenState): Step {
  const text = expanded(state.editor);
  return doing({ ...state, editor: emptyEditor, history: [...state.history, text] }, { type: "remember", text });
}
