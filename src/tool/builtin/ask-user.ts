// ask_user: a question that only the user can answer.
import * as z from "zod";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool, type ToolContext, type ToolQuestion } from "../contract.ts";
import description from "./ask_user.md";

export type UserAnswer =
  | { type: "answered"; answer: string }
  | { type: "declined" }
  | { type: "unavailable" }
  | { type: "aborted" };

/** `ask` waits until answered or the context's signal aborts; must not reject. */
export function askUserTool(parts: {
  ask: (question: ToolQuestion, context: ToolContext) => Promise<UserAnswer>;
}): Tool {
  return defineTool({
    ...ownTool("ask_user"),
    description,
    input: z.strictObject({
      question: z.string().min(1),
      choices: z.array(z.string().min(1)).max(20).optional(),
      allow_freeform: z
        .boolean()
        .optional()
        .describe("Whether an answer outside of the choices is welcome; true unless said."),
    }),
    planMode: true,
    last: true,
    limitMs: Number.POSITIVE_INFINITY,
    permissions: () => [],
    async run({ question, choices = [], allow_freeform = true }, context) {
      const nobody = success(
        "Nobody is there to answer. Decide yourself what serves the task best, go on, and say what you assumed.",
      );
      if (context.mode === "autopilot") return nobody;
      const form = {
        question,
        ...(choices.length > 0 ? { choices } : {}),
        allowFreeform: allow_freeform || choices.length === 0,
      };
      const got = await parts.ask(form, context);
      if (got.type === "aborted") return failure("interrupted", "Interrupted before the user answered.");
      if (got.type === "declined")
        return success("The user declined to answer. Do not ask again: go on without it, and say what you assumed.");
      return got.type === "answered" ? success(`The user answered: ${got.answer}`) : nobody;
    },
  });
}
