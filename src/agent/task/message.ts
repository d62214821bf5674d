// Messages to agents: queued for one that runs, waking one that rests, continuing one that was interrupted.
import { fail, ok, type Result } from "../../base/result.ts";
import { unknownAgent } from "./agent-id.ts";
import type { Coded, SentMessage } from "./contract.ts";
import { type Core, tell, touch, wake } from "./core.ts";
import { type AgentRecord, isTerminal, MCP_TASK } from "./record.ts";
import { revive, slotRefusal } from "./start.ts";
import { plan } from "./watch.ts";

export async function sendMessage(
  core: Core,
  id: string,
  from: string,
  message: string,
): Promise<Result<SentMessage, Coded>> {
  if (core.records.get(id)?.agentType === MCP_TASK) return steer(core, id, from, message);
  return core.order.run(async () => {
    const record = core.records.get(id);
    if (!record) return fail(unknownAgent(id));
    const refused = messageRefusal(core, record);
    if (refused) return fail(refused);
    const sent = await emitMessage(core, id, from, message);
    const wasRunning = record.status === "running";
    if (!wasRunning) goOn(core, id);
    await tell(core, id, "message");
    return ok({ messageId: sent, delivery: wasRunning ? "queued" : "woken" });
  });
}

function messageRefusal(core: Core, record: AgentRecord): Coded | undefined {
  const { id, status } = record;
  const live = core.lives.get(id);
  if (isTerminal(record)) return finished(id, `has ended (${status})`);
  if (live?.stopping || live?.closed || (status === "idle" && core.closing.has(id))) return finished(id, "is ending");
  if (core.over.signal.aborted) return finished(id, "ends with the session");
  if (status === "running") return undefined;
  if (status === "idle" && !core.parts.limits().multiTurn) {
    const message = `${id} rests, and features.multiTurnAgents is off: only running agents take messages. Start a new agent with \`task\`.`;
    return { code: "multi_turn_off", message };
  }
  return slotRefusal(core);
}

/** It goes on from its sleep, or with a new executor. */
function goOn(core: Core, id: string): void {
  const live = core.lives.get(id);
  const record = core.records.get(id);
  touch(core, id);
  if (live) {
    wake(live);
    plan(core, id);
  } else if (record) revive(core, record);
}

/** The server's own way to take a message, when it has one. */
async function steer(core: Core, id: string, from: string, message: string): Promise<Result<SentMessage, Coded>> {
  const record = core.records.get(id);
  if (!record) return fail(unknownAgent(id));
  if (isTerminal(record)) return fail(finished(id, `has ended (${record.status})`));
  const toServer = core.lives.get(id)?.parts.steer;
  if (!toServer) {
    const text = `${id} is a task of an MCP server that takes no messages. Stop it and start a new task with what you want changed.`;
    return fail({ code: "mcp_task_not_steerable", message: text });
  }
  const steered = await toServer(message);
  if (!steered.ok) return steered;
  return ok({ messageId: await emitMessage(core, id, from, message), delivery: "queued" });
}

async function emitMessage({ parts }: Core, id: string, from: string, message: string): Promise<string> {
  const messageId = parts.newId();
  await parts.emit(id, "subagent.message", { agentId: id, messageId, from, message });
  return messageId;
}

const finished = (id: string, how: string): Coded => ({
  code: "agent_finished",
  message: `${id} ${how} and takes no more messages. Read its result with read_agent, or start a new agent with \`task\`.`,
});
