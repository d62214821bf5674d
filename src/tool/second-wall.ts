// The second wall: what nobody approved runs harmless and confined by the operating system, whatever the first wall judged.
import { resolve } from "node:path";
import { fail, ok, type Result } from "../base/result.ts";
import { plainEnvironment, withoutProgramsOf } from "../host/environment.ts";
import { type HarmlessGit, harmlessGit } from "../host/harmless-git.ts";
import { type Confinement, isWithin, type Prefix, realOf } from "../host/sandbox/confinement.ts";
import { type Sandbox, type SandboxStatus, sandboxStatus, workingSandbox } from "../host/sandbox/sandbox.ts";
import {
  isUnasked,
  type PlannedCommand,
  type PlannedPipeline,
  plannedCommands,
  renderPlan,
  type ShellPlan,
} from "../permission/shell/plan.ts";

type Environment = Readonly<Record<string, string>>;

export type WallParts = {
  settings: () => {
    mode: "auto" | "required" | "off";
    commands: "unasked" | "all";
    /** First words of commands that may use the network in the sandbox; `*` for all. */
    network: readonly string[];
  };
  /** Real folders that may be read without asking; of `temp` only what a command names is shown to it. */
  places: () => { folders: readonly string[]; temp: string; home: string };
  /** For git's questions about a repository. */
  env: () => Environment;
  /** For tests: the machine's own by default. */
  sandbox?: () => Promise<Sandbox | undefined>;
  status?: () => Promise<SandboxStatus>;
};

export type ShellLine = { plan?: ShellPlan; cwd: string; env: Record<string, string> };
/** How a line is run: in place of its text, with this environment, behind these words. */
export type ConfinedLine = { line?: string; env: Record<string, string>; under?: Prefix };

export type SecondWall = {
  /** Why a command that only looks must be asked about all the same; undefined when it need not. */
  doubt: (command: PlannedCommand) => Promise<string | undefined>;
  /** The error says why it does not run, for the model. */
  confine: (line: ShellLine) => Promise<Result<ConfinedLine, string>>;
  /** What is in force, in a sentence for people. */
  describe: () => Promise<string>;
};

export function createSecondWall(parts: WallParts): SecondWall {
  const { sandbox: findSandbox = workingSandbox, status = sandboxStatus } = parts;
  /** What the door's question found out, by the judged words; a line that nobody is asked about runs at once. */
  const checked = new WeakMap<PlannedCommand["argv"], HarmlessGit>();

  const sandboxHere = async (): Promise<Sandbox | undefined> =>
    parts.settings().mode === "off" ? undefined : findSandbox();

  async function missing(): Promise<string | undefined> {
    if (parts.settings().mode !== "required" || (await findSandbox())) return undefined;
    return `sandbox.mode is "required", but ${(await status()).problem ?? "no sandbox works here."}`;
  }

  /** What others may put into the temporary folder is not the person's own. */
  function lasting(): string[] {
    const { folders, temp } = parts.places();
    return folders.filter((folder) => folder !== temp);
  }

  const gitOf = (command: PlannedCommand, env: Environment) =>
    harmlessGit({
      args: command.argv.slice(1),
      cwd: command.folder,
      env,
      folders: lasting(),
      ...(command.program ? { program: command.program } : {}),
    });

  /** git, where nobody approved it, becomes git that runs nothing else; `reads`: what it needs to see for that. */
  async function harmlessPlan(
    plan: ShellPlan,
    env: Environment,
  ): Promise<Result<{ plan: ShellPlan; reads: string[] }, string>> {
    const reads: string[] = [];
    const pipelines: PlannedPipeline[] = [];
    for (const pipeline of plan.pipelines) {
      const commands: PlannedCommand[] = [];
      for (const command of pipeline.commands) {
        const isGit = command.unasked && command.argv[0] === "git";
        const before = isUnasked(plan) ? checked.get(command.argv) : undefined;
        const git = before ? ok(before) : isGit ? await gitOf(command, env) : undefined;
        if (git && !git.ok) return fail(git.error);
        if (git) reads.push(...git.value.reads);
        commands.push(git ? withEnvironment(command, git.value, env) : quietRipgrep(command));
      }
      pipelines.push({ ...pipeline, commands });
    }
    return ok({ plan: { pipelines }, reads });
  }

  function look(plan: ShellPlan, more: readonly string[]): Confinement {
    const { temp, home } = parts.places();
    const commands = plannedCommands(plan);
    const programs = commands.flatMap(({ program }) => program ?? []);
    const named = commands.flatMap(({ argv, folder }) => argv.flatMap((word) => realOf(resolve(folder, word)) ?? []));
    const inTemp = named.filter((path) => isWithin(path, temp));
    return {
      type: "look",
      reads: [...lasting(), ...inTemp, ...programs, ...more],
      hidden: [home],
    };
  }

  return {
    async doubt(command) {
      const problem = await missing();
      if (problem !== undefined) return problem;
      const git = command.argv[0] === "git" ? await gitOf(command, parts.env()) : undefined;
      if (git?.ok) checked.set(command.argv, git.value);
      return git?.ok === false ? git.error : undefined;
    },

    async confine({ plan, cwd, env }) {
      const { commands, network } = parts.settings();
      const unasked = plan !== undefined && isUnasked(plan);
      const ownEnv = unasked ? withoutProgramsOf(parts.places().folders, plainEnvironment(env)) : env;
      const harmless = plan ? await harmlessPlan(plan, ownEnv) : undefined;
      if (harmless && !harmless.ok) return fail(`Not run: ${harmless.error}.`);
      const line: ConfinedLine = { ...(harmless ? { line: renderPlan(harmless.value.plan) } : {}), env: ownEnv };
      if (!unasked && commands !== "all") return ok(line);
      const problem = await missing();
      if (problem !== undefined) return fail(`Not run: ${problem}`);
      const sandbox = await sandboxHere();
      if (!sandbox) return ok(line);
      const confinement: Confinement = unasked
        ? look(plan, harmless?.value.reads ?? [])
        : { type: "work", writes: parts.places().folders, network: mayConnect(plan, network) };
      return ok({ ...line, under: sandbox.confine(confinement, cwd) });
    },

    async describe() {
      const { mode, commands } = parts.settings();
      if (mode === "off") return "sandbox: off (sandbox.mode)";
      const { name, problem } = await status();
      const which = commands === "all" ? "every command" : "commands that run without asking";
      if (name) return `sandbox: ${name}, for ${which}`;
      const then = mode === "required" ? `${which} cannot run` : `${which} are not confined`;
      return `sandbox: none, so ${then}; ${problem}`;
    },
  };
}

/** An ignore file may be a link to any file, and what ripgrep says against its lines would show them. */
function quietRipgrep(command: PlannedCommand): PlannedCommand {
  const [name, ...args] = command.argv;
  return command.unasked && name === "rg" ? { ...command, argv: [name, "--no-ignore-messages", ...args] } : command;
}

function withEnvironment(
  command: PlannedCommand,
  git: { args: readonly string[]; env: Environment },
  env: Environment,
): PlannedCommand {
  const dropped = Object.keys(env).filter((name) => !Object.hasOwn(git.env, name));
  const set = Object.entries(git.env).filter(([name, value]) => env[name] !== value);
  const words = [...dropped.flatMap((name) => ["-u", name]), ...set.map(([name, value]) => `${name}=${value}`)];
  const program = command.program ?? "git";
  return { ...command, argv: ["env", ...words, program, ...git.args], program: "/usr/bin/env" };
}

/** A line may connect when each of its commands may; one that cannot be read down to its words only by `*`. */
function mayConnect(plan: ShellPlan | undefined, network: readonly string[]): boolean {
  if (network.includes("*")) return true;
  const begins = ({ argv }: PlannedCommand) =>
    argv[0] === "cd" || network.some((rule) => ` ${argv.join(" ")} `.startsWith(` ${rule} `));
  return plan ? plannedCommands(plan).every(begins) : false;
}
