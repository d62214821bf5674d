// What prompt mode is asked: TEXT, piped stdin, or both.
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { readStdin } from "./stdin.ts";

export type PromptText = { text: string; attached?: string };

/** `text` is what -p gave (`-` reads stdin); stdin is looked at only when it is not a terminal. */
export async function promptText(
  text: string | undefined,
  stdin: AsyncIterable<Buffer | string> & { isTTY?: boolean },
): Promise<Result<PromptText, Failure>> {
  const wantsStdin = text === undefined || text === "-";
  const piped = stdin.isTTY ? ok("") : await readStdin(stdin);
  if (!piped.ok) return piped;
  const prompt = wantsStdin ? piped.value : text;
  if (prompt.trim() === "") {
    return fail({
      code: "empty_prompt",
      what: "There is no prompt: neither -p TEXT nor text on stdin.",
      data: "Nothing was sent to a model.",
      next: 'Give one, for example: everlong -p "explain this repository".',
      exit: 2,
    });
  }
  const attached = wantsStdin || piped.value.trim() === "" ? undefined : piped.value;
  return ok({ text: prompt, ...(attached === undefined ? {} : { attached }) });
}
