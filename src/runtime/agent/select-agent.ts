// Which agent the main session runs as: chosen, given up, found again after a resume. The log knows it; nothing is kept beside it.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { findAgent } from "../../agent/catalog/load.ts";
import { type Skill, skillsOf } from "../../agent/skill/load.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import type { LiveSession } from "../session/live-session.ts";
import { switchModel } from "../session/switch-model.ts";
import { modelFor } from "./model.ts";

/** The main session runs as this definition from now on. `keepModel`: the user named one. Gives what could not be had. */
export async function selectForSession(
  live: LiveSession,
  definition: AgentDefinition,
  { keepModel = false } = {},
): Promise<string[]> {
  const { session, extensions } = live;
  await deselect(live);
  await extensions.selectServers(live, definition);
  const before = live.target.id;
  const refusals = keepModel ? [] : await useItsModel(live, definition);
  const now = live.target.id;
  await session.emit("subagent.selected", {
    agentName: definition.name,
    agentDisplayName: definition.displayName,
    tools: live.offered(definition).map((tool) => tool.name),
    ...(now === before ? {} : { model: { before, now } }),
  });
  const warnings = [...refusals, ...skillsOf(extensions.skills, definition.skills).warnings];
  for (const message of warnings) await session.emit("session.warning", { warningType: "agent", message });
  return warnings;
}

/** The session is itself again, on the model it had, unless another was chosen since. Gives the name of what it was. */
export async function deselect(live: LiveSession): Promise<string | undefined> {
  const { session } = live;
  const { agent } = session.state;
  if (agent === undefined) return undefined;
  const model = selection(session.state)?.data.model;
  await live.extensions.selectServers(live, undefined);
  await session.emit("subagent.deselected", { agentName: agent });
  const back = model && model.now === live.target.id ? await switchModel(live, model.before) : undefined;
  if (back && !back.ok) await session.emit("session.warning", { warningType: "agent", message: back.error.what });
  return agent;
}

/** Before the first request: what `--agent` names, or the agent of before, which may be gone. */
export async function settleAgent(live: LiveSession, wanted: AgentDefinition | undefined): Promise<void> {
  const { session, extensions, options } = live;
  const { agent } = session.state;
  if (wanted && wanted.name !== agent) {
    await selectForSession(live, wanted, { keepModel: options.flags["model"] !== undefined });
  } else if (agent !== undefined && !findAgent(extensions.catalog, agent)) {
    await deselect(live);
    const message = `There is no agent ${agent} here any more: the session goes on without it.`;
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
export async function keepSelection({ state, emit }: Session, before: Selection | undefined): Promise<void> {
  if (state.agent === before?.data.agentName) return;
  if (before) await emit("subagent.selected", before.data);
  else if (state.agent !== undefined) await emit("subagent.deselected", { agentName: state.agent });
}

/** Skills of the chosen agent that have not come into the conversation since it was chosen. */
export function skillsToLoad({ session, agents, extensions }: LiveSession): Skill[] {
  const definition = agents.selected();
  const chosen = selection(session.state);
  if (!definition || !chosen) return [];
  const since = session.state.chain.slice(session.state.chain.indexOf(chosen));
  const loaded = since.flatMap((e) => (e.type === "skill.invoked" && e.agentId === undefined ? [e.data.name] : []));
  return skillsOf(extensions.skills, definition.skills).skills.filter(({ name }) => !loaded.includes(name));
}

async function useItsModel(live: LiveSession, definition: AgentDefinition): Promise<string[]> {
  // The person chose the agent: no guard stands between them and its price.
  const choice = await modelFor(live, definition, { costGuard: "off" });
  if (!choice.ok) return [choice.error.message];
  const { model, changed } = choice.value;
  const switched = model === live.target.id ? undefined : await switchModel(live, model);
  return [
    ...(changed ? [`${definition.name} wants the model ${changed.requested}, which is not available here.`] : []),
    ...(switched && !switched.ok ? [`${model}: ${switched.error.what}`] : []),
  ];
}
