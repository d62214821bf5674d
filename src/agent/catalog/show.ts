// The catalogue as people and programs see it: the list of /agent, the event, the answer to an unknown name.
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import { describeWarning } from "../file/warning.ts";
import type { AgentDefinition } from "./definition.ts";
import { type AgentCatalog, findAgent } from "./load.ts";

/** The text of `/agent` without an argument. */
export function describeCatalog({ agents, shadowed, warnings }: AgentCatalog, selected?: string): string {
  const rows = agents.map((agent) => {
    const marks = [
      agent.name === selected ? "selected" : "",
      agent.userInvocable ? "" : "not for /agent",
      agent.modelInvocable ? "" : "not for task",
    ].filter(Boolean);
    const note = marks.length > 0 ? ` [${marks.join(", ")}]` : "";
    return `${agent.name}${note}: ${clip(agent.description.replace(/\s+/g, " "), 100)}\n  ${place(agent)}`;
  });
  return [
    ...rows,
    ...shadowed.map(({ agent, by }) => `${agent.name}: shadowed by ${place(by)}\n  ${place(agent)}`),
    ...warnings.map((warning) => `Warning: ${describeWarning(warning)}`),
  ].join("\n");
}

const place = (agent: AgentDefinition): string =>
  agent.origin === "builtin" ? "built in" : `${agent.origin}: ${agent.path}`;

/** The data of `session.custom_agents_updated`: errors are files out of use, warnings fields that were dropped. */
export function catalogEvent({ agents, warnings }: AgentCatalog) {
  const warningLines = (skipped: boolean) => warnings.filter((w) => w.skipped === skipped).map(describeWarning);
  return {
    agents: agents
      .filter((agent) => agent.origin !== "builtin")
      .map(({ name, displayName, description, origin, path }) => ({ name, displayName, description, origin, path })),
    warnings: warningLines(false),
    errors: warningLines(true),
  };
}

/** For `--agent` and `/agent`: an unknown name, or one that is not for users, is answered with those that are. */
export function selectAgent(catalog: AgentCatalog, name: string): Result<AgentDefinition, Failure> {
  const agent = findAgent(catalog, name);
  if (agent?.userInvocable) return ok(agent);
  const names = catalog.agents.filter((one) => one.userInvocable).map((one) => one.name);
  return fail({
    code: "unknown_agent",
    what: agent ? `You cannot choose the agent ${agent.name}.` : `No such agent: ${clip(name, 80)}.`,
    data: "Nothing was started.",
    next: `Choose one of: ${names.join(", ")}.`,
    exit: 2,
  });
}
