// The keys: each action with its default keys and one line of help. keys.json rebinds them, the key list and docs show them.

export type KeyRow = { action: KeyAction; keys: readonly string[]; help: string };

type KeyAction = (typeof ROWS)[number]["action"];

const row = <const A extends string>(action: A, keys: readonly string[], help: string) => ({ action, keys, help });

const ROWS = [
  row("submit", ["enter"], "send; while the agent works, queue"),
  row("newLine", ["shift+enter", "alt+enter", "ctrl+j"], "new line; also \\ then Enter"),
  row("cancel", ["escape"], "close; interrupt; twice: clear the text, or rewind"),
  row("interrupt", ["ctrl+c"], "interrupt; clear the text; twice: exit"),
  row("exit", ["ctrl+d"], "exit when the editor is empty, else delete right"),
  row("background", ["ctrl+b"], "with an empty editor: move running work to the background, like /background"),
  row("mode", ["shift+tab"], "next mode: interactive, plan, autopilot"),
  row("transcript", ["ctrl+o"], "the whole transcript, with search"),
  row("todos", ["ctrl+t"], "todos"),
  row("searchHistory", ["ctrl+r"], "search what you sent before"),
  row("externalEditor", ["ctrl+g"], "write in your own editor"),
  row("redraw", ["ctrl+l"], "draw the screen again"),
  row("suspend", ["ctrl+z"], "suspend; fg comes back"),
  row("keyList", ["?"], "this list, when the editor is empty"),
  row("complete", ["tab"], "complete"),
  row("up", ["up", "ctrl+p"], "line up; at the top: earlier messages, or take a queued one back"),
  row("down", ["down", "ctrl+n"], "line down; at the end: later messages"),
  row("left", ["left"], "left"),
  row("right", ["right", "ctrl+f"], "right"),
  row("wordLeft", ["alt+left", "ctrl+left", "alt+b"], "word left"),
  row("wordRight", ["alt+right", "ctrl+right", "alt+f"], "word right"),
  row("lineStart", ["home", "ctrl+a"], "start of the line"),
  row("lineEnd", ["end", "ctrl+e"], "end of the line"),
  row("textStart", ["ctrl+home"], "start of the text"),
  row("textEnd", ["ctrl+end"], "end of the text"),
  row("deleteLeft", ["backspace", "shift+backspace"], "delete left"),
  row("deleteRight", ["delete"], "delete right"),
  row("killWordLeft", ["ctrl+w", "alt+backspace", "ctrl+backspace"], "cut the word to the left"),
  row("killWordRight", ["alt+d", "alt+delete"], "cut the word to the right"),
  row("killToLineStart", ["ctrl+u"], "cut to the start of the line"),
  row("killToLineEnd", ["ctrl+k"], "cut to the end of the line"),
  row("yank", ["ctrl+y"], "paste what was cut"),
  row("yankOlder", ["alt+y"], "after that: what was cut before"),
  row("undo", ["ctrl+-", "ctrl+_"], "undo"),
] as const;

export const keyTable: readonly KeyRow[] = ROWS;

/** Which action each key has. */
export type KeyBindings = Readonly<Record<string, KeyAction>>;

export const bindingsOf = (rows: readonly KeyRow[]): KeyBindings =>
  Object.fromEntries(rows.flatMap(({ action, keys }) => keys.map((key) => [key, action])));
