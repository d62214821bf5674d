// What happens to a request between the session's history and the model: stages in a fixed order, pure, none touching the log.
import { pairItems } from "../model/pairing.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { Message } from "../schema/message.ts";
import type { ToolDefinition } from "../schema/tool.ts";

export type Prepared = {
  system: string;
  tools: readonly ToolDefinition[];
  items: readonly ContextItem<Message>[];
};

/** One stage: takes a request, gives the next; what it took out it reports itself. */
export type Stage = (request: Prepared) => Prepared | Promise<Prepared>;

/** Attachments, compaction and truncation take their places before the pairing check, which always comes last. */
const stages: readonly Stage[] = [(request) => ({ ...request, items: pairItems(request.items) })];

export async function prepareRequest(request: Prepared): Promise<Prepared> {
  let prepared = request;
  for (const stage of stages) prepared = await stage(prepared);
  return prepared;
}
