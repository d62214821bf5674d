// The launch plan of an agent: what it is started with so that it speaks to the gateway. Pure: nothing is written or run.
import { fail, ok, type Result } from "../../base/result.ts";
import { agentNames, rowOf } from "./agents.ts";
import { upstreamFor } from "./base.ts";
import { type LaunchRequest, type Plan, type Refusal, refusal } from "./row.ts";

export function planFor(agent: string, request: LaunchRequest): Result<Plan, Refusal> {
  const row = rowOf(agent, request.args);
  if (!row) return fail(unknownAgent(agent));
  const bases = row.bases?.(request) ?? ok([]);
  if (!bases.ok) return bases;
  const missing = bases.value.find(({ vendor, url }) => !upstreamFor(request.gateway, vendor, url));
  if (missing) return fail(elsewhere(request.gateway.address, missing.url));
  const draft = row.plan(request);
  if (!draft.ok) return draft;
  const { args = request.args, env = {}, files = [], notes = [], secrets = [] } = draft.value;
  return ok({
    command: row.command,
    args,
    env,
    files,
    notes,
    secrets: [...(request.run ? [request.run] : []), ...secrets],
  });
}

export const unknownAgent = (agent: string): Refusal => ({
  ...refusal(
    "unknown_agent",
    agent === "" || agent === "--" ? "Which agent?" : `everlong with does not know "${agent}".`,
    `Agents: ${agentNames.join(", ")}. For any other program: everlong with -- CMD ARGS`,
  ),
  exit: 2,
});

const elsewhere = (address: string, base: string): Refusal =>
  refusal(
    "upstream_unset",
    `The gateway at ${address} has no upstream ${base}.`,
    "Stop it, so that this run starts its own, or add the upstream with EVERLONG_UPSTREAM_NAME.",
  );
