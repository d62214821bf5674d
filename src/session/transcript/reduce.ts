// The one reduction of events to what people see: the screen, a resumed screen, plain mode and exports are all made by it.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { type Envelope, isEventType, type ReadEvent, readEvent } from "../../schema/event/envelope.ts";
import { SIDEKICK_ID } from "../../schema/event/memory.ts";
import { agentChanged } from "./agent-event.ts";
import { blocksOf } from "./once.ts";
import { deltaArrived, discardStream, endStreams, messageArrived } from "./stream.ts";
import { asideEnded, asideStarted, toolEnded, toolPrinted, toolStarted } from "./tool-call.ts";
import { changeLive, type Transcript, withBlock, withEntry } from "./transcript.ts";

/** Pure: the same events give the same blocks, live or read again. It never throws, whatever a newer version wrote. */
export function reduceBlocks(transcript: Transcript, event: Envelope): Transcript {
  if (!isEventType(event.type)) return reduceRead(transcript, { type: "unknown", event });
  if (event.agentId !== undefined && SIDEKICK_ID.test(event.agentId)) return transcript;
  if (event.type.startsWith("subagent.")) {
    if (transcript.voice !== undefined) return transcript;
    return agentChanged(transcript, event as Parameters<typeof agentChanged>[1]) ?? transcript;
  }
  if (event.type === "permission.requested" || event.type === "permission.completed")
    return permissionChanged(transcript, event);
  return event.agentId === transcript.voice ? ownEvent(transcript, event) : otherVoice(transcript, event);
}

/** A line of a log that may be newer than this program: what it does not know is shown, folded. */
function reduceRead(transcript: Transcript, read: ReadEvent): Transcript {
  if (read.type === "known") return reduceBlocks(transcript, read.event);
  if (read.type === "invalid") return transcript;
  const { id, timestamp: at, type, data } = read.event;
  return withBlock(transcript, { id, at, kind: "event", type, data });
}

/** The transcript of a whole log, each line as it was parsed. */
export function readTranscript(values: Iterable<unknown>, from: Transcript): Transcript {
  let transcript = from;
  for (const value of values) if (isRecord(value)) transcript = reduceRead(transcript, readEvent(value));
  return transcript;
}

function ownEvent(transcript: Transcript, event: Envelope): Transcript {
  switch (event.type) {
    case "assistant.message_delta":
    case "assistant.reasoning_delta":
      return deltaArrived(transcript, event);
    case "assistant.message":
      return { ...messageArrived(transcript, event), requested: event.data.toolRequests };
    case "tool.execution_start":
      return toolStarted(transcript, event);
    case "tool.execution_partial_result":
    case "tool.execution_progress":
      return toolPrinted(transcript, event);
    case "tool.execution_complete":
      return toolEnded(transcript, event);
    case "model.call_failure":
      return callFailed(transcript, event);
    case "turn.end":
    case "session.idle":
    case "session.shutdown":
      return endAll(transcript);
    case "session.resume":
      // Calls that a crash left open get their result from the recovery, which writes it next.
      return blocksOf(event).reduce<Transcript>(withBlock, endStreams(transcript));
    default:
      return blocksOf(event).reduce<Transcript>(withBlock, transcript);
  }
}

function otherVoice(transcript: Transcript, event: Envelope): Transcript {
  if (transcript.voice !== undefined) return transcript;
  if (event.type === "tool.execution_start") return asideStarted(transcript, event);
  if (event.type === "tool.execution_complete") return asideEnded(transcript, event);
  return transcript;
}

function callFailed(transcript: Transcript, event: Envelope<"model.call_failure">): Transcript {
  const { willRetry, message: reason, attempt, delayMs, messageId } = event.data;
  if (!willRetry) return transcript;
  const [next, discards] = discardStream(transcript, messageId);
  const begun = { id: event.id, at: event.timestamp, kind: "retry" } as const;
  return withBlock(next, { ...begun, reason, attempt, ...optional("delayMs", delayMs), discards });
}

/** After a turn nothing of it runs, whether or not each end was told. */
function endAll(transcript: Transcript): Transcript {
  return changeLive(endStreams(transcript), (block) => {
    if (block.kind !== "tool" || block.state !== "running") return block;
    const { tail, progress: _, ...call } = block;
    return { ...call, state: "interrupted", output: tail, lines: tail.split("\n").length, durationMs: 0, files: [] };
  });
}

/** A question is the prompt's matter; what became of it is an entry. */
function permissionChanged(
  transcript: Transcript,
  event: Envelope<"permission.requested" | "permission.completed">,
): Transcript {
  const { requestId } = event.data;
  if (event.type === "permission.requested") {
    const { request, toolCallId, agent = event.agentId } = event.data;
    const question = { request, ...optional("toolCallId", toolCallId), ...optional("agent", agent) };
    return { ...transcript, questions: withEntry(transcript.questions, requestId, question) };
  }
  const question = transcript.questions.get(requestId);
  if (!question) return transcript;
  const { result, scope, rule, reason } = event.data;
  const next = { ...transcript, questions: withEntry(transcript.questions, requestId, undefined) };
  const { toolCallId, ...asked } = question;
  const isOwn = event.agentId === transcript.voice;
  const isSeen = transcript.voice === undefined || isOwn;
  // The call itself follows, and says why it was refused; what is allowed for longer, and what others were refused, is news.
  const isToldByCall =
    result === "approved" ? scope === "once" : isOwn && toolCallId !== undefined && rule === undefined;
  if (!isSeen || isToldByCall) return next;
  const more = { ...optional("scope", scope), ...optional("rule", rule), ...optional("reason", reason) };
  return withBlock(next, { id: event.id, at: event.timestamp, kind: "permission", result, ...asked, ...more });
}
