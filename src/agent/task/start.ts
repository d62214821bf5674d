// Starting agents: the limits, the slot and the event in one piece, then the executor on its own.
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { makeAgentId } from "./agent-id.ts";
import type { AgentEnd, AgentSpec, Coded, Executor, LiveParts } from "./contract.ts";
import { announce, type Core, createLive, endRecord, type LiveAgent, slotsTaken } from "./core.ts";
import { createHandle } from "./handle.ts";
import { type AgentRecord, isTerminal, MCP_TASK } from "./record.ts";
import { plan } from "./watch.ts";

const MAX_MCP_TASKS = 64;

/** Why an agent of this caller cannot start now. */
export function refusal(
  core: Core,
  { parentId, uncounted, agentType }: Pick<AgentSpec, "parentId" | "uncounted" | "agentType">,
): Coded | undefined {
  const { maxDepth, maxPerPrompt } = core.parts.limits();
  const parent = parentId === undefined ? undefined : core.records.get(parentId);
  const isOver = core.over.signal.aborted || (parentId !== undefined && (!parent || isEnding(core, parent)));
  if (isOver)
    return { code: "parent_ended", message: "The agent that starts it is being stopped. Nothing was started." };
  if (agentType === MCP_TASK) {
    const count = core.running().filter((record) => record.agentType === MCP_TASK).length;
    const message = `${MAX_MCP_TASKS} tasks of MCP servers run already. Wait for one to end, or stop one.`;
    return count >= MAX_MCP_TASKS ? { code: "concurrency_limit", message } : undefined;
  }
  if ((parent?.depth ?? 0) >= maxDepth) {
    const message = `Subagents may be ${maxDepth} deep, and you are at that depth. Finish the work without more subagents.`;
    return { code: "depth_limit", message };
  }
  if (!uncounted && core.spawned >= maxPerPrompt) {
    const message = `${maxPerPrompt} agents were started since the user's last message, and that is the limit. Finish with what you have.`;
    return { code: "spawn_limit", message };
  }
  return slotRefusal(core);
}

export function slotRefusal(core: Core): Coded | undefined {
  const { maxConcurrent } = core.parts.limits();
  const message = `${maxConcurrent} agents run already, and that is the limit. Wait for a running agent to finish, then try again.`;
  return slotsTaken(core) >= maxConcurrent ? { code: "concurrency_limit", message } : undefined;
}

const isEnding = (core: Core, record: AgentRecord): boolean =>
  isTerminal(record) || core.lives.get(record.id)?.stopping === true;

export function startAgent(
  core: Core,
  spec: AgentSpec,
  executor: Executor,
  parts: LiveParts = {},
): Promise<Result<AgentRecord, Coded>> {
  return core.order.run(async () => {
    const refused = refusal(core, spec);
    if (refused) return fail(refused);
    const used = core.parts.usedIds();
    const id = makeAgentId(spec.name, spec.agentType, (one) => used.has(one) || core.records.has(one));
    // Before the event, so that a cancel which comes while it is written finds the new agent.
    const live = createLive(core, { id, ...optional("parentId", spec.parentId) }, parts, spec.caps ?? {});
    try {
      await emitStart(core, id, spec);
    } catch (error) {
      // Its start may be written all the same: no record runs with nobody behind it. A log that cannot be written at
      // all is what the first error says.
      await endRecord(core, id, failed(error)).catch(() => undefined);
      core.lives.delete(id);
      throw error;
    }
    if (!spec.uncounted && spec.agentType !== MCP_TASK) core.spawned++;
    announce(core, id, "started");
    run(core, live, executor);
    const record = core.records.get(id);
    if (!record) throw new Error(`The log did not fold the start of ${id}.`);
    return ok(record);
  });
}

async function emitStart({ parts, records }: Core, id: string, spec: AgentSpec): Promise<void> {
  const { modelChanged, caps: _caps, uncounted: _uncounted, displayName, ...same } = spec;
  const { parentId, agentType } = spec;
  await parts.emit(id, "subagent.started", {
    ...same,
    agentId: id,
    depth: (parentId === undefined ? 0 : (records.get(parentId)?.depth ?? 0)) + 1,
    agentName: agentType,
    agentDisplayName: displayName,
    multiTurn: spec.multiTurn && parts.limits().multiTurn && agentType !== MCP_TASK,
  });
  if (modelChanged) await parts.emit(id, "subagent.model_changed", { agentId: id, ...modelChanged });
}

/** Lets the executor run. Its own return ends the record, unless somebody else is ending it. */
function run(core: Core, live: LiveAgent, executor: Executor): void {
  plan(core, live.id);
  drive(core, live, executor).catch(core.parts.onBroken);
}

async function drive(core: Core, live: LiveAgent, executor: Executor): Promise<void> {
  // Cancelled while its start was written: it never runs.
  const end = live.stopping ? undefined : await ending(executor, core, live);
  live.returned.resolve();
  if (!end || live.stopping) return;
  await core.order.run(async () => {
    if (core.lives.get(live.id) !== live || live.stopping) return;
    if (live.retired) leave(core, live);
    else await endRecord(core, live.id, end);
  });
}

/** The record rests without an executor. A message that came while this one returned is for the next one. */
function leave(core: Core, { id }: LiveAgent): void {
  core.lives.delete(id);
  const record = core.records.get(id);
  if (record?.status === "running") revive(core, record);
}

/** A new executor for a record that has none, with its message already queued. */
export function revive(core: Core, record: AgentRecord): void {
  const { executor, live = {}, caps = {} } = core.parts.revive(record);
  run(core, createLive(core, record, live, caps), executor);
}

/** One run. Its other boundary is written with its end. */
async function ending(executor: Executor, core: Core, live: LiveAgent): Promise<AgentEnd> {
  const { id } = live;
  try {
    // One that goes on after a resume has begun already.
    if (core.records.get(id)?.boundary === undefined)
      await core.parts.emit(id, "subagent_session_boundary", { agentId: id, phase: "start" });
    return await executor(createHandle(core, live));
  } catch (error) {
    return failed(error);
  }
}

const failed = (error: unknown): AgentEnd => ({ type: "failed", error: { code: "failed", message: errorText(error) } });
