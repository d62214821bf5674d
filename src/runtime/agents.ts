// The agents of an open session: the registry with its executors, what the main agent is told of them, what it may do now.
import type { AgentDefinition } from "../agent/catalog/definition.ts";
import { holdsTool } from "../agent/catalog/hold.ts";
import { findAgent } from "../agent/catalog/load.ts";
import { lostMcpTask, mcpTaskRunner } from "../agent/execute/mcp-task.ts";
import { sessionExecutor } from "../agent/execute/session-executor.ts";
import { sessionInstead } from "../agent/task/choose-model.ts";
import type { AgentChange, AgentSpec, Coded, Executor, Registry } from "../agent/task/contract.ts";
import { type AgentRecord, isTerminal, MCP_TASK } from "../agent/task/record.ts";
import { createRegistry } from "../agent/task/registry.ts";
import { systemClock } from "../base/clock.ts";
import { newId } from "../base/id.ts";
import { fail, type Result } from "../base/result.ts";
import type { ModelTarget } from "../model/contract.ts";
import type { MessageSource } from "../schema/event/conversation.ts";
import type { DurableEnvelope } from "../schema/event/envelope.ts";
import { notify, wake } from "../session/run.ts";
import type { PendingNotice, SessionParts } from "../session/session.ts";
import type { TurnInput } from "../session/turn.ts";
import type { Tool } from "../tool/contract.ts";
import { modelFor, modelSpec } from "./agent-model.ts";
import { agentNews, stallNotice } from "./agent-news.ts";
import { type Caller, callerTools, describe } from "./agent-tools.ts";
import { openChild } from "./child.ts";
import type { LiveSession } from "./live-session.ts";
import { chooseModel } from "./model.ts";
import { Workflows } from "./workflows.ts";

/** What has an effect beyond the conversation: a subagent cannot hand it on unless it has it. */
const EFFECTS: ReadonlySet<string> = new Set(["create", "edit", "bash", "read_bash", "stop_bash", "list_bash"]);

export class Agents {
  readonly registry: Registry;
  readonly workflows: Workflows;
  readonly runMcpTask: ReturnType<typeof mcpTaskRunner>;
  readonly #live: LiveSession;
  readonly #followers = new Map<string, (event: DurableEnvelope) => void>();
  readonly #listeners = new Set<() => void>();
  #mainTools: readonly Tool[] | undefined;
  #isClosing = false;

  /** `past`: the whole log so far. */
  constructor(live: LiveSession, past: Iterable<DurableEnvelope>) {
    const { log } = live;
    this.#live = live;
    const emit: Parameters<typeof createRegistry>[0]["emit"] = (agentId, type, data) =>
      log.emit(type, data, { agentId });
    this.registry = createRegistry({
      sessionId: live.sessionId,
      emit,
      publish: (agentId, type, data) => log.publish(type, data, agentId),
      clock: systemClock,
      newId,
      limits: () => this.#limits(),
      usedIds: () => log.state.agentIds,
      revive: (record) => ({ executor: this.#reviver(record), ...this.#capsOf(record) }),
      onChange: (record, change) => this.#changed(record, change),
      // The log says so itself, to whoever writes the next event.
      onBroken: () => this.changed(),
    });
    this.registry.reload(past);
    this.runMcpTask = mcpTaskRunner({ registry: this.registry, emit, clock: systemClock });
    this.workflows = new Workflows(live, this);
    log.onFold = (event) => this.#fold(event);
  }

  #fold(event: DurableEnvelope): void {
    this.registry.fold(event);
    if (event.agentId !== undefined) this.#followers.get(event.agentId)?.(event);
    else if (event.type === "user.message" && (event.data.source === "user" || event.data.source === "command"))
      this.registry.resetPrompt();
  }

  #limits(): ReturnType<Parameters<typeof createRegistry>[0]["limits"]> {
    const v = this.#live.ground.settings.values;
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

  #changed(record: AgentRecord, change: AgentChange): void {
    const { session } = this.#live;
    if (change === "stalled" && !record.quiet) notify(session, stallNotice(record));
    const matters = change === "idle" || change === "ended" || change === "stalled";
    if (matters && !this.#isClosing) wake(session);
    this.changed();
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
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    stop();
  }

  /** The events of one agent, as they are written; returns how to stop. */
  follow(agentId: string, fold: (event: DurableEnvelope) => void): () => void {
    this.#followers.set(agentId, fold);
    return () => void this.#followers.delete(agentId);
  }

  /** The definition that the main session runs as. */
  selected(): AgentDefinition | undefined {
    const { agent } = this.#live.session.state;
    return agent === undefined ? undefined : findAgent(this.#live.extensions.catalog, agent);
  }

  mainTools(): readonly Tool[] {
    this.#mainTools ??= this.toolsOf({ depth: 0 });
    return this.#mainTools;
  }

  mainHolds(tool: Tool, selected = this.selected()): boolean {
    return (selected === undefined || holdsTool(selected, tool, "main")) && this.workflows.offers(tool);
  }

  toolsOf(caller: Caller): readonly Tool[] {
    return callerTools(this.#live, this, caller);
  }

  /** `wrap`: what a workflow puts around its run. */
  async start(
    spec: AgentSpec,
    definition: AgentDefinition,
    target: ModelTarget,
    wrap: (executor: Executor) => Executor = (executor) => executor,
  ): Promise<Result<AgentRecord, Coded>> {
    const executor = wrap(this.#executor(definition, async () => target));
    return this.registry.startAgent({ ...spec, caps: definition.caps }, executor);
  }

  /** For a face: an agent in the background, on the model of the session or of its definition. */
  async startFor(request: {
    agentType: string;
    prompt: string;
    name: string;
    description: string;
  }): Promise<Result<AgentRecord, Coded>> {
    const definition = findAgent(this.#live.extensions.catalog, request.agentType);
    if (!definition) {
      const names = this.#live.extensions.catalog.agents.map(({ name }) => name).join(", ");
      return fail({
        code: "unknown_agent_type",
        message: `There is no agent ${request.agentType}. There are: ${names}.`,
      });
    }
    const choice = await modelFor(this.#live, definition, {});
    if (!choice.ok) return choice;
    const mode = { executionMode: "background", requestedMode: "background" } as const;
    const multiTurn = this.#limits().multiTurn;
    const spec = { ...describe(definition, request), ...modelSpec(choice.value), ...mode, multiTurn };
    return this.start(spec, definition, choice.value.target);
  }

  /** A record that was found without an executor: its definition and model are looked up again. */
  #reviver(record: AgentRecord): Executor {
    if (record.agentType === MCP_TASK) return lostMcpTask;
    const definition = findAgent(this.#live.extensions.catalog, record.agentType);
    if (definition) return this.#executor(definition, () => this.#targetOf(record));
    const message = `There is no agent ${record.agentType} here any more; start another one with what it found.`;
    return async () => ({ type: "failed", error: { code: "unknown_agent_type", message } });
  }

  #executor(definition: AgentDefinition, target: () => Promise<ModelTarget>): Executor {
    return sessionExecutor(async (handle) => {
      const record = handle.record();
      const plan = {
        record,
        definition,
        target: await target(),
        mayHold: (tool: Tool) => this.#mayHold(record, definition, tool),
        readOnlyShell: this.#isReadOnlyShell(record, definition),
        agentTools: () => tools,
      };
      const tools = this.toolsOf({ agentId: record.id, depth: record.depth });
      return openChild(this.#live, plan, handle);
    });
  }

  async #targetOf({ id, model }: AgentRecord): Promise<ModelTarget> {
    const { target, ground, log } = this.#live;
    if (model === target.id) return target;
    const resolved = await chooseModel(ground, model);
    if (resolved.ok) return resolved.value.target;
    const { changed, note } = sessionInstead({ sessionModel: target.id }, model, "unknown_model");
    await log.emit("subagent.model_changed", { agentId: id, ...changed, note }, { agentId: id });
    return target;
  }

  #definitionOf(record: AgentRecord): AgentDefinition | undefined {
    return findAgent(this.#live.extensions.catalog, record.agentType);
  }

  #capsOf(record: AgentRecord): { caps?: AgentDefinition["caps"] } {
    const definition = this.#definitionOf(record);
    return definition ? { caps: definition.caps } : {};
  }

  #parentOf(record: AgentRecord): AgentRecord | undefined {
    return record.parentId === undefined ? undefined : this.registry.get(record.parentId);
  }

  #mayHold(record: AgentRecord, definition: AgentDefinition, tool: Tool): boolean {
    if (!holdsTool(definition, tool, "subagent")) return false;
    const hasEffects = "mcp" in tool ? !(tool.mcp as { readOnly: boolean }).readOnly : EFFECTS.has(tool.name);
    const parent = hasEffects ? this.#parentOf(record) : undefined;
    if (!parent) return true;
    const above = this.#definitionOf(parent);
    return above !== undefined && this.#mayHold(parent, above, tool);
  }

  #isReadOnlyShell(record: AgentRecord, definition: AgentDefinition): boolean {
    if (definition.tools.readOnlyShell) return true;
    const parent = this.#parentOf(record);
    const above = parent && this.#definitionOf(parent);
    return parent !== undefined && above !== undefined && this.#isReadOnlyShell(parent, above);
  }

  /** What the main agent is to be told now. */
  news(cause: MessageSource): PendingNotice[] {
    return this.#isClosing ? [] : agentNews(this.registry.list({ removed: true }), cause);
  }

  isBusy(): boolean {
    return this.registry.list({ removed: true }).some((r) => r.status === "running") || this.workflows.isBusy();
  }

  next(): Promise<TurnInput | undefined> {
    return this.workflows.next();
  }

  refuse(name: string, input: unknown): ReturnType<NonNullable<SessionParts["refuse"]>> {
    return this.workflows.refuse(name, input);
  }

  /** Before the session ends: idle agents have their answer, running ones are stopped. */
  async end(reason: string): Promise<void> {
    this.#isClosing = true;
    await this.workflows.end();
    await this.registry.cancelAll("session", reason);
    await this.registry.completeIdle();
    this.registry.end();
    this.changed();
  }

  /** Those of them that run, with all below them. */
  async cancel(ids: readonly string[], reason: string): Promise<void> {
    await Promise.all(ids.map((id) => this.registry.cancelRecursive(id, "user", reason)));
  }

  /** Records of work that nobody has seen the end of. */
  running(): AgentRecord[] {
    return this.registry.list({ removed: true }).filter((r) => !isTerminal(r) && r.status === "running");
  }
}
