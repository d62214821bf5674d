// Agents, workflows and what users added, for a face: choose an agent, start a fleet or a research, look at hooks, skills, servers.

import { describeCatalog, selectAgent } from "../../agent/catalog/show.ts";
import { expandCommand } from "../../agent/command/expand.ts";
import { skillPrompt } from "../../agent/skill/invoke.ts";
import { findSkill } from "../../agent/skill/load.ts";
import { fail, ok } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { Client, CommandResult } from "../client/session.ts";
import type { Approvals } from "../session/approvals.ts";
import type { Extensions } from "../session/extensions.ts";
import type { SessionHooks } from "../session/hooks.ts";
import type { Agents } from "./agents.ts";
import { deselect, type SelectionServices, selectForSession } from "./select-agent.ts";

type Parts = Pick<Client, "agent" | "fleet" | "research" | "mcp" | "hooks" | "skills" | "customCommands" | "custom">;

export type AgentClientServices = SelectionServices & {
  agents: Agents;
  hooks: SessionHooks;
  approvals: Approvals;
  /** What must precede the first request. */
  ready: () => Promise<void>;
};

export function agentClient(services: AgentClientServices): Parts {
  const { extensions, agents, approvals, session, ready, hooks, mcp } = services;
  return {
    agent: {
      list: () => describeCatalog(extensions.catalog, session.state.agent),
      select: (name) => select(services, name),
    },
    fleet: {
      async start({ prompt }) {
        const refusal = agents.workflows.refusal("/fleet");
        if (refusal) return fail(refusal);
        await ready();
        await approvals.load();
        return ok(await agents.workflows.fleet.start(prompt));
      },
    },
    research: {
      async start(topic) {
        await ready();
        await approvals.load();
        return agents.workflows.startResearch(session, topic);
      },
    },
    mcp: { command: (args) => mcp.command(args) },
    hooks: async () => ok(await hooks.list()),
    skills: () => ok(listSkills(extensions)),
    customCommands: () => [
      ...extensions.commands.commands.map(({ name, argumentHint: args = "", description: help }) => ({
        name,
        args,
        help,
      })),
      ...extensions.skills.skills
        .filter((skill) => skill.enabled && skill.userInvocable)
        .map(({ name, description: help }) => ({ name, args: "", help })),
    ],
    async custom(name, args) {
      const display = `/${name}${args === "" ? "" : ` ${args}`}`;
      const command = extensions.commands.commands.find((one) => one.name === name);
      if (command) {
        approvals.addSessionRules(command.allowedTools.map((rule) => rule.text));
        return ok({ prompt: expandCommand(command.body, args), display });
      }
      const skill = extensions.skills.skills.find((one) => one.name === name && one.userInvocable);
      if (!skill) return undefined;
      const found = findSkill(extensions.skills, name);
      if (found.ok) return ok({ ...skillPrompt(found.value, args), display });
      const data = "Nothing was sent.";
      return fail({ code: "skill_disabled", what: found.error, data, next: "/skills lists them.", exit: 2 as const });
    },
  };
}

async function select(services: SelectionServices, name: string): Promise<CommandResult> {
  if (name === "none") {
    const before = await deselect(services);
    return ok(before === undefined ? "No agent is chosen." : `${before} is no longer chosen.`);
  }
  const chosen = selectAgent(services.extensions.catalog, name);
  if (!chosen.ok) return chosen;
  const { value: definition } = chosen;
  if (definition.name === services.session.state.agent) return ok(`This session already runs as ${definition.name}.`);
  const warnings = await selectForSession(services, definition);
  return ok([`This session now runs as ${definition.name}.`, ...warnings].join("\n"));
}

function listSkills({ skills }: Extensions): string {
  const rows = skills.skills.map(
    (s) => `${s.name}${s.enabled ? "" : " (off)"}: ${clip(s.description.replace(/\s+/g, " "), 100)}\n  ${s.path}`,
  );
  if (rows.length === 0)
    return "There are no skills. One is a folder with a SKILL.md in .everlong/skills of the project or in skills of EVERLONG_HOME.";
  return [...rows, "Switch one off with the setting disabledSkills."].join("\n");
}
