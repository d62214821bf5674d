// Questions of the session and of commands, put on the screen; each gets exactly one answer.
import type { Person } from "../../command/contract.ts";
import type { Prompts } from "../../runtime/client.ts";
import { MAIN_AGENT } from "../../schema/permission.ts";
import type { QuestionAnswer, QuestionBody } from "../question/question.ts";
import type { ScreenMessage } from "../update/message.ts";

type Dispatch = (message: ScreenMessage) => void;

const open = new Map<number, (answer: QuestionAnswer | undefined) => void>();
let count = 0;

export function answerQuestion(id: number, answer: QuestionAnswer): void {
  open.get(id)?.(answer);
}

/** Undefined: whoever asked does not want to know any more. */
export function ask<T extends QuestionBody["type"]>(
  dispatch: Dispatch,
  body: Extract<QuestionBody, { type: T }>,
  signal: AbortSignal,
): Promise<Extract<QuestionAnswer, { type: T }> | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const id = ++count;
  return new Promise((resolve) => {
    const withdraw = (): void => {
      settle(undefined);
      dispatch({ type: "withdrawn", id });
    };
    const settle = (answer: QuestionAnswer | undefined): void => {
      open.delete(id);
      signal.removeEventListener("abort", withdraw);
      resolve(answer as Extract<QuestionAnswer, { type: T }> | undefined);
    };
    open.set(id, settle);
    signal.addEventListener("abort", withdraw, { once: true });
    dispatch({ type: "asked", id, body });
  });
}

export const screenPrompts = (dispatch: Dispatch, say: (text: string) => void): Required<Prompts> => ({
  async permission(question, signal) {
    const answer = await ask(dispatch, { type: "permission", ask: question }, signal);
    // The main agent's own is withdrawn with its turn, which says itself that it ended.
    if (!answer && signal.aborted && question.agent !== MAIN_AGENT)
      say("The permission request was withdrawn: its work has ended.");
    return answer?.answer ?? { type: "reject" };
  },
  question: async (question, signal) => (await ask(dispatch, { type: "user", ask: question }, signal))?.text,
  planExit: async (plan, signal) =>
    (await ask(dispatch, { type: "plan", ask: plan }, signal))?.answer ?? { action: "reject" },
});

/** Who typed a command: asked as the agent asks. */
export function screenPerson({ question }: Required<Prompts>, say: (text: string) => void): Person {
  const { signal } = new AbortController();
  return {
    print: say,
    ask: (text) => question({ question: text, allowFreeform: true }, signal),
    confirm: async (text) =>
      (await question({ question: text, choices: ["yes", "no"], allowFreeform: false }, signal)) === "yes",
  };
}
