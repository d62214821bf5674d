// What the main agent is told of its agents: each settled background record once, whatever happened in between.
import { USER } from "../agent/task/contract.ts";
import { type AgentRecord, isTerminal } from "../agent/task/record.ts";
import { interruptedText, resultTexts, stallText } from "../agent/task/show.ts";
import type { MessageSource } from "../schema/event/conversation.ts";
import type { PendingNotice } from "../session/session.ts";

/** Who cancelled it knows already. */
const isOwnDoing = (record: AgentRecord): boolean => record.status === "cancelled" && record.by === "main";

export function agentNews(records: readonly AgentRecord[], cause: MessageSource): PendingNotice[] {
  const settled = records.filter(
    (r) =>
      r.executionMode === "background" &&
      !r.told &&
      !r.quiet &&
      !isOwnDoing(r) &&
      (r.status === "idle" || isTerminal(r)),
  );
  const texts = resultTexts(settled);
  const notices = settled.map(
    (record, i): PendingNotice => ({
      kind: record.status === "idle" ? "agent_idle" : "agent_completed",
      content: texts[i] ?? "",
      agentIds: [record.id],
      data: about(record),
      // Whom the person has stopped is told when the person speaks again, and starts nothing by itself.
      wakes: record.status !== "cancelled" || record.by !== USER,
    }),
  );
  const lost = records.filter((r) => r.status === "interrupted" && !r.told);
  if (lost.length > 0 && (cause === "user" || cause === "command"))
    notices.push({ kind: "agents_interrupted", content: interruptedText(lost), agentIds: lost.map((r) => r.id) });
  return notices;
}

export const stallNotice = (record: AgentRecord): PendingNotice => ({
  kind: "agent_stalled",
  content: stallText(record),
  data: about(record),
  wakes: true,
});

const about = (r: AgentRecord) => ({
  agentId: r.id,
  agentType: r.agentType,
  status: r.status,
  description: r.description,
});
