// Leave for a memory, asked at the session's one door, and what its answer means for the record.

import { optional } from "../../base/optional.ts";
import type { MemoryCall } from "../../memory/record/tool/tools.ts";
import type { AskLeave, Leave } from "../../memory/record/write-contract.ts";
import type { AskPermit, Permit } from "../../session/parts.ts";
import type { Tool } from "../../tool/contract.ts";

/** The one door, asked for exactly this request. */
export const askBy =
  ({ permit }: { permit: AskPermit }, { tool, input, context }: MemoryCall): AskLeave =>
  async (request, signal) => {
    const withRequest: Tool = { ...tool, permissions: () => [request] };
    return leaveOf(await permit({ toolCallId: context.toolCallId, tool: withRequest, input, signal }));
  };

export function leaveOf(permit: Permit): Leave {
  if (permit.type === "allow")
    return {
      type: "approved",
      ...optional("edited", edited(permit.edited)),
      ...optional("replaces", permit.replaces),
    };
  if (permit.covered) return { type: "pending" };
  const by = permit.code === "rejected" ? "user" : permit.code === "user_not_available" ? permit.code : "rule";
  return { type: "denied", by, message: permit.message };
}

const edited = (words: Extract<Permit, { type: "allow" }>["edited"]) =>
  words && {
    ...optional("subject", words.subject),
    ...optional("fact", words.fact),
    ...optional("citations", words.citations),
    ...optional("reason", words.reason),
  };
