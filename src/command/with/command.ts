// `everlong with AGENT [ARGS…]`: starts an agent so that it speaks to the gateway, and ends what was started for it.
import { nearNames } from "../../base/text.ts";
import {
  type GatewayForRun,
  type GatewayView,
  type LaunchSteps,
  home as machine,
  type WithRequest,
} from "../../runtime/client.ts";
import type { OwnProcess } from "../contract.ts";
import { agentNames, rowOf } from "./agents.ts";
import { upstreamFor } from "./base.ts";
import { planFor, unknownAgent } from "./plan.ts";
import { planJson, shellLines } from "./print.ts";
import { type AgentRow, type Base, type LaunchRequest, type Refusal, refusal, set, type User } from "./row.ts";

export type WithLine = { agent: string; args: readonly string[]; print: boolean; json: boolean };

export async function withCommand(line: WithLine, own: OwnProcess): Promise<number> {
  const { agent, args } = line;
  const row = rowOf(agent, args);
  if (!row) return refuse(unknown(agent), line, own);
  const launch = await machine.launchSteps();
  const workspace = await launch.withWorkspace();
  if (!workspace.ok) return refuse(workspace.error, line, own);
  const { env, userHome, home, foreseen, exposed, run: facts } = workspace.value;
  const user: User = { args, env, home: userHome, read: workspace.value.read };
  const bases = row.bases?.(user) ?? { ok: true, value: [] };
  if (!bases.ok) return refuse(bases.error, line, own);
  const wanted = wantedFor(bases.value);
  const path = launch.findCommand(row.command, env, process.cwd());
  const signIn =
    agent === "codex" && path && !set(env, "OPENAI_API_KEY")
      ? await launch.codexSignIn(path, launch.agentEnvironment(env, {}))
      : undefined;
  const request: Omit<LaunchRequest, "gateway"> = {
    ...{ ...user, launch: workspace.value.launch, exposed },
    ...(signIn ? { signIn } : {}),
  };
  const running = await launch.findSuiting(home, wanted);
  const likely = running ?? withUpstreams(foreseen, bases.value);
  const before = planFor(agent, { ...request, gateway: likely });
  if (!before.ok) return refuse(before.error, line, own);
  const shown = { plan: before.value, upstreams: likely.upstreams, env, isRunning: running !== undefined };
  if (line.json || line.print) {
    own.print(line.json ? JSON.stringify(planJson(agent, shown), undefined, 2) : shellLines(shown).trimEnd());
    return 0;
  }
  if (path === undefined) return refuse(notInstalled(row), line, own);
  const folder = launch.openLaunch(home);
  if (!folder.ok) return own.fail(folder.error);
  own.atExit(() => launch.removeLaunch(folder.value));
  const token = launch.openRun(folder.value, facts);
  if (!token.ok) return own.fail(token.error);
  const gateway = await launch.gatewayForRun(home, wanted);
  if (!gateway.ok) return own.fail(gateway.error);
  return run({ agent, path, request: { ...request, run: token.value }, gateway: gateway.value }, launch, own);
}

type Start = { agent: string; path: string; request: Omit<LaunchRequest, "gateway">; gateway: GatewayForRun };

async function run({ agent, path, request, gateway }: Start, launch: LaunchSteps, own: OwnProcess): Promise<number> {
  const say = (text: string): void => own.warn(`everlong: ${text}`);
  // A bug in the gateway must neither end the agent nor write over its screen: it is told afterwards.
  const bugs: string[] = [];
  const ours = gateway.own;
  if (ours) own.onBug((error) => bugs.push(ours.report(error)));
  try {
    const plan = planFor(agent, { ...request, gateway });
    if (!plan.ok) return own.fail(plan.error);
    const written = launch.writeLaunch(plan.value.files);
    if (!written.ok) return own.fail(written.error);
    for (const note of [...gateway.warnings, ...plan.value.notes]) say(note);
    // A link signs in whoever reads it: it belongs on a screen, not into a log.
    say(startLine(gateway, own.isWatched ? await gateway.link() : undefined));
    const ended = await launch.runAgent(path, plan.value.args, launch.agentEnvironment(request.env, plan.value.env));
    if (ended.ok && !launch.wasUsed(request.launch)) say(unused(agent, plan.value.command));
    return ended.ok ? ended.value : own.fail(ended.error);
  } finally {
    // While streams are finishing; what was acknowledged is stored.
    own.endAtSignal();
    await gateway.release();
    for (const bug of bugs) say(bug);
  }
}

/** F83: one line, before the agent has the screen. */
function startLine({ address, own }: GatewayForRun, link: string | undefined): string {
  const gateway = `gateway ${address}${own ? " (for this run)" : ""}`;
  return [gateway, "session: everlong proxy show --last", ...(link === undefined ? [] : [`link ${link}`])].join(", ");
}

function unused(agent: string, command: string): string {
  const shown = agent === "--" ? `-- ${command}` : agent;
  return `${command} sent no request through the gateway, so nothing from this run is remembered. \`everlong with --print ${shown}\` shows the settings it got.`;
}

function wantedFor(bases: readonly Base[]): WithRequest {
  return {
    suits: (gateway) => bases.every(({ vendor, url }) => upstreamFor(gateway, vendor, url)),
    upstreams: Object.fromEntries(bases.map(({ name, url }) => [name, url])),
  };
}

/** What a gateway has that is started for this run. The usual address may itself be the base that the user has set. */
function withUpstreams(gateway: GatewayView, bases: readonly Base[]): GatewayView {
  const upstreams = new Map(gateway.upstreams.map((upstream) => [upstream.name, upstream]));
  for (const { name, url } of bases) upstreams.set(name, { name, key: upstreams.get(name)?.key ?? false, url });
  return { ...gateway, upstreams: [...upstreams.values()] };
}

const notInstalled = (row: AgentRow): Refusal =>
  refusal(
    "not_installed",
    `${row.command} is not installed: no such program is on PATH.`,
    row.install === "" ? "Install it, or give its path." : `Install it: ${row.install}`,
  );

function unknown(agent: string): Refusal {
  const near = nearNames(agent, agentNames);
  const failure = unknownAgent(agent);
  return agent === "" || near.length === 0
    ? failure
    : { ...failure, next: `Did you mean ${near.join(" or ")}? ${failure.next}` };
}

function refuse(failure: Refusal, { json }: WithLine, own: OwnProcess): number {
  const { entry, code, what, next } = failure;
  if (json)
    own.print(
      JSON.stringify({ error: { code, message: what, hint: next }, ...(entry === undefined ? {} : { entry }) }),
    );
  else if (entry !== undefined) own.print(entry);
  return own.fail(failure);
}
