// The agents that may be called, as the text of `task` lists them, and the answer when there is no such type.
import { clip, nearNames } from "../../base/text.ts";
import type { AgentDefinition } from "../catalog/definition.ts";
import type { Coded } from "./contract.ts";

const MAX_CHARS = 12_000;

/** Names stand for descriptions once the list is full; custom agents come first, because they are preferred. */
export function describeAgents(agents: readonly AgentDefinition[]): string {
  const isCustom = (agent: AgentDefinition) => agent.origin !== "builtin";
  const offered = agents
    .filter((agent) => agent.modelInvocable)
    .toSorted((a, b) => Number(isCustom(b)) - Number(isCustom(a)) || (a.name < b.name ? -1 : 1));
  const nameLine = ({ name }: AgentDefinition) => `- ${name}`;
  let left = MAX_CHARS - offered.reduce((sum, agent) => sum + nameLine(agent).length + 1, 0);
  const lines: string[] = [];
  for (const agent of offered) {
    const label = `${isCustom(agent) ? " (custom)" : ""}: ${agent.description.replace(/\s+/g, " ").trim()}`;
    const fits = label.length <= left;
    if (fits) left -= label.length;
    lines.push(nameLine(agent) + (fits ? label : ""));
  }
  return cutLines(lines);
}

/** Thousands of names alone are too long as well. */
function cutLines(lines: readonly string[]): string {
  const shownLines: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += line.length + 1;
    if (size > MAX_CHARS - 40) return [...shownLines, `- and ${lines.length - shownLines.length} more`].join("\n");
    shownLines.push(line);
  }
  return shownLines.join("\n");
}

export function unknownType(wanted: string, offered: readonly AgentDefinition[]): Coded {
  const names = offered.map(({ name }) => name);
  const near = nearNames(wanted, names, 1);
  const hint = near.length > 0 ? ` Did you mean ${near[0]}?` : "";
  const message = `No such agent type: "${clip(wanted, 80)}".${hint} Valid types: ${names.join(", ")}.`;
  return { code: "unknown_agent_type", message };
}
