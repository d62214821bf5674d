// The terminal of plain mode: lines one after another, one input line below, and whoever asked last gets the next line.
import { createInterface, type Interface } from "node:readline";
import { suspendable } from "../../base/suspend.ts";
import { visible } from "../../base/text.ts";
import { widthOf } from "../text/width.ts";

export type PlainLines = {
  /** A whole line or several, above the input. */
  print(text: string): void;
  /** Asks; resolves with the typed line, or undefined when the signal aborts or the input ends. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Whether nothing runs, so that the next line is theirs: the prompt is shown once, when it begins to be so. */
  turn(isTheirs: boolean): void;
  /** Shows the prompt where it is their turn. */
  prompt(): void;
  setPrompt(text: string): void;
  close(): void;
};

export type PlainEvents = {
  line: (text: string) => void;
  /** Ctrl+C; `typed` is what stood in the input line, which is now empty. */
  interrupt: (typed: string) => void;
  /** Ctrl+B. */
  background: () => void;
  end: () => void;
};

/** Readline resets the mode when it closes; of a terminal that is gone that must not end the session like a bug. */
function forgiveLostTerminal({ stdin, stderr }: NodeJS.Process): void {
  const setRawMode = stdin.setRawMode.bind(stdin);
  stdin.setRawMode = (mode) => {
    try {
      return setRawMode(mode);
    } catch {
      return stdin; // it has no mode any more
    }
  };
  stderr.on("error", () => undefined); // nobody is there to read it
}

/** Readline edits nothing where a terminal knows no control sequence: what removes a letter is done here. */
function editDumbLine(rl: Interface, key: { ctrl?: boolean; name?: string } | undefined): void {
  // Readline has taken the key as a letter.
  const typed = rl.line.replaceAll(/\p{Cc}/gu, "");
  const isCleared = key?.ctrl === true && key.name === "u";
  const rest = isCleared ? "" : key?.name === "backspace" ? [...typed].slice(0, -1).join("") : typed;
  Object.assign(rl, { line: rest, cursor: rest.length });
  process.stdout.write("\b \b".repeat(widthOf(typed) - widthOf(rest)));
}

/** `isDumb`: the terminal knows no control sequence. */
export function openLines(events: PlainEvents, isDumb: boolean): PlainLines {
  forgiveLostTerminal(process);
  const rl: Interface = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: true,
    historySize: 1000,
    removeHistoryDuplicates: true,
  });
  let waiting: ((answer: string | undefined) => void) | undefined;
  let promptText = "> ";
  let question = "";
  let continued = "";
  let isEarlier = false;
  /** Nothing runs: a line may be typed, and the prompt says so. */
  let isTheirTurn = false;
  /** The last line on the screen is the prompt. */
  let isShown = false;
  rl.setPrompt(promptText);

  /** A terminal that only appends gets a new line. */
  const clearInput = () => {
    if (isShown || rl.line !== "") process.stdout.write(isDumb ? "\n" : "\r\u001b[J");
    isShown = false;
  };
  /** What was typed so far is shown again behind it. */
  const showPrompt = () => {
    isShown = true;
    rl.prompt(true);
    if (isDumb) process.stdout.write(rl.line);
  };
  const prompt = () => {
    if (isShown || !(isTheirTurn || waiting)) return;
    clearInput();
    showPrompt();
  };
  const redraw = () => {
    isShown = false;
    prompt();
  };

  suspendable(rl, redraw);
  rl.on("line", (line) => {
    isShown = false;
    if (waiting && !isEarlier) {
      const answer = waiting;
      waiting = undefined;
      rl.setPrompt(promptText);
      answer(line);
      return;
    }
    isEarlier = false;
    if (line.endsWith("\\")) {
      continued += `${line.slice(0, -1)}\n`;
      rl.setPrompt("… ");
      showPrompt();
      return;
    }
    const whole = continued + line;
    continued = "";
    rl.setPrompt(waiting ? question : promptText);
    events.line(whole);
  });
  rl.on("SIGINT", () => {
    const typed = continued + rl.line;
    continued = "";
    clearInput();
    Object.assign(rl, { line: "", cursor: 0 });
    events.interrupt(typed);
  });
  const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (isDumb) editDumbLine(rl, key);
    if (key?.ctrl && key.name === "b") events.background();
  };
  process.stdin.on("keypress", onKey);
  rl.on("close", () => {
    process.stdin.off("keypress", onKey);
    waiting?.(undefined);
    events.end();
  });

  return {
    print(text) {
      clearInput();
      process.stdout.write(`${visible(text)}\n`);
      if (isTheirTurn || waiting || rl.line !== "") showPrompt();
    },
    ask(text, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      clearInput();
      return new Promise((resolve) => {
        const withdraw = () => settle(undefined);
        const settle = (answer: string | undefined) => {
          signal.removeEventListener("abort", withdraw);
          if (waiting === settle) waiting = undefined;
          rl.setPrompt(promptText);
          resolve(answer);
        };
        signal.addEventListener("abort", withdraw, { once: true });
        // A line that was begun before the question answers nothing.
        isEarlier = rl.line !== "";
        waiting = settle;
        question = text;
        rl.setPrompt(question);
        showPrompt();
      });
    },
    turn(isTheirs) {
      isTheirTurn = isTheirs;
      prompt();
    },
    prompt,
    setPrompt(text) {
      promptText = text;
      if (!waiting) rl.setPrompt(text);
    },
    close: () => rl.close(),
  };
}
