// The list of completions: what a key does while it is open, and when it opens, follows or closes.
import { accept, type CompletionToken, isSameToken, moved, tokenAt } from "../completion/completion.ts";
import type { KeyPress } from "../terminal/input.ts";
import { doing, type ScreenMessage, type ScreenState, type Step, stay } from "./message.ts";
import { submit } from "./submit.ts";

/** Undefined: the key is not the list's. */
export function onCompletionKey(state: ScreenState, key: KeyPress): Step | undefined {
  const { completion } = state;
  const row = completion?.rows[completion.at];
  if (!completion || !row) return undefined;
  const closed = { ...state, completion: undefined };
  switch (state.bindings[key.id]) {
    case "up":
      return stay({ ...state, completion: moved(completion, -1) });
    case "down":
      return stay({ ...state, completion: moved(completion, 1) });
    case "cancel":
      return stay(closed);
    case "complete":
      return followText({ ...closed, editor: accept(state.editor, completion) });
    case "submit": {
      const { token, rows } = completion;
      if (token.kind === "command" && rows.some(({ label }) => label === `/${token.query}`)) return submit(closed);
      const accepted = { ...closed, editor: accept(state.editor, completion) };
      // A slip of the finger is only completed: what would run is read first.
      const isMeant = token.kind !== "command" || row.label.startsWith(`/${token.query}`);
      return row.isWhole && isMeant ? submit(accepted) : followText(accepted);
    }
    default:
      return undefined;
  }
}

/** The list follows what is typed; a text that came otherwise (history, paste, a draft) opens none. */
export function followTyping(before: ScreenState, step: Step, message: ScreenMessage): Step {
  const { state } = step;
  if (state.editor.text === before.editor.text && state.editor.cursor === before.editor.cursor) return step;
  if (
    message.type !== "key" ||
    !isTyping(state, message.key) ||
    state.search ||
    state.panel ||
    state.questions.length > 0
  )
    return state.completion ? { ...step, state: { ...state, completion: undefined } } : step;
  const followed = followText(state);
  return { state: followed.state, effects: [...step.effects, ...followed.effects] };
}

function isTyping({ bindings }: ScreenState, key: KeyPress): boolean {
  const action = bindings[key.id];
  return action === undefined || action === "keyList" || action === "complete" || action === "deleteLeft";
}

/** Until the new rows are there, the old ones of the same kind are shown. */
function followText(state: ScreenState): Step {
  const token = tokenAt(state.editor);
  if (!token) return stay({ ...state, completion: undefined });
  if (isSameToken(state.completion?.token, token)) return stay(state);
  const rows = state.completion?.token.kind === token.kind ? state.completion.rows : [];
  return doing({ ...state, completion: { token, rows, at: 0 } }, { type: "complete", token });
}

export function takeRows(
  state: ScreenState,
  { token, rows }: { token: CompletionToken; rows: NonNullable<ScreenState["completion"]>["rows"] },
): ScreenState {
  return isSameToken(state.completion?.token, token) ? { ...state, completion: { token, rows, at: 0 } } : state;
}
