// What becomes of tool calls, as updates: begun, printing, ended; and how far an agent behind a call has come.
import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { Envelope, EventData } from "../../schema/event/envelope.ts";
import { absolute, announced, openCall, textContent } from "./call.ts";
import { type Reduced, type UpdateState, withEntry, withoutEntry } from "./state.ts";

/** An editor sees this much of the end of what a command prints while it runs. */
const TAIL_CHARS = 16_384;

export function callUpdates(state: UpdateState, event: Envelope): Reduced | undefined {
  switch (event.type) {
    case "tool.execution_start":
      return begin(state, event.data);
    case "tool.execution_partial_result": {
      const { toolCallId, text } = event.data;
      const before = state.open.get(toolCallId);
      if (before === undefined) return { state, updates: [] };
      const printed = (before.printed + text).slice(-TAIL_CHARS);
      const open = withEntry(state.open, toolCallId, { ...before, printed });
      return { state: { ...state, open }, updates: whileOpen(state, toolCallId, printed) };
    }
    case "tool.execution_progress": {
      const { toolCallId, progressMessage } = event.data;
      return { state, updates: whileOpen(state, toolCallId, progressMessage) };
    }
    case "tool.execution_complete":
      return {
        state: { ...state, open: withoutEntry(state.open, event.data.toolCallId) },
        updates: [ended(state, event.data)],
      };
    case "subagent.started": {
      const { agentId, toolCallId } = event.data;
      if (toolCallId === undefined) return { state, updates: [] };
      return { state: { ...state, agents: withEntry(state.agents, agentId, toolCallId) }, updates: [] };
    }
    case "subagent.progress": {
      const { agentId, turns, toolCalls, latestIntent } = event.data;
      const text = `${agentId}: ${turns} turns, ${toolCalls} tool calls${latestIntent ? `. ${latestIntent}` : ""}`;
      return { state, updates: whileOpen(state, state.agents.get(agentId), text) };
    }
    default:
      return undefined;
  }
}

/** A call whose request did not reach the log, as in one from an older program, is announced when it begins. */
function begin(
  state: UpdateState,
  { toolCallId, toolName, arguments: args }: EventData<"tool.execution_start">,
): Reduced {
  if (state.open.has(toolCallId)) return { state, updates: [update({ toolCallId, status: "in_progress" })] };
  const call = announced({ toolCallId, name: toolName, arguments: args }, state.cwd);
  return {
    state: { ...state, open: withEntry(state.open, toolCallId, openCall(call)) },
    updates: [{ sessionUpdate: "tool_call", ...call, status: "in_progress" }],
  };
}

function ended(state: UpdateState, data: EventData<"tool.execution_complete">): SessionUpdate {
  const { toolCallId, success, result, filesChanged = [], attachments } = data;
  const locations = filesChanged.map(({ path }) => ({ path: absolute(path, state.cwd) }));
  // The diff that was announced is what happened: it stays.
  const isDiff = success && state.open.get(toolCallId)?.hasDiff === true;
  return update({
    toolCallId,
    status: success ? "completed" : "failed",
    ...(isDiff ? {} : { content: [textContent(result.content)] }),
    ...(locations.length > 0 ? { locations } : {}),
    rawOutput: { ...result, ...(data.error ? { error: data.error } : {}), ...(attachments ? { attachments } : {}) },
  });
}

const whileOpen = (state: UpdateState, toolCallId: string | undefined, text: string): SessionUpdate[] =>
  toolCallId !== undefined && state.open.get(toolCallId)?.hasDiff === false
    ? [update({ toolCallId, content: [textContent(text)] })]
    : [];

const update = (fields: ToolCallUpdate): SessionUpdate => ({ sessionUpdate: "tool_call_update", ...fields });
