// What runs beside the conversation, for a face: look at it, write to it, stop it, wait for it.

import { type Coded, PROMPT_MODE, USER } from "../../agent/task/contract.ts";
import { type AgentRecord, isTerminal } from "../../agent/task/record.ts";
import { agentRows, agentTree, describeAgent } from "../../agent/task/show.ts";
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { untilStill } from "../../session/run.ts";
import type { Session } from "../../session/session.ts";
import type { AbandonedAgent, TasksClient } from "../client/session.ts";
import type { SessionResources } from "../session/resources.ts";
import type { Agents } from "./agents.ts";
import { type RunningShell, shellText } from "./running-shell.ts";

/** `shells`: the commands that run, the person's own included. */
export function tasksClient(agents: Agents, shells: () => RunningShell[]): TasksClient {
  const { registry } = agents;
  const find = (id: string) => answer(registry.resolve(id));
  const findShell = (id: string) => shells().find((shell) => shell.id === id);
  return {
    async startAgent(request) {
      const started = answer(await agents.startFor(request));
      return started.ok ? ok(`Started ${started.value.id} in the background.`) : started;
    },
    list: () => listTasks(agents, shells()),
    rows: () => ({
      fleet: agents.workflows.fleet.describe(),
      agents: agentRows(registry.list(), treeOptions(agents)),
      shells: shells().map(({ id, command, isWaitedFor }) => ({ id, command, isWaitedFor })),
    }),
    getProgress(id) {
      const shell = findShell(id);
      if (shell) return ok(`${shellText(shell)}: running${shell.isWaitedFor ? "" : " in the background"}`);
      const agent = find(id);
      return agent.ok
        ? ok(
            describeAgent(agent.value, {
              now: systemClock.now(),
              isWaiting: registry.isWaitingForPermission(agent.value.id),
            }),
          )
        : agent;
    },
    async sendMessage(id, message) {
      const match = find(id);
      if (!match.ok) return match;
      const sent = answer(await registry.sendMessage(match.value.id, USER, message));
      return sent.ok ? ok({ id: match.value.id, delivery: sent.value.delivery }) : sent;
    },
    async promoteToBackground(id) {
      const inFront = shells().filter((shell) =>
        id === undefined ? shell.isWaitedFor && shell.agentId === undefined : shell.id === id,
      );
      for (const shell of inFront) shell.moveToBackground();
      const moved = inFront.map(shellText);
      if (id !== undefined && moved.length > 0) return ok(moved);
      const waiting = registry.list().filter(isWaitedFor);
      const targets = id === undefined ? ok(waiting) : find(id);
      if (!targets.ok) return targets;
      const records = Array.isArray(targets.value) ? targets.value : [targets.value];
      if (records.length + moved.length === 0)
        return fail(refusal("nothing_running", "The conversation is not waiting for any agent or command.", TASKS));
      for (const { id: agentId } of records) {
        const outcome = answer(await registry.promoteAgentToBackground(agentId));
        if (!outcome.ok) return outcome;
      }
      return ok([...moved, ...records.map((record) => record.id)]);
    },
    async cancel(id) {
      const shell = findShell(id);
      if (shell) {
        await shell.stop();
        return ok({ id, status: "running", stopped: [shellText(shell)] });
      }
      const target = find(id);
      if (!target.ok) return target;
      const { id: agentId, status } = target.value;
      const isOver = isTerminal(target.value);
      const stopped = isOver ? [] : await registry.cancelRecursive(agentId, USER, "stopped by the user");
      return ok({ id: agentId, status, stopped });
    },
    async cancelAll() {
      await agents.workflows.fleet.cancel();
      return (await registry.cancelAll(USER, "stopped by the user")).length;
    },
    async remove(id) {
      const listed = find(id);
      if (!listed.ok) return listed;
      const removed = answer(await registry.remove(listed.value.id));
      return removed.ok ? ok(listed.value.id) : removed;
    },
    running: () => registry.list().filter((r) => r.status === "running" && r.executionMode === "background").length,
  };
}

function listTasks({ registry, workflows }: Agents, running: readonly RunningShell[]): string {
  const tree = agentTree(registry.list(), treeOptions({ registry }));
  const fleet = workflows.fleet.describe();
  const shells = running.map((shell) => `shell ${shellText(shell)}`);
  return [fleet, tree, ...shells].filter(Boolean).join("\n") || "No tasks yet.";
}

const treeOptions = ({ registry }: Pick<Agents, "registry">) => ({
  now: systemClock.now(),
  isWaiting: (id: string) => registry.isWaitingForPermission(id),
});

const isWaitedFor = (r: AgentRecord): boolean =>
  r.status === "running" && r.executionMode === "sync" && r.parentId === undefined;

const TASKS = "/tasks lists all of them.";

function answer<T>(result: Result<T, Coded>): Result<T, Failure> {
  return result.ok ? result : fail(refusal(result.error.code, result.error.message, TASKS));
}

type IdleServices = Pick<SessionResources, "workspace" | "options" | "stopping"> & { agents: Agents; session: Session };

/**
 * Waits for the conversation and all work beside it; agents that say nothing for too long are given up.
 * `last`: nobody will ask for more, so that idle agents complete.
 */
export async function untilIdle(
  { agents, session, stopping, workspace, options }: IdleServices,
  last = false,
): Promise<{ abandoned: AbandonedAgent[] }> {
  const gaveUp: AgentRecord[] = [];
  for (;;) {
    await untilStill(session);
    if (!agents.isBusy() || stopping.signal.aborted) break;
    const silenceMs = workspace.settings.values["prompt.waitSeconds"] * 1000;
    if (agents.running().length === 0) await agents.nextChange(stopping.signal);
    else if (options.interactive) await agents.registry.waitForAgents(stopping.signal, {});
    else {
      const waited = await agents.registry.waitForAgents(stopping.signal, { silenceMs });
      if (waited.outcome !== "timeout") continue;
      await agents.workflows.fleet.cancel();
      await agents.registry.cancelAll(PROMPT_MODE, "wait_timeout");
      if (silenceMs > 0) gaveUp.push(...waited.running);
    }
  }
  // Told to stop, it is the end of the session that ends them.
  if (last && !stopping.signal.aborted) await agents.end("the session ended");
  return { abandoned: gaveUp.map(abandoned) };
}

const abandoned = ({ id, progress }: AgentRecord): AbandonedAgent => ({
  id,
  ...(progress.latestIntent === undefined ? {} : { intent: progress.latestIntent }),
});
