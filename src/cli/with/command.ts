// `everlong with AGENT [ARGS…]`: starts an agent so that it speaks to the gateway, and ends what was started for it.
import { nearNames } from "../../base/text.ts";
import { openRun, wasUsed } from "../../runtime/gateway/run-token.ts";
import {
  findSuiting,
  type GatewayView,
  type HeldGateway,
  holdGateway,
  type Wanted,
  withWorkspace,
} from "../../runtime/gateway/with.ts";
import { agentEnvironment, codexSignIn, findCommand, runAgent } from "../../runtime/gateway/with-child.ts";
import { openLaunch, removeLaunch, writeLaunch } from "../../runtime/gateway/with-launch.ts";
import { EXIT, printFailure } from "../exit.ts";
import { agentNames, rowOf } from "./agents.ts";
import { upstreamFor } from "./base.ts";
import { planFor, unknownAgent } from "./plan.ts";
import { planJson, shellLines } from "./print.ts";
import { type Asked, type Base, type Refusal, type Row, refusal, set, type User } from "./row.ts";

export type WithLine = { agent: string; args: readonly string[]; print: boolean; json: boolean };

export async function withCommand(line: WithLine): Promise<number> {
  const { agent, args } = line;
  const row = rowOf(agent, args);
  if (!row) return refuse(unknown(agent), line);
  const workspace = await withWorkspace();
  if (!workspace.ok) return refuse(workspace.error, line);
  const { env, userHome, home, launch, foreseen } = workspace.value;
  const user: User = { args, env, home: userHome, read: workspace.value.read };
  const bases = row.bases?.(user) ?? { ok: true, value: [] };
  if (!bases.ok) return refuse(bases.error, line);
  const wanted = wantedFor(bases.value);
  const path = findCommand(row.command, env, process.cwd());
  const signIn =
    agent === "codex" && path && !set(env, "OPENAI_API_KEY")
      ? await codexSignIn(path, agentEnvironment(env, {}))
      : undefined;
  const { exposed } = workspace.value;
  const asked: Omit<Asked, "gateway"> = { ...user, launch, exposed, ...(signIn ? { signIn } : {}) };
  const running = await findSuiting(home, wanted);
  const likely = running ?? withUpstreams(foreseen, bases.value);
  const before = planFor(agent, { ...asked, gateway: likely });
  if (!before.ok) return refuse(before.error, line);
  const shown = { plan: before.value, upstreams: likely.upstreams, env, isRunning: running !== undefined };
  if (line.json) return print(`${JSON.stringify(planJson(agent, shown), undefined, 2)}\n`);
  if (line.print) return print(shellLines(shown));
  if (path === undefined) return refuse(notInstalled(row), line);
  const folder = openLaunch(home);
  if (!folder.ok) return printFailure(folder.error);
  process.once("exit", () => removeLaunch(folder.value));
  const token = openRun(folder.value, workspace.value.run);
  if (!token.ok) return printFailure(token.error);
  const gateway = await holdGateway(home, wanted);
  if (!gateway.ok) return printFailure(gateway.error);
  return run({ agent, path, asked: { ...asked, run: token.value }, gateway: gateway.value });
}

type Launch = { agent: string; path: string; asked: Omit<Asked, "gateway">; gateway: HeldGateway };

async function run({ agent, path, asked, gateway }: Launch): Promise<number> {
  const bugs = gateway.own ? surviveBugs(gateway.own) : [];
  try {
    const plan = planFor(agent, { ...asked, gateway });
    if (!plan.ok) return printFailure(plan.error);
    const written = writeLaunch(plan.value.files);
    if (!written.ok) return printFailure(written.error);
    for (const note of [...gateway.warnings, ...plan.value.notes]) say(note);
    // A link signs in whoever reads it: it belongs on a screen, not into a log.
    say(startLine(gateway, process.stderr.isTTY ? await gateway.link() : undefined));
    const ended = await runAgent(path, plan.value.args, agentEnvironment(asked.env, plan.value.env));
    if (ended.ok && !wasUsed(asked.launch)) say(unused(agent, plan.value.command));
    return ended.ok ? ended.value : printFailure(ended.error);
  } finally {
    // A signal while streams are finishing ends at once; what was acknowledged is stored.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => process.exit(EXIT.interrupted));
    await gateway.release();
    for (const bug of bugs) say(bug);
  }
}

/** F83: one line, before the agent has the screen. */
function startLine({ address, own }: HeldGateway, link: string | undefined): string {
  const gateway = `gateway ${address}${own ? " (for this run)" : ""}`;
  return [gateway, "session: everlong proxy show --last", ...(link === undefined ? [] : [`link ${link}`])].join(", ");
}

function unused(agent: string, command: string): string {
  const shown = agent === "--" ? `-- ${command}` : agent;
  return `${command} sent no request through the gateway, so nothing of this run is remembered. \`everlong with --print ${shown}\` shows what it was told to use.`;
}

/** A bug in the gateway must neither end the agent nor write over its screen: it is told afterwards. */
function surviveBugs(gateway: NonNullable<HeldGateway["own"]>): string[] {
  const bugs: string[] = [];
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.removeAllListeners(event);
    process.on(event, (error: unknown) => bugs.push(gateway.report(error)));
  }
  return bugs;
}

function wantedFor(bases: readonly Base[]): Wanted {
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

const notInstalled = (row: Row): Refusal =>
  refusal(
    "not_installed",
    `${row.command} is not installed: no such program is on PATH.`,
    row.install === "" ? "Install it, or give its path." : `Install it: ${row.install}`,
  );

function unknown(agent: string): Refusal {
  const near = nearNames(agent, agentNames);
  const failure = unknownAgent(agent);
  return near.length === 0 ? failure : { ...failure, next: `Did you mean ${near.join(" or ")}? ${failure.next}` };
}

function refuse(failure: Refusal, { json }: WithLine): number {
  const { entry, code, what, next } = failure;
  if (json)
    print(
      `${JSON.stringify({ error: { code, message: what, hint: next }, ...(entry === undefined ? {} : { entry }) })}\n`,
    );
  else if (entry !== undefined) print(`${entry}\n`);
  return printFailure(failure);
}

function print(text: string): number {
  process.stdout.write(text);
  return EXIT.done;
}

const say = (text: string): void => {
  process.stderr.write(`everlong: ${text}\n`);
};
