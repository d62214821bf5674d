// The program in a real terminal: type lines, press keys, wait for what appears.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { NODE_FLAGS, type Place } from "../tool/everlong.ts";

export const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "bin", "everlong.js");

export type Terminal = {
  pid: number;
  /** Everything printed so far, without control sequences. */
  screen: () => string;
  /** Resolves when the text appears after what was waited for before. */
  see: (text: string | RegExp, ms?: number) => Promise<void>;
  type: (line: string) => void;
  press: (key: keyof typeof KEYS) => void;
  /** The window is closed: the terminal is gone. */
  hangUp: () => void;
  exit: Promise<number>;
};

const KEYS = { "ctrl+b": "\u0002", "ctrl+c": "\u0003", "ctrl+d": "\u0004", "ctrl+z": "\u001a" };

export const openTerminal = (place: Place, args: string[] = []): Terminal =>
  openProgram(place, process.execPath, [...NODE_FLAGS, bin, ...args]);

/** Any program in a terminal, such as a shell in which ours is started. */
export function openProgram(place: Place, program: string, args: string[]): Terminal {
  const pty = spawn(program, args, {
    name: "xterm-256color",
    cols: 200,
    rows: 50,
    cwd: place.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm-256color",
      HOME: dirname(place.home),
      EVERLONG_HOME: place.home,
      OLLAMA_HOST: "http://127.0.0.1:9",
      EVERLONG_PLAIN: "1", // lines in the order printed; test/tui drives the screen
      EVERLONG_CONSOLIDATE_ON_EXIT: "false", // a test that wants what goes on after the exit says so
      ...place.env,
    },
  });
  let raw = "";
  let screen = "";
  let seen = 0;
  let gone = false;
  let changed = () => {};
  pty.onData((data) => {
    raw += data;
    screen = stripVTControlCharacters(raw).replaceAll("\r", "");
    changed();
  });
  const exit = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      gone = true;
      changed();
      resolve(exitCode);
    });
  });
  onTestFinished(async () => {
    if (!gone) pty.kill("SIGKILL");
    await exit;
  });

  function find(text: string | RegExp): number | undefined {
    const rest = screen.slice(seen);
    if (typeof text === "string") return rest.includes(text) ? rest.indexOf(text) + text.length : undefined;
    const found = text.exec(rest);
    return found ? found.index + found[0].length : undefined;
  }

  return {
    pid: pty.pid,
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
    screen: () => screen,
    see: (text, ms = 60_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => look(true), ms);
        const look = (late = false) => {
          const at = find(text);
          if (at === undefined && !late && !gone) return;
          clearTimeout(timer);
          changed = () => {};
          if (at === undefined)
            return reject(
              new Error(`${text} did not appear after:\n${screen.slice(seen)}\n--- whole screen:\n${screen}`),
            );
          seen += at;
          resolve();
        };
        changed = look;
        look();
      }),
    type: (line) => pty.write(`${line}\r`),
    press: (key) => pty.write(KEYS[key]),
    exit,
  };
}
