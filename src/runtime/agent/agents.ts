// The agents of an open session: the registry with its executors, what the main agent is told of them, what it may do now.

import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { type AgentCatalog, findAgent } from "../../agent/catalog/load.ts";
import { mcpTaskRunner } from "../../agent/execute/mcp-task.ts";
import { sessionExecutor } from "../../agent/execute/session-executor.ts";
import { sessionInstead } from "../../agent/task/choose-model.ts";
import type { AgentChange, Coded, Executor, Registry } from "../../agent/task/contract.ts";
import { unknownType } from "../../agent/task/describe-agents.ts";
import { type AgentRecord, isTerminal } from "../../agent/task/record.ts";
import { createRegistry } from "../../agent/task/registry.ts";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import { fail, type Result } from "../../base/result.ts";
import type { ActiveAgent } from "../../context/compact/carried.ts";
import type { ModelTarget } from "../../model/contract.ts";
import type { MessageSource } from "../../schema/event/conversation.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { PendingNotice } from "../../session/parts.ts";
import { wake } from "../../session/run.ts";
import type { Tool } from "../../tool/contract.ts";
import { chooseModel } from "../model.ts";
import type { SessionResources } from "../session/resources.ts";
import { describe } from "./describe.ts";
import { modelFor, modelSpec } from "./model.ts";
import { agentNews } from "./news.ts";
import { openSubagent, type SubagentServices } from "./subagent.ts";
import { type Above, isReadOnlyShell, mainMayUse, mayUse } from "./tool-access.ts";
import { type Caller, callerTools, type StartAgent } from "./tools.ts";
import { Workflows } from "./workflows.ts";

type AgentServices = SubagentServices & Pick<SessionResources, "options" | "stopping"> & { catalog: AgentCatalog };

export class Agents {
  readonly registry: Registry;
  readonly workflows: Workflows;
  readonly runMcpTask: ReturnType<typeof mcpTaskRunner>;
  readonly #services: AgentServices;
  readonly #listeners = new Set<() => void>();
  #mainTools: readonly Tool[] | undefined;
  #isClosing = false;
  #ended: Promise<void> | undefined;
  /** Told before, in words that a rewind took back. */
  readonly #retold = new Set<string>();

  /** `past`: the whole log so far. */
  constructor(services: AgentServices, past: Iterable<DurableEnvelope>) {
    const { log, main } = services;
    this.#services = services;
    this.registry = createRegistry({
      sessionId: main.id,
      emit: (agentId, type, data) => log.emit(type, data, { agentId }),
      publish: (agentId, type, data) => log.publish(type, data, agentId),
      clock: systemClock,
      newId,
      limits: () => this.#limits(),
      usedIds: () => log.state.agentIds,
      revive: (record) => ({ executor: this.#reviver(record), ...this.#capsOf(record) }),
      onChange: (_, change) => this.#changed(change),
      // The log says so itself, to whoever writes the next event.
      onBroken: () => this.changed(),
    });
    this.registry.reload(past);
    this.runMcpTask = mcpTaskRunner({ registry: this.registry, clock: systemClock });
    this.workflows = new Workflows({
      ...services,
      registry: this.registry,
      startAgent: (...start) => this.start(...start),
      onChange: (listener) => this.onChange(listener),
      changed: () => this.changed(),
    });
  }

  fold(event: DurableEnvelope): void {
    this.registry.fold(event);
    if (event.agentId !== undefined) return;
    if (event.type === "session.snapshot_rewind") for (const id of event.data.untoldAgents ?? []) this.#retold.add(id);
    else if (event.type === "session.fleet_started") this.registry.resetPrompt();
    else if (event.type === "user.message" && (event.data.source === "user" || event.data.source === "command")) {
      // What a fleet says to the main agent comes as a command too, and nobody has typed it.
      if (event.data.source === "user" || !this.workflows.fleet.isRunning()) this.registry.resetPrompt();
      this.#retold.clear();
    }
  }

  #limits(): ReturnType<Parameters<typeof createRegistry>[0]["limits"]> {
    const v = this.#services.workspace.settings.values;
    return {
      maxDepth: v["agent.maxDepth"],
      maxConcurrent: v["agent.maxConcurrent"],
      maxPerPrompt: v["agent.maxPerPrompt"],
      idleMs: v["agent.idleMinutes"] * 60_000,
      stallMs: v["agent.stallSeconds"] * 1000,
      maxSteps: v["agent.maxSteps"],
      maxTokens: v["agent.maxTokens"],
      maxMs: v["agent.maxMinutes"] * 60_000,
      multiTurn: v["features.multiTurnAgents"],
    };
  }

  #changed(change: AgentChange): void {
    if (change === "idle" || change === "ended" || change === "stalled") this.wake();
    this.changed();
  }

  /** There may be something to tell the main agent; not when the session is ending. */
  wake(): void {
    if (!this.#isClosing) wake(this.#services.main);
  }

  /** Tells whoever listens that something beside the conversation is not as it was. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Until some record changes, or the signal aborts. */
  async nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.onChange(resolve);
    const give = () => resolve();
    signal.addEventListener("abort", give, { once: true });
    if (signal.aborted) give();
    await promise;
    stop();
    signal.removeEventListener("abort", give);
  }

  /** The definition that the main session runs as. */
  selected(): AgentDefinition | undefined {
    const { agent } = this.#services.main.state;
    return agent === undefined ? undefined : findAgent(this.#services.catalog, agent);
  }

  /** The same in a few words, for what outlives a compaction. */
  active(): ActiveAgent | undefined {
    const selected = this.selected();
    return selected && { name: selected.name, purpose: selected.description, instructions: selected.prompt };
  }

  mainTools(): readonly Tool[] {
    this.#mainTools ??= this.toolsOf({ depth: 0 });
    return this.#mainTools;
  }

  mainMayUse(tool: Tool, selected = this.selected()): boolean {
    return mainMayUse(selected, tool) && this.workflows.offers(tool);
  }

  toolsOf(caller: Caller): readonly Tool[] {
    const { registry, workflows } = this;
    return callerTools({ ...this.#services, registry, start: this.start, fleet: workflows.fleet }, caller);
  }

  readonly start: StartAgent = async (spec, definition, target, wrap = (executor) => executor) => {
    const executor = wrap(this.#executor(definition, async () => target));
    return this.registry.startAgent({ ...spec, caps: definition.caps }, executor);
  };

  /** For a face: an agent in the background, on the model of the session or of its definition. */
  async startFor(request: {
    agentType: string;
    prompt: string;
    name: string;
    description: string;
  }): Promise<Result<AgentRecord, Coded>> {
    const { catalog } = this.#services;
    const definition = findAgent(catalog, request.agentType);
    if (!definition) return fail(unknownType(request.agentType, catalog.agents));
    const choice = await modelFor(this.#services, definition, {});
    if (!choice.ok) return choice;
    const mode = { executionMode: "background", requestedMode: "background" } as const;
    const spec = { ...describe(definition, request), ...modelSpec(choice.value), ...mode };
    return this.start(spec, definition, choice.value.target);
  }

  /** A record that was found without an executor: its definition and model are looked up again. */
  #reviver(record: AgentRecord): Executor {
    const definition = this.#definitionOf(record);
    if (definition) return this.#executor(definition, () => this.#targetOf(record));
    const message = `There is no agent ${record.agentType} here any more; start another one with what it found.`;
    return async () => ({ type: "failed", error: { code: "unknown_agent_type", message } });
  }

  #executor(definition: AgentDefinition, target: () => Promise<ModelTarget>): Executor {
    return sessionExecutor(async (handle) => {
      const record = handle.record();
      return openSubagent(
        this.#services,
        {
          record,
          definition,
          target: await target(),
          mayUse: (tool) => mayUse(definition, this.#above(record), tool),
          isReadOnlyShell: isReadOnlyShell(definition, this.#above(record)),
          agentTools: this.toolsOf({ agentId: record.id, depth: record.depth }),
          ...optional("todoId", this.#todoOf(record)),
          runMcpTask: this.runMcpTask,
        },
        handle,
      );
    });
  }

  async #targetOf({ id, model }: AgentRecord): Promise<ModelTarget> {
    const { workspace, log } = this.#services;
    const { target } = this.#services.model;
    if (model === target.id) return target;
    const resolved = await chooseModel(workspace, model);
    if (resolved.ok) return resolved.value.target;
    const { changed, note } = sessionInstead({ sessionModel: target.id }, model, "unknown_model");
    await log.emit("subagent.model_changed", { agentId: id, ...changed, note }, { agentId: id });
    return target;
  }

  #definitionOf(record: AgentRecord): AgentDefinition | undefined {
    return findAgent(this.#services.catalog, record.agentType);
  }

  #capsOf(record: AgentRecord): { caps?: AgentDefinition["caps"] } {
    const definition = this.#definitionOf(record);
    return definition ? { caps: definition.caps } : {};
  }

  /** A worker cannot have its own agents do what it may not. */
  #todoOf({ todoId, parentId }: AgentRecord): string | undefined {
    const parent = parentId === undefined ? undefined : this.registry.get(parentId);
    return todoId ?? (parent && this.#todoOf(parent));
  }

  #above({ parentId }: AgentRecord): Above {
    const agents: (AgentDefinition | undefined)[] = [];
    for (let at = parentId; at !== undefined; ) {
      const parent = this.registry.get(at);
      agents.push(parent && this.#definitionOf(parent));
      at = parent?.parentId;
    }
    return { agents, main: this.selected() };
  }

  /** What the main agent is to be told now. */
  news(cause: MessageSource): PendingNotice[] {
    if (this.#isClosing) return [];
    const notices = agentNews(this.registry.list({ removed: true }), cause, this.#services.main.state.chain);
    if (!notices.some((notice) => notice.wakes)) return notices;
    const isOver = !this.#services.options.interactive && this.workflows.isComplete();
    // What a rewind took out of the conversation is told again, but nobody asked for a turn; neither when all is done.
    const wakes = (notice: PendingNotice) => !isOver && !notice.agentIds?.some((id) => this.#retold.has(id));
    return notices.map((notice) => (notice.wakes && !wakes(notice) ? { ...notice, wakes: false } : notice));
  }

  isBusy(): boolean {
    return this.running().length > 0 || this.workflows.isBusy();
  }

  /** Before the session ends: idle agents have their answer, running ones are stopped. */
  end(reason: string): Promise<void> {
    this.#ended ??= this.#end(reason);
    return this.#ended;
  }

  async #end(reason: string): Promise<void> {
    this.#isClosing = true;
    // A fleet is told first: it would take what is cancelled for a failure and try again.
    const workflows = this.workflows.end();
    // Together: commands that do not want to end take their time only once.
    await Promise.all([workflows, this.registry.cancelAll("session", reason), this.registry.completeIdle()]);
    this.registry.end();
    this.changed();
  }

  isOpen(id: string): boolean {
    const record = this.registry.get(id);
    return record !== undefined && !isTerminal(record);
  }

  /** Those of them that have not ended, with all below them. */
  async cancel(ids: readonly string[], reason: string): Promise<void> {
    await Promise.all(ids.map((id) => this.registry.cancelRecursive(id, "user", reason)));
  }

  /** Records of work that nobody has seen the end of. */
  running(): AgentRecord[] {
    return this.registry.list({ removed: true }).filter((r) => r.status === "running");
  }
}
