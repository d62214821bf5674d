// What users add to a session: agents, skills, commands, hooks and MCP servers, loaded when it opens.
import { builtinAgents } from "../../agent/catalog/builtin.ts";
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { type Catalog, loadCatalog } from "../../agent/catalog/load.ts";
import { catalogEvent } from "../../agent/catalog/show.ts";
import { type Commands, loadCommands } from "../../agent/command/load.ts";
import { describeWarning } from "../../agent/file/warning.ts";
import { invokeSkill } from "../../agent/skill/invoke.ts";
import { skillsList } from "../../agent/skill/list.ts";
import { findSkill, loadSkills, type Skill, type Skills } from "../../agent/skill/load.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import type { Fragment } from "../../context/fragment/fragment.ts";
import { noOutcome } from "../../hook/merge.ts";
import { isAroundTools } from "../../hook/name.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { notify } from "../../session/run.ts";
import type { RunHook, Session } from "../../session/session.ts";
import { skillTool } from "../../tool/builtin/skill.ts";
import type { Tool } from "../../tool/contract.ts";
import { isBoardOn, isDetached } from "../board/board.ts";
import type { McpParts } from "../mcp/host.ts";
import { type AgentMcp, agentMcp, type McpOffer, type SessionMcp, sessionMcp } from "../mcp/mcp.ts";
import type { Ground } from "../start.ts";
import { type HookActor, type SessionHooks, sessionHooks } from "./hooks.ts";
import type { LiveSession } from "./live-session.ts";

export class Extensions {
  readonly catalog: Catalog;
  readonly skills: Skills;
  readonly commands: Commands;
  #hooks: SessionHooks | undefined;
  #mcp: SessionMcp | undefined;
  /** Of the agent that the main session runs as. */
  #own: AgentMcp | undefined;
  #offer: McpOffer = () => [];
  #skill: Tool[] | undefined;
  #startContext = "";

  private constructor(catalog: Catalog, skills: Skills, commands: Commands) {
    this.catalog = catalog;
    this.skills = skills;
    this.commands = commands;
  }

  static async load(ground: Ground, slashNames: readonly string[]): Promise<Extensions> {
    const { values } = ground.settings;
    const grounds = {
      everlongHome: ground.paths.home,
      root: ground.root,
      cwd: ground.context.cwd,
      trust: ground.trust,
    };
    const isOn = (gate: string): boolean =>
      gate === "features.subconscious" ? isBoardOn(ground) : (values as Record<string, unknown>)[gate] === true;
    const [catalog, skills, commands] = await Promise.all([
      loadCatalog({ ...grounds, builtins: builtinAgents, isOn }),
      loadSkills({ ...grounds, directories: values.skillDirectories, disabled: values.disabledSkills }),
      loadCommands({ ...grounds, builtins: slashNames }),
    ]);
    return new Extensions(catalog, skills, commands);
  }

  /** What is wrong with any of their files, for a person, once. */
  warnings(): string[] {
    const all = [this.catalog, this.skills, this.commands].flatMap(({ warnings }) => warnings);
    return all.map((w) => `Warning: ${describeWarning(w)}`);
  }

  /** Servers begin to start; nothing is waited for. */
  open(live: LiveSession): void {
    this.#mcp = sessionMcp(mcpParts(live, live.session));
    this.#offer = this.#mcp.offer(this.#own ? { own: this.#own } : {});
    this.#mcp.start();
  }

  /** Before the first request. */
  async begin(live: LiveSession, initialPrompt?: string): Promise<void> {
    const source = live.log.state.promptCount > 0 ? "resume" : "new";
    const about = { source, ...optional("initialPrompt", initialPrompt) } as const;
    const started = await live.session.parts.hook("sessionStart", about, live.stopping.signal);
    this.#startContext = started.additionalContext;
    const event = catalogEvent(this.catalog);
    if (event.agents.length + event.warnings.length + event.errors.length > 0)
      await live.session.emit("session.custom_agents_updated", event);
  }

  /** What hooks said at the start, for the first message. */
  startContext(): string {
    const text = this.#startContext;
    this.#startContext = "";
    return text;
  }

  /** The servers of the agent that the main session runs as, in place of those of the one before. */
  async selectServers(live: LiveSession, definition: AgentDefinition | undefined): Promise<void> {
    await this.#own?.end();
    this.#own = definition && (await agentMcp(definition, mcpParts(live, live.session)));
    this.#offer = this.#mcp?.offer(this.#own ? { own: this.#own } : {}) ?? (() => []);
  }

  hookFor(live: LiveSession, actor?: HookActor): RunHook {
    return async (...args) => {
      // A consolidation that nobody sees is no session of the user's: only what guards tools runs around it.
      if (isDetached(live.ground) && !isAroundTools(args[0])) return noOutcome;
      this.#hooks ??= hooksOf(live);
      return this.#hooks.hookFor(actor)(...args);
    };
  }

  /** `/hooks`. */
  async listHooks(live: LiveSession): Promise<string> {
    this.#hooks ??= hooksOf(live);
    return this.#hooks.list();
  }

  /** At each turn of the main agent: late servers join, and the model is told. */
  async beforeTurn(live: LiveSession): Promise<void> {
    const { signal } = live.stopping;
    const news = [...((await this.#mcp?.turn(signal)) ?? []), ...((await this.#own?.turn(signal)) ?? [])];
    for (const content of news) notify(live.session, { kind: "mcp", content });
  }

  tools(live: LiveSession): readonly Tool[] {
    const isAsked = (name: string) => live.session.state.chain.some((e) => asksForSkill(e, name));
    this.#skill ??= this.skillTool(live, () => live.session, isAsked);
    return [...this.#skill, ...this.#offer(live.limits.promptLimit)];
  }

  /** For a subagent. */
  offer(allows: (tool: Tool) => boolean, own: AgentMcp | undefined): McpOffer {
    return this.#mcp?.offer({ allows, ...(own ? { own } : {}) }) ?? (() => []);
  }

  async agentServers(live: LiveSession, definition: AgentDefinition, agentId: string): Promise<AgentMcp | undefined> {
    const { log } = live;
    const session: McpParts["session"] = {
      dir: live.paths.dir,
      root: live.ground.root,
      emit: (type, data, parentId) => log.emit(type, data, { parentId, agentId }),
      publish: (type, data) => log.publish(type, data, agentId),
    };
    return agentMcp(definition, mcpParts(live, session));
  }

  mcpCommand(args: string): ReturnType<SessionMcp["command"]> {
    return this.#mcp ? this.#mcp.command(args) : Promise.resolve(ok("No MCP server is configured."));
  }

  /** Skills, where they can be invoked, and the words of servers, for the system prompt. */
  promptFragments(offered: readonly Tool[], child?: { own: AgentMcp | undefined }): Fragment[] {
    const own = child ? child.own : this.#own;
    const list = offered.some((tool) => tool.group === "skill") ? skillsList(this.skills.skills) : undefined;
    const words = [this.#mcp?.instructions() ?? "", own?.instructions() ?? ""].filter(Boolean);
    return [
      ...(list ? [list] : []),
      ...words.map((text): Fragment => ({ text, maxTokens: Number.POSITIVE_INFINITY })), // bounded where they are made
    ];
  }

  /** Empty when there is no skill to invoke. `asked`: those that the user has typed the name of, though no model may think of them. */
  skillTool(live: LiveSession, session: () => Session, asked?: (name: string) => boolean): Tool[] {
    const isOffered = (s: Skill) => s.enabled && (s.modelInvocable || (asked !== undefined && s.userInvocable));
    if (!this.skills.skills.some(isOffered)) return [];
    return [
      skillTool({
        load: async (name) => {
          const found = findSkill(this.skills, name);
          if (!found.ok) return found;
          const { value: skill } = found;
          if (!skill.modelInvocable && !asked?.(skill.name))
            return fail(`The skill "${skill.name}" is only for the user to invoke. /skills lists them.`);
          return ok(await this.invoke(live, session(), skill));
        },
      }),
    ];
  }

  /** Writes it down, gives its approvals to the session, and returns its text for the model. */
  async invoke(live: LiveSession, session: Session, skill: Skill): Promise<string> {
    const { message, event } = invokeSkill(skill);
    await session.emit("skill.invoked", event);
    live.approvals.addSessionRules(event.allowedTools);
    return message;
  }

  /** Before the log is closed. */
  async finish(live: LiveSession, end: "routine" | "error" | "signal"): Promise<void> {
    const reason = {
      routine: live.options.interactive ? "user_exit" : "complete",
      error: "error",
      signal: "abort",
    } as const;
    const limitMs = end === "signal" ? SIGNAL_END_MS : SESSION_END_MS;
    await live.session.parts.hook("sessionEnd", { reason: reason[end] }, AbortSignal.timeout(limitMs));
    await Promise.all([this.#mcp?.end(), this.#own?.end()]);
  }
}

/** `/NAME` was typed: its message prescribes the call. */
const asksForSkill = (e: DurableEnvelope, name: string): boolean =>
  e.type === "user.message" && e.data.directive?.tool === "skill" && e.data.directive.args["name"] === name;

/** A hook at the end must not keep a person waiting. */
const SESSION_END_MS = 30_000;
const SIGNAL_END_MS = 1500;

const hooksOf = (live: LiveSession): SessionHooks =>
  sessionHooks({
    ground: live.ground,
    owner: live.owner,
    sessionId: live.sessionId,
    transcriptPath: live.paths.events,
    cwd: () => live.session.state.context.cwd,
    emit: (agentId, type, data) => live.log.emit(type, data, { agentId }),
  });

function mcpParts(live: LiveSession, session: McpParts["session"]): McpParts {
  return {
    ground: live.ground,
    owner: live.owner,
    session,
    cwd: live.ground.context.cwd,
    denied: () => live.approvals.policy().deny,
    dropApprovals: (tools) => live.approvals.dropMcp(tools),
    runTask: (task, context) => live.agents.runMcpTask(task, context),
  };
}
