// What prompt mode is asked: TEXT, piped stdin, or both.
import { fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { readStdin } from "./stdin.ts";

export type PromptText = { text: string; attached?: string };

/** A program that starts us with a socket as stdin often never writes to it and never closes it. */
const SOCKET_WAIT_MS = 100;
const SAY_WAITING_MS = 3000;

/** `text` is what -p gave (`-` reads stdin). Stdin beside TEXT is attached. */
export async function promptText(
  text: string | undefined,
  stdin: Readable & { isTTY?: boolean },
): Promise<Result<PromptText, Failure>> {
  const wantsStdin = text === undefined || text === "-";
  const piped = (await hasInput(stdin, wantsStdin)) ? await readStdin(stdin) : ok("");
  if (!piped.ok) return piped;
  const prompt = wantsStdin ? piped.value : text;
  if (prompt.trim() === "") {
    return fail({
      code: "no_prompt",
      what: text === undefined ? "Nothing to do: no terminal and no prompt." : "The prompt is empty.",
      data: "Nothing was started.",
      next: 'Give text: everlong -p "…" or pipe it in.',
      exit: 2,
    });
  }
  const attached = wantsStdin || piped.value.trim() === "" ? undefined : piped.value;
  return ok({ text: prompt, ...(attached === undefined ? {} : { attached }) });
}

async function hasInput(stdin: Readable & { isTTY?: boolean }, needed: boolean): Promise<boolean> {
  if (stdin.isTTY) return false;
  const waiting = setTimeout(() => process.stderr.write("Waiting for the end of stdin…\n"), SAY_WAITING_MS);
  stdin.once("close", () => clearTimeout(waiting)).once("end", () => clearTimeout(waiting));
  waiting.unref();
  if (needed || !isSocket()) return true;
  const arrived = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), SOCKET_WAIT_MS);
    stdin.once("readable", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  if (!arrived) {
    clearTimeout(waiting);
    stdin.destroy();
  }
  return arrived;
}

function isSocket(): boolean {
  try {
    return fstatSync(0).isSocket();
  } catch {
    return false; // stdin is closed: reading it ends at once
  }
}
