// The hooks around one tool call: before it, where they may change, answer or forbid it, and after it.

import type { HookOpinion } from "../permission/policy.ts";
import type { ResultType } from "../schema/tool.ts";
import { failure, success, type ToolOutcome } from "../tool/contract.ts";
import { validateCall } from "../tool/validate.ts";
import type { ReadyCall } from "./ready-call.ts";
import type { Session } from "./session.ts";

type Hooked = {
  /** The call as it is to be run: the hooks' arguments, checked like the model's own. */
  ready: ReadyCall;
  opinion?: HookOpinion;
  /** Stands in for running: a hook answered, or its arguments do not fit. */
  instead?: ToolOutcome;
  /** What is added to the result. */
  context: string;
  /** The model is not shown what the tool gave back. */
  suppressOutput: boolean;
};

const WITHHELD = "It was run. A hook keeps its output back.";

export async function beforeCall(session: Session, ready: ReadyCall, signal: AbortSignal): Promise<Hooked> {
  const outcome = await session.parts.hook("preToolUse", describe(ready), signal);
  const { opinion, modifiedArguments, handled, additionalContext: context, suppressOutput } = outcome;
  const hooked: Hooked = { ready, context, suppressOutput, ...(opinion ? { opinion } : {}) };
  // Nobody runs what was answered or forbidden, so its new arguments need not fit.
  if (opinion?.decision === "deny") return hooked;
  if (handled) return { ...hooked, instead: success(handled.content) };
  if (!modifiedArguments) return hooked;
  const { call } = ready;
  const refusal = session.parts.tools.refuse?.(call.name, modifiedArguments);
  if (refusal) return { ...hooked, instead: failure(refusal.code, `A hook changed the arguments. ${refusal.message}`) };
  const checked = validateCall(session.parts.tools.offered().tools, call.name, modifiedArguments);
  if (!checked.ok) {
    const { code, message } = checked.error;
    return { ...hooked, instead: failure(code, `A hook changed the arguments, and they do not fit. ${message}`) };
  }
  const { tool, input, args } = checked.value;
  const lane = await session.parts.tools.lane(tool, input);
  return { ...hooked, ready: { call: { ...call, arguments: args }, tool, input, args, lane } };
}

/** `text` is what the model will get. Gives what is to be added to it. */
export async function afterCall(
  session: Session,
  ready: ReadyCall,
  ended: { outcome: ToolOutcome; resultType: ResultType; text: string },
  signal: AbortSignal,
): Promise<string> {
  if (signal.aborted) return "";
  const { outcome, resultType, text } = ended;
  const { additionalContext } =
    outcome.type === "success"
      ? await session.parts.hook(
          "postToolUse",
          { ...describe(ready), toolResult: { resultType, textResultForLlm: text } },
          signal,
        )
      : await session.parts.hook("postToolUseFailure", { ...describe(ready), error: text }, signal);
  return additionalContext;
}

/** The model learns that it worked, and no more. */
export function withheld(outcome: ToolOutcome): ToolOutcome {
  if (outcome.type === "failure") return outcome;
  return success(WITHHELD, outcome.files ? { files: outcome.files } : {});
}

const describe = ({ call, args }: ReadyCall) => ({ toolName: call.name, toolArgs: args, toolCallId: call.toolCallId });
