// Who called a command of the command line: a person at a terminal, or a program with text on stdin.

import { askTerminal } from "../base/ask-terminal.ts";
import { ok } from "../base/result.ts";
import type { Person } from "../command/contract.ts";
import { home } from "../runtime/client.ts";
import { tellEvent } from "./event-line.ts";
import { progressEvents, progressLine, watchedBy } from "./progress.ts";
import { readStdin } from "./stdin.ts";

const now = (): number => performance.now();

/** A program that reads events: stdout has nothing else, and nobody is there to be asked. */
export const eventReader = (): Person => ({
  print: (text) => void process.stderr.write(`${text}\n`),
  input,
  watch: watchedBy(progressEvents((step) => tellEvent("work.progress", step), now)),
});

/** `lines`: where they are printed that come before the command has ended. */
export function personAtTerminal(lines: "stdout" | "stderr"): Person {
  const { stdin, stdout } = process;
  return {
    print: (text) => void process[lines].write(`${text}\n`),
    edit: home.edit,
    input,
    watch: watchedBy(progressLine(process.stderr, now)),
    width: stdout.columns,
    ...(process.stderr.isTTY ? { progress: (text) => void process.stderr.write(`\r\u001b[K${text}`) } : {}),
    ...(stdin.isTTY && stdout.isTTY
      ? {
          ask: askTerminal,
          confirm: async (question) => /^y(es)?$/i.test((await askTerminal(`${question} [y/N] `))?.trim() ?? ""),
        }
      : {}),
  };
}

/** Nothing is waited for at a terminal, unless that was asked for. */
const input: NonNullable<Person["input"]> = async (how) => {
  if (process.stdin.isTTY || (how === "if there" && !(await hasInput()))) return ok(undefined);
  const text = await readStdin(process.stdin);
  // Nothing at all on a stdin that nobody asked for is no text to write.
  return text.ok && text.value === "" && how === "if there" ? ok(undefined) : text;
};

/** A program that starts us often leaves its end of the pipe open and says nothing. */
const STDIN_WAIT_MS = 500;

function hasInput(): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      process.stdin.destroy();
      resolve(false);
    }, STDIN_WAIT_MS);
    process.stdin.once("readable", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
