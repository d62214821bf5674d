// What is typed, from raw bytes: keys, pastes, and the terminal's own answers.
import { decodePrintableKey, isKeyRelease, parseKey } from "@earendil-works/pi-tui/dist/keys.js";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";

/** `id` is `enter`, `ctrl+o`, `a`; `text` is what it writes, when it writes something. */
export type KeyPress = { id: string; text?: string };

export type TypedInput =
  | { type: "key"; key: KeyPress }
  | { type: "paste"; text: string }
  /** An answer of the terminal to a question of ours. */
  | { type: "reply"; text: string };

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** Lines that arrive within this time were not typed by hand. */
const BURST_MS = 20;
const BURST_LINES = 3;

export type InputReader = {
  feed(bytes: string): void;
  /** No more input comes: what was being pasted is given as it is. */
  end(): void;
};

/** `escapeMs`: how long a lone escape waits for the rest of a sequence. */
export function inputReader(escapeMs: number, on: (input: TypedInput) => void): InputReader {
  const sequences = new StdinBuffer({ escapeTimeout: escapeMs });
  let half = "";
  sequences.on("data", (data) => {
    // A character of two units comes in halves.
    const whole = half + data;
    half = /[\ud800-\udbff]$/.test(whole) ? whole : "";
    if (half === "") for (const input of inputOf(whole)) on(input);
  });
  /** What has come of a paste; its end is looked for in what is new only, since a paste may be of any size. */
  let paste: { pieces: string[]; tail: string } | undefined;
  let burst = "";
  let timer: NodeJS.Timeout | undefined;

  const endBurst = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = burst;
    burst = "";
    if (text.split(/\r\n?|\n/).length >= BURST_LINES && !text.includes("\u001b"))
      on({ type: "paste", text: pasted(text) });
    else if (text !== "") sequences.process(text);
  };

  const typed = (text: string): void => {
    if (text === "") return;
    // A line and more in one piece may be the start of a burst; a single Enter is a key.
    const mayBurst = burst !== "" || (text.length > 1 && /[\r\n]/.test(text) && !text.startsWith("\u001b"));
    if (!mayBurst) return sequences.process(text);
    burst += text;
    clearTimeout(timer);
    timer = setTimeout(endBurst, BURST_MS);
  };

  const feed = (bytes: string): void => {
    if (paste !== undefined) {
      const news = paste.tail + bytes;
      paste.pieces.push(bytes);
      const end = news.indexOf(PASTE_END);
      if (end < 0) {
        paste.tail = news.slice(1 - PASTE_END.length);
        return;
      }
      const whole = paste.pieces.join("");
      const at = whole.length - news.length + end;
      paste = undefined;
      on({ type: "paste", text: pasted(whole.slice(0, at)) });
      const rest = whole.slice(at + PASTE_END.length);
      return rest === "" ? undefined : feed(rest);
    }
    const start = bytes.indexOf(PASTE_START);
    if (start < 0) return typed(bytes);
    typed(bytes.slice(0, start));
    endBurst();
    paste = { pieces: [], tail: "" };
    feed(bytes.slice(start + PASTE_START.length));
  };

  return {
    feed,
    end() {
      endBurst();
      const partial = paste?.pieces.join("") ?? "";
      if (partial !== "") on({ type: "paste", text: pasted(partial) });
      paste = undefined;
      sequences.destroy();
    },
  };
}

/** tmux may send control characters of a paste as CSI-u keys; every kind of line end is one. */
const pasted = (text: string): string =>
  text
    .replace(/\u001b\[(\d+);5u/g, (whole, code: string) => {
      const letter = Number(code) & 0x1f;
      return letter === 10 || letter === 13 ? "\n" : letter === 9 ? "\t" : whole;
    })
    .replace(/\r\n?/g, "\n");

// Cursor position, modes, colours, device attributes, keyboard flags, focus.
const REPLY = /^\u001b(?:\[\d+;\d+R|\[[?>][\d;]*(?:\$y|c|u)|\[[IO]|\]|P)/;

function inputOf(data: string): TypedInput[] {
  if (data === "" || isKeyRelease(data)) return [];
  if (REPLY.test(data)) return [{ type: "reply", text: data }];
  if (data === "\n") return [key("ctrl+j")];
  if (data === "\u001b\u001b") return [key("escape"), key("escape")];
  const text = decodePrintableKey(data) ?? (isPrintable(data) ? data : undefined);
  const id = parseKey(data) ?? text;
  return id === undefined ? [] : [key(id, text)];
}

const key = (id: string, text?: string): TypedInput => ({
  type: "key",
  key: text === undefined ? { id } : { id, text },
});

const isPrintable = (data: string): boolean => {
  const code = data.codePointAt(0) ?? 0;
  return code >= 32 && code !== 127 && !(code >= 0x80 && code < 0xa0);
};
