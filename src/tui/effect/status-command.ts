// The user's own status command: gets the facts as JSON, its first line is shown; at most once a second, 300 ms each.
import { spawn } from "node:child_process";
import type { FaceStart } from "../../runtime/client.ts";
import type { SessionFacts } from "../state/facts.ts";
import { escapeLine } from "../text/escape.ts";

type StatusCommand = {
  /** The facts have changed. */
  run(facts: SessionFacts): void;
  stop(): void;
};

const LIMIT_MS = 300;
const EVERY_MS = 1000;
const MOST_FAILURES = 3;
const MOST_CHARS = 500;

export function statusCommand(
  face: FaceStart,
  show: (text: string | undefined) => void,
  say: (text: string) => void,
): StatusCommand {
  const command = face.ui.statusCommand;
  if (command === undefined) return { run: () => undefined, stop: () => undefined };
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let facts: SessionFacts | undefined;
  let isRunning = false;

  const start = async (): Promise<void> => {
    timer = undefined;
    if (!facts || isRunning || failures >= MOST_FAILURES) return;
    isRunning = true;
    last = Date.now();
    const line = await firstLineOf(command, JSON.stringify(facts));
    isRunning = false;
    if (line !== undefined) {
      failures = 0;
      return show(line);
    }
    failures++;
    show(undefined);
    if (failures === 1) say("ui.statusCommand failed or took longer than 300 ms.");
    if (failures === MOST_FAILURES) say("ui.statusCommand failed 3 times and is not run again.");
  };

  return {
    run(next) {
      facts = next;
      timer ??= setTimeout(() => void start(), Math.max(0, EVERY_MS - (Date.now() - last)));
    },
    stop() {
      clearTimeout(timer);
      failures = MOST_FAILURES;
    },
  };
}

/** Undefined: it failed, or did not end in time. */
function firstLineOf(command: string, input: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "pipe", "ignore"], detached: true });
    let text = "";
    const end = (line: string | undefined): void => {
      clearTimeout(timer);
      resolve(line);
    };
    const stop = (): void => {
      // What it started goes with it.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const timer = setTimeout(() => {
      stop();
      end(undefined);
    }, LIMIT_MS);
    child.once("error", () => end(undefined));
    child.stdin.on("error", () => undefined); // it need not read
    child.stdin.end(input);
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      if (text.length < MOST_CHARS) text += piece.slice(0, MOST_CHARS);
    });
    child.once("close", (code) => end(code === 0 ? escapeLine(text.split("\n", 1)[0] ?? "") : undefined));
  });
}
