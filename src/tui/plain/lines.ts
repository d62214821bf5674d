// The terminal of plain mode: lines one after another, one input line below, and whoever asked last gets the next line.
import { createInterface, type Interface } from "node:readline";
import { suspendable } from "../../base/suspend.ts";
import { visible } from "../../base/text.ts";

export type PlainLines = {
  /** A whole line or several, above the input. */
  print(text: string): void;
  /** Asks; resolves with the typed line, or undefined when the signal aborts or the input ends. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
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
  let continued = "";
  let isEarlier = false;
  rl.setPrompt(promptText);

  // A terminal that only appends gets a new line; what was typed so far is shown again with the prompt.
  const clearInput = () => process.stdout.write(isDumb ? "\n" : "\r\u001b[J");
  const redraw = () => rl.prompt(true);

  suspendable(rl, redraw);
  rl.on("line", (line) => {
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
      rl.prompt();
      return;
    }
    const whole = continued + line;
    continued = "";
    rl.setPrompt(promptText);
    events.line(whole);
  });
  rl.on("SIGINT", () => {
    const typed = continued + rl.line;
    continued = "";
    rl.write(null, { ctrl: true, name: "e" });
    rl.write(null, { ctrl: true, name: "u" });
    events.interrupt(typed);
  });
  const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
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
      process.stdout.write(`${visible(text)}
`);
      redraw();
    },
    ask(question, signal) {
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
        rl.setPrompt(question);
        rl.prompt();
      });
    },
    prompt: () => rl.prompt(true),
    setPrompt(text) {
      promptText = text;
      if (!waiting) rl.setPrompt(text);
    },
    close: () => rl.close(),
  };
}
