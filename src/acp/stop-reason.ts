// Why a prompt has ended, from the events of its turns.
import type { StopReason } from "@agentclientprotocol/sdk";
import type { Envelope, EventData } from "../schema/event/envelope.ts";
import type { FinishReason } from "../schema/model.ts";
import { turnFailed } from "./failure.ts";

export class TurnWatch {
  #finish: FinishReason | undefined;
  #end: EventData<"turn.end"> | undefined;
  #error: EventData<"session.error"> | undefined;

  see(event: Envelope): void {
    if (event.agentId !== undefined) return;
    if (event.type === "assistant.message") this.#finish = event.data.finishReason;
    if (event.type === "turn.end") this.#end = event.data;
    if (event.type === "session.error") this.#error = event.data;
    if (event.type === "turn.start") this.#error = undefined;
  }

  /** Throws the protocol's error when the turn failed: no stop reason would be true. */
  stopReason(): StopReason {
    const status = this.#end?.status;
    if (status === "failed") {
      const words = [this.#error?.message ?? this.#end?.reason ?? "The turn failed.", this.#error?.hint];
      throw turnFailed(words.filter(Boolean).join("\n"), this.#error?.code);
    }
    if (status === "aborted") return "cancelled";
    if (status === "limit") return "max_turn_requests";
    if (this.#finish === "length") return "max_tokens";
    return this.#finish === "content_filter" ? "refusal" : "end_turn";
  }
}
