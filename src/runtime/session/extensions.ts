// What users add to a session as files: agents, skills and commands, loaded when it opens.
import { join } from "node:path";
import { builtinAgents } from "../../agent/catalog/builtin.ts";
import { type AgentCatalog, loadCatalog } from "../../agent/catalog/load.ts";
import type { ParsedAgent } from "../../agent/catalog/parse-agent.ts";
import { type CommandOptions, type Commands, loadCommands } from "../../agent/command/load.ts";
import { describeWarning } from "../../agent/file/warning.ts";
import { invokeSkill } from "../../agent/skill/invoke.ts";
import { findSkill, loadSkills, type Skill, type Skills } from "../../agent/skill/load.ts";
import { fail, ok } from "../../base/result.ts";
import { hasConsent } from "../../permission/consent.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { factsOf } from "../../schema/own-tool.ts";
import type { Conversation } from "../../session/session.ts";
import { skillTool } from "../../tool/builtin/skill.ts";
import type { Tool } from "../../tool/contract.ts";
import { isBoardOn } from "../board/board.ts";
import type { OpenOptions } from "../client/session.ts";
import type { Workspace } from "../workspace.ts";
import type { Approvals } from "./approvals.ts";

export type Extensions = { catalog: AgentCatalog; skills: Skills; commands: Commands };

/** `slashNames`: commands that those of the user cannot replace. */
export async function loadExtensions(workspace: Workspace, slashNames: OpenOptions["slashNames"]): Promise<Extensions> {
  const { values } = workspace.settings;
  const folders = {
    everlongHome: workspace.paths.home,
    root: workspace.root,
    cwd: workspace.context.cwd,
    trust: workspace.trust,
  };
  const isOn = (gate: string): boolean =>
    gate === "features.subconscious" ? isBoardOn(workspace) : (values as Record<string, unknown>)[gate] === true;
  const [catalog, skills, commands] = await Promise.all([
    loadCatalog({ ...folders, builtins: builtinAgents, isOn, remote: await fromCatalogue(workspace) }),
    loadSkills({ ...folders, directories: values.skillDirectories, disabled: values.disabledSkills }),
    customCommands(folders, slashNames),
  ]);
  return { catalog, skills, commands };
}

/** Our own commands are loaded only where there are others to compare with them. */
export async function customCommands(
  folders: Omit<CommandOptions, "builtins">,
  slashNames: OpenOptions["slashNames"],
): Promise<Commands> {
  const commands = await loadCommands({ ...folders, builtins: [] });
  if (commands.commands.length === 0 || !slashNames) return commands;
  return loadCommands({ ...folders, builtins: await slashNames() });
}

/** What is wrong with any of their files, for a person, once. */
export function extensionWarnings({ catalog, skills, commands }: Extensions): string[] {
  const all = [catalog, skills, commands].flatMap(({ warnings }) => warnings);
  return all.map((w) => `Warning: ${describeWarning(w)}`);
}

/** Whose conversation invokes a skill. */
type SkillCaller = { skills: Skills; conversation: Conversation; approvals: Pick<Approvals, "addSessionRules"> };

/** Empty when there is no skill to invoke. In the main conversation also those that the user has typed the name of. */
export function skillTools(caller: SkillCaller): Tool[] {
  const { skills, conversation } = caller;
  const isMain = conversation.agentId === undefined;
  if (!skills.skills.some((s) => s.enabled && (s.modelInvocable || (isMain && s.userInvocable)))) return [];
  const isTyped = (name: string) => isMain && conversation.state.chain.some((e) => asksForSkill(e, name));
  return [
    skillTool({
      load: async (name) => {
        const match = findSkill(skills, name);
        if (!match.ok) return match;
        const { value: skill } = match;
        if (!skill.modelInvocable && !isTyped(skill.name))
          return fail(`The skill "${skill.name}" is only for the user to invoke. /skills lists them.`);
        return ok(await invoke(caller, skill));
      },
    }),
  ];
}

/** Writes it down, gives its approvals to the session, and returns its text for the model. */
export async function invoke(
  { conversation, approvals }: Pick<SkillCaller, "conversation" | "approvals">,
  skill: Skill,
): Promise<string> {
  const { message, event } = invokeSkill(skill);
  await conversation.emit("skill.invoked", event);
  approvals.addSessionRules(event.allowedTools);
  return message;
}

/** `/NAME` was typed: its message prescribes the call. */
function asksForSkill(e: DurableEnvelope, name: string): boolean {
  const directive = e.type === "user.message" ? e.data.directive : undefined;
  return directive !== undefined && factsOf(directive.tool)?.group === "skill" && directive.args["name"] === name;
}

/** Agents that a server offers for this repository, when the user has named one. */
async function fromCatalogue({ settings, trust, paths, root, context }: Workspace): Promise<ParsedAgent[]> {
  const { "agent.catalogUrl": url, offline } = settings.values;
  if (url === undefined) return [];
  const { remoteAgents } = await import("../../agent/catalog/remote.ts");
  return remoteAgents({
    url,
    offline,
    repository: context.repository,
    trusted: trust.trusted,
    hasConsent: (address) => hasConsent(paths.home, root, address),
    folder: join(paths.home, "cache", "agents"),
    now: () => new Date(),
  });
}
