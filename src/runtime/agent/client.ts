// Agents, workflows and what users added, for a face: choose an agent, start a fleet or a research, look at hooks, skills, servers.

import { describeCatalog, selectAgent } from "../../agent/catalog/show.ts";
import { expandCommand } from "../../agent/command/expand.ts";
import { skillPrompt } from "../../agent/skill/invoke.ts";
import { findSkill } from "../../agent/skill/load.ts";
import { fail, ok } from "../../base/result.ts";
import type { Client, CommandResult } from "../client/session.ts";
import type { Approvals } from "../session/approvals.ts";
import type { SessionHooks } from "../session/hooks.ts";
import type { Agents } from "./agents.ts";
import { deselect, type SelectionServices, selectForSession } from "./select-agent.ts";

type Parts = Pick<Client, "agents" | "mcp" | "extensions">;

type AgentClientServices = SelectionServices & {
  agents: Agents;
  hooks: SessionHooks;
  approvals: Approvals;
  /** What must precede the first request. */
  ready: () => Promise<void>;
};

export function agentClient(services: AgentClientServices): Parts {
  const { extensions, agents, approvals, session, ready, hooks, mcp } = services;
  return {
    agents: {
      list: () => describeCatalog(extensions.catalog, session.state.agent),
      select: (name) => select(services, name),
      async startFleet({ prompt }) {
        const refusal = agents.workflows.refusal("/fleet");
        if (refusal) return fail(refusal);
        await ready();
        await approvals.load();
        return ok(await agents.workflows.fleet.start(prompt));
      },
      async startResearch(topic) {
        await ready();
        await approvals.load();
        return agents.workflows.startResearch(session, topic);
      },
    },
    mcp: mcp.access,
    extensions: {
      hooks: () => hooks.list(),
      skills: () =>
        extensions.skills.skills.map(({ name, enabled, description, path }) => ({ name, enabled, description, path })),
      commands: () => [
        ...extensions.commands.commands.map(({ name, argumentHint: args = "", description: help }) => ({
          name,
          args,
          help,
        })),
        ...extensions.skills.skills
          .filter((skill) => skill.enabled && skill.userInvocable)
          .map(({ name, description: help }) => ({ name, args: "", help })),
      ],
      async prompt(name, args) {
        const display = `/${name}${args === "" ? "" : ` ${args}`}`;
        const command = extensions.commands.commands.find((one) => one.name === name);
        if (command) {
          approvals.addSessionRules(command.allowedTools.map((rule) => rule.text));
          return ok({ prompt: expandCommand(command.body, args), display });
        }
        const skill = extensions.skills.skills.find((one) => one.name === name && one.userInvocable);
        if (!skill) return undefined;
        const match = findSkill(extensions.skills, name);
        if (match.ok) return ok({ ...skillPrompt(match.value, args), display });
        const data = "Nothing was sent.";
        return fail({ code: "skill_disabled", what: match.error, data, next: "/skills lists them.", exit: 2 as const });
      },
    },
  };
}

async function select(services: SelectionServices, name: string): Promise<CommandResult> {
  if (name === "none") {
    const before = await deselect(services);
    return ok(before === undefined ? "No agent selected." : `No longer running as ${before}.`);
  }
  const chosen = selectAgent(services.extensions.catalog, name);
  if (!chosen.ok) return chosen;
  const { value: definition } = chosen;
  if (definition.name === services.session.state.agent) return ok(`This session already runs as ${definition.name}.`);
  const warnings = await selectForSession(services, definition);
  return ok([`This session now runs as ${definition.name}.`, ...warnings].join("\n"));
}
