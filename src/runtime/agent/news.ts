// What the main agent is told of its agents: each settled background record once, each stall once, whatever happened in between.

import { PROMPT_MODE, USER } from "../../agent/task/contract.ts";
import { type AgentRecord, isTerminal } from "../../agent/task/record.ts";
import { interruptedText, resultTexts, stallText } from "../../agent/task/show.ts";
import type { MessageSource } from "../../schema/event/conversation.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { PendingNotice } from "../../session/parts.ts";

/** Whom the person has stopped, or the end of a run without a person, is told with the next message and starts nothing. */
const ENDS_NOTHING: readonly string[] = [USER, PROMPT_MODE];

/** `chain`: what was said of a stall, and whether it has been taken back. */
export function agentNews(
  records: readonly AgentRecord[],
  cause: MessageSource,
  chain: readonly DurableEnvelope[],
): PendingNotice[] {
  const settled = records.filter(
    (r) => r.executionMode === "background" && !r.told && !r.quiet && (r.status === "idle" || isTerminal(r)),
  );
  const texts = resultTexts(settled);
  const notices = settled.map(
    (record, i): PendingNotice => ({
      kind: record.status === "idle" ? "agent_idle" : "agent_completed",
      content: texts[i] ?? "",
      agentIds: [record.id],
      data: about(record),
      wakes: record.status !== "cancelled" || !ENDS_NOTHING.includes(record.by),
    }),
  );
  // One that moves again, or has ended, has nothing to tell of its stall.
  const stalled = records.filter((r) => r.progress.stalled && !r.quiet && !isStallTold(r, chain));
  notices.push(...stalled.map(stallNotice));
  const lost = records.filter((r) => r.status === "interrupted" && !r.told);
  if (lost.length > 0 && (cause === "user" || cause === "command"))
    notices.push({ kind: "agents_interrupted", content: interruptedText(lost), agentIds: lost.map((r) => r.id) });
  return notices;
}

const stallNotice = (record: AgentRecord): PendingNotice => ({
  kind: "agent_stalled",
  content: stallText(record),
  data: about(record),
  wakes: true,
});

/** The newest word about its stalls is the notification, not the stall. */
const isStallTold = ({ id }: AgentRecord, chain: readonly DurableEnvelope[]): boolean =>
  chain.findLast(
    (e) =>
      (e.type === "subagent.stalled" && e.agentId === id) ||
      (e.type === "system.notification" && e.data.kind === "agent_stalled" && e.data["agentId"] === id),
  )?.type === "system.notification";

const about = (r: AgentRecord) => ({
  agentId: r.id,
  agentType: r.agentType,
  status: r.status,
  description: r.description,
});
