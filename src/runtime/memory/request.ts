// What a call of a memory tool asks of the write path: the words, where they belong, who says them, and leave at the one door.
import { optional } from "../../base/optional.ts";
import type { Place } from "../../memory/record/contract.ts";
import { originsOf } from "../../memory/record/origins.ts";
import type { ShownLine } from "../../memory/record/section.ts";
import type { MemoryCall } from "../../memory/record/tool/tools.ts";
import type { StoreRequest, VoteRequest } from "../../memory/record/write-contract.ts";
import { MAIN_AGENT } from "../../schema/permission.ts";
import type { AskPermit } from "../../session/parts.ts";
import type { Conversation } from "../../session/session.ts";
import type { ToolContext } from "../../tool/contract.ts";
import { askBy } from "./leave.ts";
import { seenTexts } from "./seen.ts";
import { LOCAL_USER } from "./strategy.ts";

/** Who calls the tools: the main agent, or a subagent that names them. */
export type MemoryActor = { conversation: Pick<Conversation, "agentId" | "state">; permit: AskPermit };

/** `lines`: the memories that the prompt shows. */
export type MemoryPlace = { main: Conversation; place: Place; lines: readonly ShownLine[] };

export function storeRequest({ main, place, lines }: MemoryPlace, actor: MemoryActor, call: MemoryCall): StoreRequest {
  const { agentId } = actor.conversation;
  return {
    input: call.input,
    place,
    source: sourceOf(actor, call.context),
    author: { kind: "agent", id: agentId ?? main.id, name: agentId ?? MAIN_AGENT },
    origins: (fact) => originsOf(fact, seenTexts(main.state.chain, lines)),
    ask: askBy(actor, call),
  };
}

export function voteRequest({ main, place }: MemoryPlace, actor: MemoryActor, call: MemoryCall): VoteRequest {
  return {
    input: call.input,
    place,
    source: sourceOf(actor, call.context),
    actor: { key: `agent:${LOCAL_USER}:${main.id}`, kind: "agent" },
    ask: askBy(actor, call),
  };
}

function sourceOf({ conversation }: MemoryActor, { sessionId, toolCallId }: ToolContext) {
  const { openTurn, model } = conversation.state;
  return {
    client: "session",
    sessionId,
    toolCallId,
    ...optional("turnId", openTurn),
    ...optional("agentId", conversation.agentId),
    model,
  };
}
