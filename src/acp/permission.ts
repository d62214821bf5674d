// A permission question as the protocol asks it, and the answer back. Memory requests are shown whole.
import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type ToolCallUpdate,
  type ToolKind,
} from "@agentclientprotocol/sdk";
import type { PermissionPrompt } from "../runtime/client.ts";
import { MAIN_AGENT, type PermissionAnswer, type PermissionKind, requestSubject } from "../schema/permission.ts";
import { textContent } from "./update/call.ts";

const KINDS: Record<PermissionKind, ToolKind> = {
  read: "read",
  write: "edit",
  shell: "execute",
  url: "fetch",
  memory: "other",
  mcp: "other",
  hook: "other",
};

type PermissionAsk = { sessionId: string; editor: AgentContext; announced?: ToolCallUpdate | undefined };

/** An editor that went away, or gives no answer that was offered, has said no. */
export async function askPermission(
  question: PermissionPrompt,
  { sessionId, editor, announced }: PermissionAsk,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const params: RequestPermissionRequest = {
    sessionId,
    toolCall: callOf(question, announced),
    options: optionsOf(question),
  };
  const how = { cancellationSignal: signal, stopWaitingOnCancel: true };
  try {
    const { outcome } = await editor.request(methods.client.session.requestPermission, params, how);
    return outcome.outcome === "selected" ? answerOf(outcome.optionId, question) : { type: "reject" };
  } catch {
    return { type: "reject" }; // nobody is there who could have said yes
  }
}

function optionsOf({ session, location }: PermissionPrompt): PermissionOption[] {
  return [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    ...(session
      ? [{ optionId: "session", name: `Allow in this session: ${session}`, kind: "allow_always" } as const]
      : []),
    ...(location
      ? [{ optionId: "location", name: `Always allow in this folder: ${location}`, kind: "allow_always" } as const]
      : []),
    { optionId: "reject", name: "Reject", kind: "reject_once" },
  ];
}

function answerOf(optionId: string, { session, location }: PermissionPrompt): PermissionAnswer {
  if (optionId === "once") return { type: "once" };
  if (optionId === "session" && session) return { type: "session" };
  if (optionId === "location" && location) return { type: "location" };
  return { type: "reject" };
}

/** A call that was announced with a diff keeps it beside the reason; all else is the explanation itself. */
function callOf(question: PermissionPrompt, announced: ToolCallUpdate | undefined): ToolCallUpdate {
  const { toolCallId, request, explanation, reason, agent } = question;
  const diffs = announced?.content?.filter(({ type }) => type === "diff") ?? [];
  const asks = agent === MAIN_AGENT ? "" : `Asked by ${agent}.\n`;
  return {
    ...announced,
    toolCallId,
    kind: KINDS[request.kind],
    status: "pending",
    title: announced?.title ?? titleOf(question),
    content: [textContent(`${asks}${diffs.length > 0 ? reason : explanation}`), ...diffs],
    rawInput: request,
  };
}

/** A path alone does not say what is to happen to it. */
const titleOf = ({ request }: PermissionPrompt): string =>
  request.kind === "read" || request.kind === "write"
    ? `${request.kind} ${requestSubject(request)}`
    : requestSubject(request);
