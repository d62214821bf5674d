// Ids of agents: made from their names, never used twice, and found again by id, name or prefix.
import { fail, ok, type Result } from "../../base/result.ts";
import { clip, nearNames } from "../../base/text.ts";
import { SIDEKICK_ID } from "../../schema/event/memory.ts";
import { normaliseName } from "../file/name.ts";
import { type Coded, MAIN, USER } from "./contract.ts";
import type { AgentRecord } from "./record.ts";

const MAX = 40;
const MIN_PREFIX = 4;
const CANDIDATES = 10;

export function makeAgentId(name: string, agentType: string, isUsed: (id: string) => boolean): string {
  const base = slug(name) || slug(agentType) || "agent";
  const taken = (id: string) => id === MAIN || id === USER || SIDEKICK_ID.test(id) || isUsed(id);
  if (!taken(base)) return base;
  let n = 2;
  while (taken(`${base}-${n}`)) n++;
  return `${base}-${n}`;
}

const slug = (name: string): string => normaliseName(name).replace(/^-+/, "").slice(0, MAX).replace(/-+$/, "");

export const unknownAgent = (id: string): Coded => ({ code: "agent_not_found", message: `No such agent: "${id}".` });

/** Hidden records are found too: an id that a model was given keeps its meaning. */
export function findRecord(records: ReadonlyMap<string, AgentRecord>, wanted: string): Result<AgentRecord, Coded> {
  const text = wanted.trim();
  const exact = records.get(text);
  if (exact) return ok(exact);
  const all = [...records.values()];
  const named = all.filter((record) => record.name === text);
  const match =
    named.length > 0 || text.length < MIN_PREFIX ? named : all.filter((record) => record.id.startsWith(text));
  const [one, another] = match;
  if (one && !another) return ok(one);
  const shown = clip(text, 80);
  if (one)
    return fail({
      code: "ambiguous_agent",
      message: `"${shown}" fits several agents: ${listed(match.map(({ id }) => id))}. Use the whole id.`,
    });
  const ids = all.map(({ id }) => id).reverse();
  const near = nearNames(text, ids);
  const rest = ids.filter((id) => !near.includes(id));
  const hint = ids.length === 0 ? "No agent has been started." : `Available: ${listed([...near, ...rest])}.`;
  return fail({ code: "agent_not_found", message: `No such agent: "${shown}". ${hint}` });
}

function listed(ids: readonly string[]): string {
  const more = ids.length - CANDIDATES;
  return ids.slice(0, CANDIDATES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
