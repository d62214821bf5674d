// Which agent the main session runs as: chosen, given up, found again after a resume. The log knows it; nothing is kept beside it.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { findAgent } from "../../agent/catalog/load.ts";
import { type Skill, skillsOf } from "../../agent/skill/load.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import type { Tool } from "../../tool/contract.ts";
import type { McpServers } from "../mcp/servers.ts";
import type { Extensions } from "../session/extensions.ts";
import { type SwitchServices, switchModel } from "../session/switch-model.ts";
import type { Agents } from "./agents.ts";
import { modelFor } from "./model.ts";

export type SelectionServices = SwitchServices & {
  extensions: Extensions;
  agents: Pick<Agents, "runMcpTask" | "selected">;
  mcp: McpServers;
  /** The tools of the main agent, as one that is about to be chosen. */
  offered: (selected: AgentDefinition) => readonly Tool[];
};

/** The main session runs as this definition from now on. `keepModel`: the user named one. Gives what could not be had. */
export async function selectForSession(
  services: SelectionServices,
  definition: AgentDefinition,
  { keepModel = false } = {},
): Promise<string[]> {
  const { session, extensions, model } = services;
  await deselect(services);
  await services.mcp.select(definition, services.agents.runMcpTask);
  const before = model.target.id;
  const refusals = keepModel ? [] : await useItsModel(services, definition);
  const now = model.target.id;
  await session.emit("subagent.selected", {
    agentName: definition.name,
    agentDisplayName: definition.displayName,
    tools: services.offered(definition).map((tool) => tool.name),
    ...(now === before ? {} : { model: { before, now } }),
  });
  const warnings = [...refusals, ...skillsOf(extensions.skills, definition.skills).warnings];
  for (const message of warnings) await session.emit("session.warning", { warningType: "agent", message });
  return warnings;
}

/** The session is itself again, on the model it had, unless another was chosen since. Gives the name of what it was. */
export async function deselect(services: SelectionServices): Promise<string | undefined> {
  const { session } = services;
  const { agent } = session.state;
  if (agent === undefined) return undefined;
  const model = selection(session.state)?.data.model;
  await services.mcp.select(undefined, services.agents.runMcpTask);
  await session.emit("subagent.deselected", { agentName: agent });
  const back = model && model.now === services.model.target.id ? await switchModel(services, model.before) : undefined;
  if (back && !back.ok) await session.emit("session.warning", { warningType: "agent", message: back.error.what });
  return agent;
}

/** Before the first request: what `--agent` names, or the agent of before, which may be gone. */
export async function settleAgent(services: SelectionServices, wanted: AgentDefinition | undefined): Promise<void> {
  const { session, extensions, options } = services;
  const { agent } = session.state;
  if (wanted && wanted.name !== agent) {
    await selectForSession(services, wanted, { keepModel: options.flags["model"] !== undefined });
  } else if (agent !== undefined && !findAgent(extensions.catalog, agent)) {
    await deselect(services);
    const message = `Agent ${agent} no longer exists here. The session continues without it.`;
    await session.emit("session.warning", { warningType: "agent", message });
  }
}

type Selection = Extract<DurableEnvelope, { type: "subagent.selected" }>;

/** When the agent in force was chosen. */
export const selection = ({ agent, chain }: SessionState): Selection | undefined =>
  agent === undefined
    ? undefined
    : chain.findLast((e): e is Selection => e.type === "subagent.selected" && e.agentId === undefined);

/** The conversation went back, and perhaps behind the choice: it holds all the same. */
export async function keepSelection(
  { state, emit }: Pick<Session, "state" | "emit">,
  before: Selection | undefined,
): Promise<void> {
  if (state.agent === before?.data.agentName) return;
  if (before) await emit("subagent.selected", before.data);
  else if (state.agent !== undefined) await emit("subagent.deselected", { agentName: state.agent });
}

/** Skills of the chosen agent that have not come into the conversation since it was chosen. */
export function skillsToLoad({
  session,
  agents,
  extensions,
}: Pick<SelectionServices, "session" | "agents" | "extensions">): Skill[] {
  const definition = agents.selected();
  const chosen = selection(session.state);
  if (!definition || !chosen) return [];
  const since = session.state.chain.slice(session.state.chain.indexOf(chosen));
  const loaded = since.flatMap((e) => (e.type === "skill.invoked" && e.agentId === undefined ? [e.data.name] : []));
  return skillsOf(extensions.skills, definition.skills).skills.filter(({ name }) => !loaded.includes(name));
}

async function useItsModel(services: SelectionServices, definition: AgentDefinition): Promise<string[]> {
  // The person chose the agent: no guard stands between them and its price.
  const choice = await modelFor(services, definition, { costGuard: "off" });
  if (!choice.ok) return [choice.error.message];
  const { model, changed } = choice.value;
  const switched = model === services.model.target.id ? undefined : await switchModel(services, model);
  return [
    ...(changed ? [`${definition.name} wants the model ${changed.requested}, which is not available here.`] : []),
    ...(switched && !switched.ok ? [`${model}: ${switched.error.what}`] : []),
  ];
}
