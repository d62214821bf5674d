// Questions that are no permissions: of the agent, of a plan that is ready, of commands. By a form where the editor has forms.
import {
  type AgentContext,
  type CreateElicitationRequest,
  CreateElicitationResponse,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { Person } from "../command/contract.ts";
import type { PlanAnswer, PlanQuestion, UserQuestion } from "../runtime/client.ts";
import { textContent } from "./update/call.ts";

export type Asker = { sessionId: string; editor: AgentContext; hasForms: boolean };

/** Undefined: there was no answer. Without forms, choices are the options of a permission question. */
export async function askQuestion(
  userQuestion: UserQuestion,
  asker: Asker,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { question, choices = [], toolCallId = "question" } = userQuestion;
  if (asker.hasForms) return fillForm(userQuestion, asker, signal);
  if (choices.length === 0) return undefined;
  const options = choices.map((name, at): PermissionOption => ({ optionId: `choice-${at}`, name, kind: "allow_once" }));
  const optionId = await choose(
    { toolCallId, title: question, content: [textContent(question)] },
    options,
    asker,
    signal,
  );
  return choices[options.findIndex((option) => option.optionId === optionId)];
}

async function fillForm(
  { question, choices = [], allowFreeform }: UserQuestion,
  { sessionId, editor }: Asker,
  signal: AbortSignal,
): Promise<string | undefined> {
  // A form cannot offer choices and leave room for words of one's own: then the choices are shown with the question.
  const isClosed = choices.length > 0 && !allowFreeform;
  const offered = isClosed || choices.length === 0 ? "" : `\n${choices.map((choice) => `- ${choice}`).join("\n")}`;
  const form: CreateElicitationRequest = {
    mode: "form",
    sessionId,
    message: `${question}${offered}`,
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Answer", ...(isClosed ? { enum: choices } : {}) } },
      required: ["answer"],
    },
  };
  try {
    const reply = await editor.request(methods.client.elicitation.create, form, withdrawnBy(signal));
    const value = CreateElicitationResponse.isAccept(reply) ? reply.content?.["answer"] : undefined;
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined; // the question was withdrawn, or the editor is gone
  }
}

const ACTIONS: Record<string, string> = {
  interactive: "Start working, ask me where the plan leaves a choice",
  autopilot: "Start working, on autopilot",
  autopilot_fleet: "Start working, on autopilot with several agents",
  exit_only: "Leave plan mode, do nothing yet",
};

export async function askPlan(
  { summary, plan, actions, toolCallId = "plan" }: PlanQuestion,
  asker: Asker,
  signal: AbortSignal,
): Promise<PlanAnswer> {
  const options: PermissionOption[] = [
    ...actions.map((action) => ({ optionId: action, name: ACTIONS[action] ?? action, kind: "allow_once" as const })),
    { optionId: "reject", name: "Keep planning", kind: "reject_once" },
  ];
  const call: ToolCallUpdate = {
    toolCallId,
    title: "Plan",
    kind: "switch_mode",
    content: [textContent(plan || summary)],
  };
  return { action: (await choose(call, options, asker, signal)) ?? "reject" };
}

/** The option that was taken; undefined when none was. */
async function choose(
  call: ToolCallUpdate,
  options: PermissionOption[],
  { sessionId, editor }: Asker,
  signal: AbortSignal,
): Promise<string | undefined> {
  const params: RequestPermissionRequest = { sessionId, toolCall: { ...call, status: "pending" }, options };
  try {
    const { outcome } = await editor.request(methods.client.session.requestPermission, params, withdrawnBy(signal));
    return outcome.outcome === "selected" ? outcome.optionId : undefined;
  } catch {
    return undefined; // the question was withdrawn, or the editor is gone
  }
}

const withdrawnBy = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true });

/** Who typed a command. */
export function personAt(asker: Asker, signal: AbortSignal, print: (text: string) => void): Person {
  const confirm = async (question: string) =>
    (await askQuestion({ question, choices: ["yes", "no"], allowFreeform: false }, asker, signal)) === "yes";
  const ask = (question: string) => askQuestion({ question, allowFreeform: true }, asker, signal);
  return { print, confirm, ...(asker.hasForms ? { ask } : {}) };
}
