// The terminal: raw mode, size, questions to it, and every byte that goes out. Whatever was set is unset when it closes.
import { type InputReader, inputReader, type TypedInput } from "./input.ts";

export type TerminalSize = { columns: number; rows: number };

type TerminalEvents = {
  input(input: TypedInput): void;
  resize(): void;
  /** Nobody can read or write here any more. */
  lost(reason: "gone" | "full"): void;
};

export type TerminalAdapter = {
  size(): TerminalSize;
  write(bytes: string): void;
  /** The first answer that fits, or undefined after `ms`. */
  ask(question: string, answer: RegExp, ms: number): Promise<string | undefined>;
  /** Gives the terminal back as it was, for as long as another program has it. */
  release(): void;
  take(): void;
  close(): void;
};

const CSI = "\u001b[";
/** Bracketed paste, and keys such as Shift+Enter told apart where the terminal can. The cursor is drawn by us. */
const SET = `${CSI}?2004h${CSI}>1u${CSI}>4;1m${CSI}?25l`;
const UNSET = `${CSI}?7h${CSI}?25h${CSI}>4;0m${CSI}<u${CSI}?2004l`;
/** Never written: the alternate screen, mouse modes, and erasing what the user can scroll back to. */
const FORBIDDEN = /\u001b\[(?:3J|\?(?:1049|1047|47|9|100[0-6]|1015|1016)[hl])/g;
const ASSUMED: TerminalSize = { columns: 80, rows: 24 };

type TerminalStreams = Pick<NodeJS.Process, "stdin" | "stdout">;

export function openTerminalAdapter(
  events: TerminalEvents,
  escapeMs: number,
  streams: TerminalStreams = process,
): TerminalAdapter {
  const { stdin, stdout } = streams;
  let reader: InputReader | undefined;
  const waiting = new Set<(reply: string) => boolean>();

  const onInput = (input: TypedInput): void => {
    if (input.type !== "reply") return events.input(input);
    for (const one of waiting)
      if (one(input.text)) {
        waiting.delete(one);
        return;
      }
  };
  const onData = (bytes: string): void => reader?.feed(bytes);
  const onEnd = (): void => {
    reader?.end();
    events.lost("gone");
  };
  const onError = (error: NodeJS.ErrnoException): void => events.lost(error.code === "ENOSPC" ? "full" : "gone");
  const setRaw = (on: boolean): void => {
    try {
      stdin.setRawMode(on);
    } catch {
      events.lost("gone"); // it has no mode any more
    }
  };

  const write = (bytes: string): void => {
    if (bytes === "" || stdout.destroyed || stdout.writableEnded) return;
    stdout.write(bytes.replace(FORBIDDEN, ""));
  };
  const onResize = (): void => events.resize();

  const take = (): void => {
    setRaw(false); // the shell may have changed the mode; only a change sets it again
    setRaw(true);
    reader = inputReader(escapeMs, onInput);
    stdin.setEncoding("utf8");
    stdin.on("data", onData);
    stdin.resume();
    write(SET);
  };
  const release = (): void => {
    write(UNSET);
    stdin.off("data", onData);
    stdin.pause();
    reader?.end();
    reader = undefined;
    setRaw(false);
  };

  stdin.on("end", onEnd);
  stdin.on("error", onError);
  stdout.on("error", onError);
  stdout.on("resize", onResize);
  take();

  return {
    size: () => sizeOf(stdout),
    write,
    ask: (question, answer, ms) =>
      new Promise((resolve) => {
        const settle = (reply: string | undefined): void => {
          clearTimeout(timer);
          waiting.delete(listen);
          resolve(reply);
        };
        const listen = (reply: string): boolean => {
          if (!answer.test(reply)) return false;
          settle(reply);
          return true;
        };
        const timer = setTimeout(() => settle(undefined), ms);
        waiting.add(listen);
        write(question);
      }),
    release,
    take,
    close() {
      release();
      stdin.off("end", onEnd);
      stdout.off("resize", onResize);
      // Errors of a terminal that is gone may still come; nobody is left to be told.
    },
  };
}

/** Asked of the system, not remembered: a size that is a moment old draws in the wrong place. */
function sizeOf(stdout: NodeJS.WriteStream): TerminalSize {
  // Node itself asks only when the signal has arrived.
  (stdout as NodeJS.WriteStream & { _refreshSize?(): void })._refreshSize?.();
  return { columns: stdout.columns || ASSUMED.columns, rows: stdout.rows || ASSUMED.rows };
}
