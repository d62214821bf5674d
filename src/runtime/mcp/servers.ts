// The MCP servers of all agents of an open session: the session's own, those of the agent that it runs as, those of subagents.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { notify } from "../../session/run.ts";
import type { Conversation } from "../../session/session.ts";
import type { Tool } from "../../tool/contract.ts";
import { lazily } from "../lazily.ts";
import type { Approvals } from "../session/approvals.ts";
import type { SessionResources } from "../session/resources.ts";
import type { McpAccess } from "./access.ts";
import type { McpParts } from "./host.ts";
import { type AgentMcp, agentMcp, type McpOffer, type SessionMcp, sessionMcp } from "./mcp.ts";

type McpServersParts = Pick<SessionResources, "workspace" | "owner" | "main" | "stopping" | "options"> & {
  approvals: Pick<Approvals, "policy" | "dropMcp">;
};

type ServerOwner = Pick<AgentDefinition, "name" | "origin" | "path" | "mcpServers">;

export class McpServers {
  readonly #parts: McpServersParts;
  #session: SessionMcp | undefined;
  /** The servers of the agent that the main session runs as. */
  #own: AgentMcp | undefined;
  #offer: McpOffer = () => [];

  /** In the user's hand. */
  readonly access: McpAccess = lazily(async () => {
    const { mcpAccess } = await import("./access.ts");
    return mcpAccess(this.#session?.accessParts ?? { open: async () => undefined, reload: async () => {}, waitMs: 0 });
  });

  constructor(parts: McpServersParts) {
    this.#parts = parts;
  }

  /** Servers begin to start; nothing is waited for. */
  open(runTask: McpParts["runTask"]): void {
    this.#session = sessionMcp(this.#hostParts(this.#parts.main, runTask));
    this.#offer = this.#session.offer(this.#own ? { own: this.#own } : {});
    this.#session.start();
  }

  /** The servers of the agent that the main session runs as, in place of those of the one before. */
  async select(definition: ServerOwner | undefined, runTask: McpParts["runTask"]): Promise<void> {
    await this.#own?.end();
    this.#own = definition && (await this.openFor(definition, this.#parts.main, runTask));
    this.#offer = this.#session?.offer(this.#own ? { own: this.#own } : {}) ?? (() => []);
  }

  /** An agent's own servers; undefined when it names none. */
  openFor(
    definition: ServerOwner,
    conversation: Conversation,
    runTask: McpParts["runTask"],
  ): Promise<AgentMcp | undefined> {
    return agentMcp(definition, this.#hostParts(conversation, runTask));
  }

  /** At each turn of the main agent: late servers join, and the model is told. */
  async beforeTurn(): Promise<void> {
    const { main, stopping } = this.#parts;
    const { signal } = stopping;
    const news = [...((await this.#session?.turn(signal)) ?? []), ...((await this.#own?.turn(signal)) ?? [])];
    for (const content of news) notify(main, { kind: "mcp", content });
  }

  /** For the main agent. */
  tools(promptLimit: number): readonly Tool[] {
    return this.#offer(promptLimit);
  }

  /** For an actor beside it. */
  offer(allows: (tool: Tool) => boolean, own: AgentMcp | undefined): McpOffer {
    return this.#session?.offer({ allows, ...(own ? { own } : {}) }) ?? (() => []);
  }

  /** The words of the servers of the main agent, or of a subagent with its own ones, for the system prompt. */
  instructions(child?: { own: AgentMcp | undefined }): string[] {
    const own = child ? child.own : this.#own;
    return [this.#session?.instructions() ?? "", own?.instructions() ?? ""].filter(Boolean);
  }

  async end(): Promise<void> {
    await Promise.all([this.#session?.end(), this.#own?.end()]);
  }

  #hostParts(session: Conversation, runTask: McpParts["runTask"]): McpParts {
    const { workspace, owner, approvals, options } = this.#parts;
    return {
      workspace,
      owner,
      session,
      cwd: workspace.context.cwd,
      denied: () => approvals.policy().deny,
      dropApprovals: (tools) => approvals.dropMcp(tools),
      runTask,
      given: options.mcpServers,
    };
  }
}
