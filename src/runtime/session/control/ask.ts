// From another process: asks an open session to stop, to take a message or to compact, and waits for what it says.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Failure, refusal } from "../../../base/failure.ts";
import { newId } from "../../../base/id.ts";
import { fail, ok, type Result } from "../../../base/result.ts";
import type { HomePaths } from "../../../host/paths.ts";
import { type ControlOutcome, controlAnswer, type SessionControl } from "../../../schema/session-control.ts";
import { atomicWrite } from "../../../store/atomic-write.ts";
import { answerName, questionName, readPaper, takePaper, watchFolder } from "./folder.ts";
import { ownerOf } from "./owner.ts";

/** A session that is awake takes a question at once; one that is suspended never does. */
const TAKE_MS = 5000;
/** A summary takes its time. */
const ANSWER_MS = 120_000;
const LOOK_MS = 250;

/** Somebody has it open, and listens. */
export const mayControl = (paths: HomePaths, session: string): boolean =>
  ownerOf(paths, session) !== null && existsSync(paths.session(session).control);

type ControlQuestion = { session: string; from: string; control: SessionControl };

export async function askSession(
  paths: HomePaths,
  { session, from, control }: ControlQuestion,
  signal: AbortSignal,
  { takeMs = TAKE_MS, answerMs = ANSWER_MS }: { takeMs?: number; answerMs?: number } = {},
): Promise<Result<ControlOutcome, Failure>> {
  const pid = ownerOf(paths, session);
  if (pid === null) return fail(notRunning(session));
  const folder = paths.session(session).control;
  if (!existsSync(folder)) return fail(notListening(session, pid));
  const id = newId();
  const question = join(folder, questionName(id));
  const answer = join(folder, answerName(id));
  const change = new FolderChange(folder);
  try {
    const written = await atomicWrite(question, JSON.stringify({ from, control }), { private: true });
    if (!written.ok) return existsSync(folder) ? written : fail(notRunning(session));
    const begun = performance.now();
    for (;;) {
      const parsed = controlAnswer.safeParse(await readPaper(answer));
      if (parsed.success) {
        await takePaper(answer);
        return parsed.data.ok ? ok(parsed.data.value) : fail({ ...parsed.data.error, exit: 1 });
      }
      const waited = performance.now() - begun;
      const isGone = ownerOf(paths, session) !== pid;
      if (isGone || signal.aborted || waited > takeMs) {
        // What is still there was not taken: it is withdrawn, and nothing will come of it.
        if (await takePaper(question)) return fail(isGone ? notRunning(session) : silent(pid));
        if (isGone) return fail(endedMeanwhile(session));
        if (signal.aborted || waited > answerMs) return ok({ text: "It is working on it.", isOver: false });
      }
      await change.next(LOOK_MS, signal);
    }
  } finally {
    change.close();
  }
}

/** Something happened in the folder, or some time went by: a watch may miss what it is there for. */
class FolderChange {
  readonly #close: () => void;
  #wake: () => void = () => undefined;

  constructor(folder: string) {
    try {
      const watcher = watchFolder(
        folder,
        () => this.#wake(),
        () => undefined,
      );
      this.#close = () => watcher.close();
    } catch {
      // No watches left on this machine: then time alone wakes it.
      this.#close = () => undefined;
    }
  }

  async next(limitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    this.#wake = resolve;
    if (!signal.aborted) signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }

  close(): void {
    this.#close();
  }
}

const resume = (session: string): string => `Continue it: everlong --resume ${session.slice(0, 8)}`;

const notRunning = (session: string): Failure =>
  refusal("session_not_running", "No process has this session open.", resume(session));
const notListening = (session: string, pid: number): Failure =>
  refusal(
    "session_not_listening",
    `Process ${pid} has this session open and takes no requests from outside: session.control is off, or it is an older Everlong.`,
    `Use its terminal, or close it there. ${resume(session)}`,
  );
const silent = (pid: number): Failure =>
  refusal(
    "session_silent",
    `Process ${pid} did not respond within 5 seconds. It may be suspended.`,
    "Look at its terminal (fg brings a suspended one back), then try again.",
  );
const endedMeanwhile = (session: string): Failure => ({
  code: "session_ended",
  what: "The session ended before it answered.",
  data: "Its log has everything up to its end.",
  next: resume(session),
  exit: 1,
});
