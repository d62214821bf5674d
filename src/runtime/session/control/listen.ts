// In the process of an open session: what others ask of it is taken from its folder, done, and answered there.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode, errorText, type Failure } from "../../../base/failure.ts";
import { optional } from "../../../base/optional.ts";
import { fail, ok, type Result } from "../../../base/result.ts";
import { type ControlOutcome, controlFile, type SessionControl } from "../../../schema/session-control.ts";
import { atomicWrite } from "../../../store/atomic-write.ts";
import type { Client } from "../../client/session.ts";
import { answerName, idOf, isQuestion, readPaper, takePaper, watchFolder } from "./folder.ts";

export type ControlledSession = {
  client: Pick<Client, "view" | "send" | "interrupt" | "history" | "tasks">;
  /** A line for whoever sits at the session's own terminal. */
  tell(message: string): Promise<unknown>;
  /** Soft: the session goes on, only nobody reaches it from outside. */
  trouble(message: string): void;
};

/** Gives how to end it. What lies there from before was meant for a process that is gone. */
export function listenForControl(folder: string, session: ControlledSession): () => void {
  const working = new Set<string>();
  let isEnded = false;
  const take = async (name: string): Promise<void> => {
    const path = join(folder, name);
    const file = controlFile.safeParse(await readPaper(path));
    // Read before it is taken: a file that goes away meanwhile was withdrawn.
    if (isEnded || !(await takePaper(path))) return;
    const outcome = file.success ? await answerTo(session, file.data) : fail(unreadable);
    const written = await atomicWrite(join(folder, answerName(idOf(name))), JSON.stringify(outcome), { private: true });
    if (!written.ok && !isEnded) session.trouble(written.error.what);
  };
  /** Removed under a running session, with its log or alone, it brings no questions any more; the log tells its own loss. */
  const names = (): string[] => {
    try {
      return isEnded ? [] : readdirSync(folder);
    } catch (error) {
      isEnded = true;
      if (errorCode(error) !== "ENOENT") session.trouble(errorText(error));
      return [];
    }
  };
  const look = (): void => {
    for (const name of names().filter((one) => isQuestion(one) && !working.has(one))) {
      working.add(name);
      take(name)
        .catch((error: unknown) => session.trouble(errorText(error)))
        .finally(() => working.delete(name));
    }
  };
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    const watcher = watchFolder(folder, look, (error) => session.trouble(errorText(error)));
    return () => {
      isEnded = true;
      watcher.close();
      rmSync(folder, { recursive: true, force: true });
    };
  } catch (error) {
    // No watches left on this machine, or a full disk.
    session.trouble(errorText(error));
    return () => undefined;
  }
}

type Answer = Result<ControlOutcome, Failure>;

const unreadable: Failure = {
  code: "invalid_inputs",
  what: "The session did not understand the request.",
  data: "Nothing was changed.",
  next: "It may run another version of Everlong: close it and resume it.",
  exit: 1,
};

const over = (text: string): Answer => ok({ text, isOver: true });
const described = (result: Result<string, Failure>): Answer => (result.ok ? over(result.value) : result);

async function answerTo(
  { client, tell }: ControlledSession,
  { from, control }: { from: string; control: SessionControl },
): Promise<Answer> {
  switch (control.action) {
    case "message": {
      const { busy } = client.view();
      await client.send(control.text);
      return over(busy ? "Sent. The agent reads it at its next step." : "Sent. The agent is working on it.");
    }
    case "stop":
      return stop(client, (returned) =>
        tell([`Stopped from ${from}.`, ...returned.map((message) => `Not sent any more: ${message}`)].join("\n")),
      );
    case "compact":
      await tell(`Compaction requested from ${from}.`);
      return described(await client.history.compact(control.focus ?? ""));
    case "cancel":
      return described(await client.history.cancel());
    case "undo":
      return described(await client.history.undo());
    case "message-task": {
      const sent = await client.tasks.sendMessage(control.task, control.text);
      if (!sent.ok) return sent;
      return over(
        sent.value.delivery === "queued" ? "Sent. It reads it when its turn is over." : "Sent. It is working on it.",
      );
    }
    case "stop-task": {
      const ended = await client.tasks.cancel(control.task);
      if (!ended.ok) return ended;
      const { stopped, status } = ended.value;
      if (stopped.length === 0) return over(`Nothing to stop: it is ${status}.`);
      await tell(`A task was stopped from ${from}: ${stopped.join(", ")}.`);
      return over(stopped.length === 1 ? "Stopped." : `Stopped, with ${stopped.length - 1} below it.`);
    }
  }
}

/** A turn, or the compaction that a person waits for. */
async function stop(
  client: ControlledSession["client"],
  tell: (returned: readonly string[]) => Promise<unknown>,
): Promise<Answer> {
  const { busy } = client.view();
  const returned = client.interrupt("user");
  const others = client.tasks.running();
  const rest = others > 0 ? ` ${others} in the background still running: stop them under Tasks.` : "";
  if (!busy) return over(`Nothing to stop: no turn is running.${rest}`);
  await tell(returned);
  return ok({
    text: `Stopped.${rest}`,
    isOver: true,
    ...optional("returned", returned.length > 0 ? returned : undefined),
  });
}
