// The built program in a real terminal, seen through a terminal emulator: rows, scrollback, and every byte that was written.
import { dirname } from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { expect, onTestFinished } from "vitest";
import { bin } from "../agent/terminal.ts";
import { NODE_FLAGS, type Place } from "../tool/everlong.ts";

export type Screen = {
  pid: number;
  /** The visible rows, without trailing spaces. */
  rows(): string[];
  /** The same as one text. */
  text(): string;
  /** Scrollback and visible rows. */
  all(): string[];
  /** Every byte that the program wrote. */
  raw(): string;
  /** Resolves when the visible rows show it. */
  see(text: string | RegExp): Promise<void>;
  /** Resolves when they show it no more. */
  lose(text: string | RegExp): Promise<void>;
  /** Resolves when the scrollback or the rows show it. */
  reach(text: string | RegExp): Promise<void>;
  type(text: string): void;
  press(...keys: (keyof typeof KEYS)[]): void;
  paste(text: string): void;
  /** Between two frames. */
  resize(columns: number, rows: number): Promise<void>;
  /** Whatever is on its way. */
  resizeNow(columns: number, rows: number): void;
  /** Resolves when nothing was written for a while; gives how many bytes there are. */
  quiet(): Promise<number>;
  hangUp(): void;
  kill(signal: NodeJS.Signals): void;
  exit: Promise<number>;
};

/** The emulator says that it can synchronise output. */
const FRAME_END = "\u001b[?2026l";

const KEYS = {
  enter: "\r",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  left: "\u001b[D",
  pageDown: "\u001b[6~",
  backspace: "\u007f",
  tab: "\t",
  "shift+tab": "\u001b[Z",
  "alt+enter": "\u001b\r",
  "ctrl+b": "\u0002",
  "ctrl+c": "\u0003",
  "ctrl+d": "\u0004",
  "ctrl+g": "\u0007",
  "ctrl+j": "\n",
  "ctrl+l": "\u000c",
  "ctrl+o": "\u000f",
  "ctrl+r": "\u0012",
  "ctrl+z": "\u001a",
};

export type ScreenOptions = {
  args?: string[];
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** A terminal that answers no question. */
  isMute?: true;
  /** Another program than ours, such as a shell. */
  program?: [string, ...string[]];
};

export function openScreen(place: Place, options: ScreenOptions = {}): Screen {
  const { columns: cols = 80, rows = 24, args = [], env = {} } = options;
  const [program, ...line] = options.program ?? [process.execPath, ...NODE_FLAGS, bin, ...args];
  const pty = spawn(program, line, {
    name: env["TERM"] ?? "xterm-256color",
    cols,
    rows,
    cwd: place.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      HOME: dirname(place.home),
      EVERLONG_HOME: place.home,
      OLLAMA_HOST: "http://127.0.0.1:9",
      EVERLONG_CONSOLIDATE_ON_EXIT: "false",
      ...place.env,
      ...env,
    },
  });
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 100_000, allowProposedApi: true });
  let raw = "";
  let parsed = Promise.resolve();
  let isGone = false;
  pty.onData((data) => {
    raw += data;
    parsed = new Promise((resolve) => terminal.write(data, resolve));
  });
  terminal.onData((reply) => !isGone && !options.isMute && pty.write(reply));
  const exit = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      isGone = true;
      void parsed.then(() => resolve(signal ? 128 + signal : exitCode));
    });
  });
  onTestFinished(async () => {
    if (!isGone) pty.kill("SIGKILL");
    await exit;
    terminal.dispose();
  });

  const linesFrom = (first: number): string[] => {
    const { active } = terminal.buffer;
    const lines: string[] = [];
    for (let at = first; at < active.length; at++) lines.push(active.getLine(at)?.translateToString(true) ?? "");
    while (lines.at(-1) === "") lines.pop();
    return lines;
  };
  const visible = () => linesFrom(terminal.buffer.active.baseY);
  const has = (lines: string[], text: string | RegExp) =>
    typeof text === "string" ? lines.join("\n").includes(text) : text.test(lines.join("\n"));
  const until = async (look: () => string[], text: string | RegExp, wanted: boolean) => {
    await expect
      .poll(
        () =>
          has(look(), text) === wanted ||
          `${wanted ? "missing" : "still there"}: ${text}\n${look().slice(-60).join("\n")}`,
      )
      .toBe(true);
  };

  return {
    pid: pty.pid,
    rows: visible,
    text: () => visible().join("\n"),
    all: () => linesFrom(0),
    raw: () => raw,
    see: (text) => until(visible, text, true),
    lose: (text) => until(visible, text, false),
    reach: (text) => until(() => linesFrom(0), text, true),
    type: (text) => pty.write(text),
    press: (...keys) => {
      for (const key of keys) pty.write(KEYS[key]);
    },
    paste: (text) => pty.write(`\u001b[200~${text}\u001b[201~`),
    resizeNow(columns, height) {
      pty.resize(columns, height);
      terminal.resize(columns, height);
    },
    async resize(columns, height) {
      for (let length = -1; ; ) {
        process.kill(pty.pid, "SIGSTOP");
        for (let before = -1; before !== raw.length; ) {
          before = raw.length;
          await new Promise((resolve) => setTimeout(resolve, 50));
          await parsed;
        }
        // Behind the last frame a title or a bell may stand; when nothing more comes, nothing is on its way.
        if (raw.endsWith(FRAME_END) || raw.length === length) break;
        length = raw.length;
        process.kill(pty.pid, "SIGCONT");
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      pty.resize(columns, height);
      terminal.resize(columns, height);
      process.kill(pty.pid, "SIGCONT");
    },
    async quiet() {
      for (let before = -1; before !== raw.length; ) {
        before = raw.length;
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      return raw.length;
    },
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
    kill: (signal) => void process.kill(pty.pid, signal),
    exit,
  };
}

/** What no byte stream of ours may hold: erased scrollback, the alternate screen, mouse modes. */
export const FORBIDDEN = /\u001b\[(?:3J|\?(?:1049|1047|47|9|100[0-6]|1015|1016)[hl])/;
