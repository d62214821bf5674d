// Tells what a prescribed call gave, in the words of its result and nothing beyond it.
import { clipMiddle } from "../../base/text.ts";
import type { MadeCall } from "./round.ts";
import { fenced } from "./wording.ts";

const HEAD = 1_400;
const TAIL = 600;

/** `what` names the act without claiming that it happened: the result says that. */
export function reportCall(what: string, call: MadeCall): { text: string; success: boolean } {
  if (call.result === undefined)
    return { text: `${what}: no result came back, so I don't know whether it happened.`, success: false };
  const { content, isError } = call.result;
  const head = isError ? `${what} did not succeed. ${call.name} answered:` : `${what}: ${call.name} answered:`;
  const body = content.trim();
  return {
    text:
      body === ""
        ? `${head} nothing.`
        : `${head}\n${fenced(clipMiddle(body, HEAD, TAIL, (omitted) => `\n[${omitted} characters left out]\n`))}`,
    success: !isError,
  };
}
