// The command line: arguments in, exit code out.
import { Command, CommanderError, Option } from "commander";
import { describeFailure, FailureError } from "../base/failure.ts";
import { nearNames } from "../base/text.ts";
import type { OpenOptions, SessionChoice } from "../runtime/client.ts";
import { reportCrash } from "../runtime/crash.ts";
import { commandFlags, environmentHelp } from "../runtime/flags.ts";
import { EXIT, exitAfterFlush, printFailure, watchOutput } from "./exit.ts";

type Parsed = {
  prompt?: string;
  resume?: string;
  continue?: boolean;
  agent?: string;
  autopilot?: boolean;
  trustFolder?: boolean;
  silent?: boolean;
  [flag: string]: unknown;
};

export async function main(argv: string[], version: string): Promise<void> {
  // A bug anywhere ends the run with one sentence; children end with us, and the log is whole up to the last event.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      // One more on the way out, such as a terminal that is gone, must not begin it again.
      if (crashed) process.exit(EXIT.failed);
      crashed = true;
      void exitAfterFlush(crash(error));
    });
  }
  watchOutput();
  let code: number;
  try {
    code = await run(argv, version);
  } catch (error) {
    code = explain(error);
  }
  await exitAfterFlush(code);
}

async function run(argv: string[], version: string): Promise<number> {
  let code: number = EXIT.done;
  const settingOptions = commandFlags();
  const program = new Command("everlong")
    .description("A coding agent whose sessions outlive their context window.")
    .version(version, "-V, --version")
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
    .exitOverride()
    .enablePositionalOptions()
    .usage("[options] [command]")
    .argument("[command]")
    .option("-p, --prompt <text>", "one prompt, then exit; - reads it from stdin")
    .option("--resume <id>", "go on with a session: id, its beginning, or its name")
    .option("--continue", "go on with the latest session of this folder")
    .option("--agent <name>", "run as that agent")
    .option("--autopilot", "work on without asking until the task is complete")
    .option("--trust-folder", "trust this folder's own hooks, servers, agents and rules for this run")
    .option("--silent", "only errors on stderr");
  for (const flag of settingOptions) {
    const spec = flag.argument ? `${flag.name} <${flag.argument.toLowerCase()}>` : flag.name;
    const option = new Option(spec, flag.help);
    if (flag.repeat)
      option.argParser((value: string, before: unknown) => [...(Array.isArray(before) ? before : []), value]);
    program.addOption(option);
  }
  program.action(async (unknown: string | undefined) => {
    if (unknown !== undefined) {
      const near = nearNames(
        unknown,
        program.commands.map((c) => c.name()),
      );
      code = printFailure({
        code: "unknown_command",
        what: `"${unknown}" is not a command of everlong.`,
        data: "Nothing was started.",
        next: `${near.length > 0 ? `Did you mean ${near.join(" or ")}? ` : ""}See everlong --help; a prompt goes with -p.`,
        exit: 2,
      });
      return;
    }
    code = await agent(program.opts<Parsed>(), settingOptions, version);
  });
  program.addHelpText("after", () => `\nSettings from the environment:\n${environmentHelp()}`);
  // An agent run needs none of the commands; everything else, help included, knows them all.
  if (!isAgentRun(argv)) {
    const { addCommands } = await import("./command/add.ts");
    addCommands(program, (result) => {
      code = result;
    });
  }
  await program.parseAsync(argv, { from: "user" });
  return code;
}

/** No argument could be the name of a command. */
const isAgentRun = (argv: string[]): boolean =>
  !argv.some((a) => a === "-h" || a === "--help" || /^[a-z-]{3,20}$/.test(a.replace(/^--.*/, "")));

async function agent(options: Parsed, flags: ReturnType<typeof commandFlags>, version: string): Promise<number> {
  const open: Omit<OpenOptions, "prompts" | "interactive"> = {
    flags: givenFlags(options, flags),
    session: sessionChoice(options),
    trustFolder: options.trustFolder ?? false,
    ...(options.autopilot ? { mode: "autopilot" } : {}),
    ...(options.agent ? { agent: options.agent } : {}),
  };
  if (options.resume !== undefined && options.continue) {
    const what = "--resume and --continue cannot be given together.";
    return printFailure({ code: "usage", what, data: "Nothing was started.", next: "Give one of them.", exit: 2 });
  }
  if (options.prompt === undefined && process.stdin.isTTY && process.stdout.isTTY) {
    const { runLineMode } = await import("./line/line-mode.ts");
    return runLineMode({ ...open, interactive: true }, version);
  }
  const { promptText } = await import("./prompt-text.ts");
  const prompt = await promptText(options.prompt, process.stdin);
  const { failBeforeStart, runPromptMode } = await import("./prompt-mode.ts");
  if (!prompt.ok) return failBeforeStart(prompt.error, open.flags);
  return runPromptMode({
    open: { ...open, prompts: {}, interactive: false },
    prompt: prompt.value,
    silent: options.silent ?? false,
  });
}

function sessionChoice(options: Parsed): SessionChoice {
  if (options.resume !== undefined) return { type: "resume", id: options.resume };
  return options.continue ? { type: "continue" } : { type: "new" };
}

/** Commander's camel-cased options back to setting keys. */
function givenFlags(options: Parsed, flags: ReturnType<typeof commandFlags>): OpenOptions["flags"] {
  const given: OpenOptions["flags"] = {};
  for (const flag of flags) {
    const option = new Option(flag.argument ? `${flag.name} <x>` : flag.name);
    const value = options[option.attributeName()];
    if (value === undefined) continue;
    if (flag.argument) given[flag.key] = value as string | string[];
    // `--no-x` sets x to false; commander gives x true when the flag is absent.
    else if (value === flag.value) given[flag.key] = flag.value;
  }
  return given;
}

let crashed = false;

function crash(error: unknown): number {
  process.stderr.write(`${reportCrash(error)}\n`);
  return EXIT.failed;
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has printed its own sentence; help and version are no errors.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  if (error instanceof FailureError) {
    process.stderr.write(`${describeFailure(error.failure)}\n`);
    return error.failure.exit;
  }
  return crash(error);
}
