// Agents, workflows and what users added, for a face: choose an agent, start a fleet or a research, look at hooks, skills, servers.
import { describeCatalog, selectAgent } from "../../agent/catalog/show.ts";
import { expandCommand } from "../../agent/command/expand.ts";
import { skillPrompt } from "../../agent/skill/invoke.ts";
import { findSkill } from "../../agent/skill/load.ts";
import { fail, ok } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { Client, CommandResult } from "../client.ts";
import type { LiveSession } from "../session/live-session.ts";
import { deselect, selectForSession } from "./select-agent.ts";

type Parts = Pick<Client, "agent" | "fleet" | "research" | "mcp" | "hooks" | "skills" | "customCommands" | "custom">;

export function agentClient(live: LiveSession): Parts {
  const { extensions, agents } = live;
  return {
    agent: {
      list: () => describeCatalog(extensions.catalog, live.session.state.agent),
      select: (name) => select(live, name),
    },
    fleet: {
      async start({ prompt }) {
        const refusal = agents.workflows.refusal("/fleet");
        if (refusal) return fail(refusal);
        await live.ready();
        await live.approvals.load();
        return ok(await agents.workflows.fleet.start(prompt));
      },
    },
    research: {
      async start(topic) {
        await live.ready();
        await live.approvals.load();
        return agents.workflows.startResearch(topic);
      },
    },
    mcp: { command: (args) => extensions.mcpCommand(args) },
    hooks: async () => ok(await extensions.listHooks(live)),
    skills: () => ok(listSkills(live)),
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
        live.approvals.addSessionRules(command.allowedTools.map((rule) => rule.text));
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

async function select(live: LiveSession, name: string): Promise<CommandResult> {
  if (name === "none") {
    const before = await deselect(live);
    return ok(before === undefined ? "No agent is chosen." : `${before} is no longer chosen.`);
  }
  const chosen = selectAgent(live.extensions.catalog, name);
  if (!chosen.ok) return chosen;
  const { value: definition } = chosen;
  if (definition.name === live.session.state.agent) return ok(`This session already runs as ${definition.name}.`);
  const warnings = await selectForSession(live, definition);
  return ok([`This session now runs as ${definition.name}.`, ...warnings].join("\n"));
}

function listSkills({ extensions }: LiveSession): string {
  const rows = extensions.skills.skills.map(
    (s) => `${s.name}${s.enabled ? "" : " (off)"}: ${clip(s.description.replace(/\s+/g, " "), 100)}\n  ${s.path}`,
  );
  if (rows.length === 0)
    return "There are no skills. One is a folder with a SKILL.md in .everlong/skills of the project or in skills of EVERLONG_HOME.";
  return [...rows, "Switch one off with the setting disabledSkills."].join("\n");
}
