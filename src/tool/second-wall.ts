// The second wall: what nobody approved runs harmless and confined by the operating system, whatever the first wall judged.
import { resolve } from "node:path";
import { optional } from "../base/optional.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { plainEnvironment, withoutProgramsOf } from "../host/environment.ts";
import { existingTarget } from "../host/files.ts";
import { type HarmlessGit, harmlessGit } from "../host/harmless-git.ts";
import { isInside } from "../host/paths.ts";
import type { Confinement, Prefix } from "../host/sandbox/confinement.ts";
import { type Sandbox, type SandboxStatus, sandboxStatus, workingSandbox } from "../host/sandbox/sandbox.ts";
import { ownKeys } from "../permission/guard.ts";
import {
  isUnasked,
  type PlannedCommand,
  type PlannedPipeline,
  plannedCommands,
  renderPlan,
  type ShellPlan,
} from "../permission/shell/plan.ts";

/** One argument of a program cannot be longer on Linux. */
const MAX_LINE_BYTES = 128 * 1024 - 1;

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
  /** The environment in which git is asked about a repository. */
  env: () => Environment;
  /** Tests give their own; the default is the machine's. */
  sandbox?: () => Promise<Sandbox | undefined>;
  status?: () => Promise<SandboxStatus>;
};

type ShellLine = { plan?: ShellPlan; cwd: string; env: Record<string, string> };
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

  /** What it opens and may see, of these commands that only look. */
  function look(commands: readonly PlannedCommand[], more: readonly string[]): Confinement {
    const { temp, home } = parts.places();
    const programs = commands.flatMap(({ program }) => program ?? []);
    const named = commands.flatMap(({ argv, folder }) =>
      argv.flatMap((word) => existingTarget(resolve(folder, word)) ?? []),
    );
    const inTemp = named.filter((path) => isInside(path, temp));
    const hidden = [home, ...ownKeys({ everlongHome: home })];
    return { type: "look", reads: [...lasting(), ...inTemp, ...programs, ...more], hidden };
  }

  /** What nobody approved becomes harmless; `reads`: what git needs to see for that. */
  async function harmless(
    command: PlannedCommand,
    isWhole: boolean,
    env: Environment,
  ): Promise<Result<{ command: PlannedCommand; reads: string[] }, string>> {
    if (!command.unasked) return ok({ command, reads: [] });
    if (command.argv[0] !== "git") return ok({ command: quietRipgrep(command), reads: [] });
    const before = isWhole ? checked.get(command.argv) : undefined;
    const git = before ? ok(before) : await gitOf(command, env);
    if (!git.ok) return git;
    const [program, args] = [command.program ?? "git", git.value.args];
    return ok({ command: withEnvironment(command, git.value.env, [program, ...args]), reads: git.value.reads });
  }

  /** Among commands that were approved, one that was not: it is confined by itself and gets a plain environment. */
  function apart(
    command: PlannedCommand,
    reads: readonly string[],
    env: Environment,
    sandbox: Sandbox | undefined,
  ): PlannedCommand {
    if (!command.unasked || command.program === undefined) return command;
    const under = sandbox?.confine(look([command], reads), command.folder) ?? [];
    return withEnvironment(command, env, [...under, command.program, ...command.argv.slice(1)]);
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
      const { commands: which, network } = parts.settings();
      const isWhole = plan !== undefined && isUnasked(plan);
      const plainEnv = withoutProgramsOf(parts.places().folders, plainEnvironment(env));
      const sandboxed = isWhole || which === "all";
      const problem = sandboxed ? await missing() : undefined;
      if (problem !== undefined) return fail(`Not run: ${problem}`);
      const holdsUnasked = plan !== undefined && plannedCommands(plan).some((command) => command.unasked);
      const sandbox = sandboxed || holdsUnasked ? await sandboxHere() : undefined;
      const reads: string[] = [];
      const pipelines: PlannedPipeline[] = [];
      for (const pipeline of plan?.pipelines ?? []) {
        const commands: PlannedCommand[] = [];
        for (const one of pipeline.commands) {
          const result = await harmless(one, isWhole, plainEnv);
          if (!result.ok) return fail(`Not run: ${result.error}.`);
          const { command, reads: more } = result.value;
          reads.push(...more);
          // One sandbox does not run inside another everywhere.
          commands.push(isWhole ? command : apart(command, more, plainEnv, sandboxed ? undefined : sandbox));
        }
        pipelines.push({ ...pipeline, commands });
      }
      const line = plan && renderPlan({ pipelines });
      if (line !== undefined && Buffer.byteLength(line) > MAX_LINE_BYTES)
        return fail(
          "Not run: with what keeps its commands harmless, the line is too long for the system. Use fewer commands in one line.",
        );
      const confined: ConfinedLine = { ...optional("line", line), env: isWhole ? plainEnv : env };
      if (!sandboxed || !sandbox) return ok(confined);
      const { folders, home } = parts.places();
      const hidden = ownKeys({ everlongHome: home });
      const confinement: Confinement = isWhole
        ? look(plannedCommands(plan), reads)
        : { type: "work", writes: folders, network: mayConnect(plan, network), hidden };
      return ok({ ...confined, under: sandbox.confine(confinement, cwd) });
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

/** The command runs with these variables and no others. */
function withEnvironment(command: PlannedCommand, env: Environment, words: readonly string[]): PlannedCommand {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return { ...command, argv: ["env", "-i", ...variables, ...words], program: "/usr/bin/env" };
}

/** A line may connect when each of its commands may; one that cannot be read down to its words only by `*`. */
function mayConnect(plan: ShellPlan | undefined, network: readonly string[]): boolean {
  if (network.includes("*")) return true;
  const begins = ({ argv }: PlannedCommand) =>
    argv[0] === "cd" || network.some((rule) => ` ${argv.join(" ")} `.startsWith(` ${rule} `));
  return plan ? plannedCommands(plan).every(begins) : false;
}
