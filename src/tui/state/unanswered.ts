// A prompt that the provider did not take: it goes back to the editor, so that nobody has to write it again.
import type { Envelope } from "../../schema/event/envelope.ts";

/** Gives the prompt when its turn has failed before any answer. */
export function unansweredPrompt(): (event: Envelope) => string | undefined {
  let prompt: string | undefined;
  return (event) => {
    if (event.agentId !== undefined) return undefined;
    if (event.type === "user.message" && event.data.source === "user" && !event.data.hidden)
      prompt = event.data.display ?? event.data.content;
    if (event.type === "assistant.message" || event.type === "tool.execution_start") prompt = undefined;
    if (event.type !== "turn.end") return undefined;
    const text = event.data.status === "failed" ? prompt : undefined;
    prompt = undefined;
    return text;
  };
}
