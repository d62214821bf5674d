// What telemetry is told of a compaction: figures, names and codes from its two events, and never a word of a conversation.
import type { Envelope } from "../../schema/event/envelope.ts";

type TelemetryRecord = {
  name: "session_compaction_start" | "session_compaction_complete";
  time: string;
  attributes: Readonly<Record<string, string | number | boolean>>;
};

const START = [
  ...["trigger", "mode", "model", "tokenLimit", "currentTokens", "systemTokens", "conversationTokens"],
  ...["toolDefinitionsTokens", "messagesLength", "targetTokens"],
] as const;
/** `error` is left out: a provider may quote the request in it. */
const COMPLETE = [
  ...["trigger", "outcome", "outcomeReason", "failureReason", "statusCode", "model", "tokensRemoved"],
  ...["messagesRemoved", "preCompactionTokens", "postCompactionTokens", "checkpointNumber", "requestId"],
] as const;

/** Undefined for every event that telemetry is not told of. */
export function compactionTelemetry(event: Envelope): TelemetryRecord | undefined {
  const time = event.timestamp;
  if (event.type === "session.compaction_start")
    return { name: "session_compaction_start", time, attributes: picked(event.data, START) };
  if (event.type !== "session.compaction_complete") return undefined;
  const { compactionTokensUsed: used } = event.data;
  const duration = used ? { durationMs: used.duration } : {};
  return {
    name: "session_compaction_complete",
    time,
    attributes: { ...picked(event.data, COMPLETE), ...duration },
  };
}

function picked(data: Readonly<Record<string, unknown>>, names: readonly string[]): TelemetryRecord["attributes"] {
  const entries = names.map((name) => [name, data[name]] as const);
  const isPlain = (value: unknown): value is string | number | boolean =>
    ["string", "number", "boolean"].includes(typeof value);
  return Object.fromEntries(entries.filter((entry): entry is [string, string | number | boolean] => isPlain(entry[1])));
}
