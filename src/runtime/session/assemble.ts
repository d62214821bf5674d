// The parts of an open session, each made from those before it. What happens in a part reaches an earlier one only by its listeners.
import { tmpdir } from "node:os";
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import type { ResolvedModel } from "../../model/resolve.ts";
import type { Session } from "../../session/session.ts";
import type { Tool } from "../../tool/contract.ts";
import { Agents } from "../agent/agents.ts";
import { openMainAgent } from "../agent/main-agent.ts";
import { McpServers } from "../mcp/servers.ts";
import { SessionMemory } from "../memory/memory.ts";
import { Sidekicks } from "../sidekick/sidekicks.ts";
import { Approvals } from "./approvals.ts";
import type { Extensions } from "./extensions.ts";
import { type SessionHooks, sessionHooks } from "./hooks.ts";
import { ModelInForce } from "./model-in-force.ts";
import { openResources, type ResourceOptions, type SessionResources } from "./resources.ts";
import type { BuiltTools } from "./tools.ts";

/** A plain record: nothing in it refers back to it. */
export type OpenSession = SessionResources & {
  extensions: Extensions;
  model: ModelInForce;
  hooks: SessionHooks;
  approvals: Approvals;
  mcp: McpServers;
  memory: SessionMemory;
  agents: Agents;
  sidekicks: Sidekicks;
  /** The main conversation with its parts. */
  session: Session;
  /** The built-in tools of the main agent. */
  builtIn: BuiltTools;
  offered: (selected?: AgentDefinition) => Tool[];
};

type AssembleOptions = ResourceOptions & { resolved: ResolvedModel; extensions: Extensions };

export function assembleSession({ resolved, extensions, ...open }: AssembleOptions): OpenSession {
  const { past } = open;
  const resources = openResources(open);
  const { workspace, main, log, owner, paths, options, actors } = resources;
  const model = new ModelInForce(resolved, main.state, resources.index);
  const hooks = sessionHooks({
    workspace,
    owner,
    sessionId: main.id,
    transcriptPath: paths.events,
    cwd: () => main.state.context.cwd,
    emit: (agentId, type, data) => log.emit(type, data, { agentId }),
  });
  const approvals = new Approvals(main, workspace, options.prompts, tmpdir());
  const mcp = new McpServers({ ...resources, approvals });
  const memory = new SessionMemory({ ...resources, model });
  const shared = { ...resources, extensions, model, hooks, approvals, mcp, memory };
  const agents = new Agents({ ...shared, catalog: extensions.catalog }, past);
  const sidekicks = new Sidekicks({ ...shared, agents }, past);
  memory.onChange(() => sidekicks.trigger({ event: "session.memory_changed" }));
  log.onFold = (event) => {
    agents.fold(event);
    actors.fold(event);
    sidekicks.fold(event);
  };
  return { ...shared, agents, sidekicks, ...openMainAgent({ ...shared, agents, sidekicks }) };
}
