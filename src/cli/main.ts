// The command line: arguments in, exit code out.
import { Command, CommanderError, Option } from "commander";
import { describeFailure, type Failure, FailureError } from "../base/failure.ts";
import { clip } from "../base/text.ts";
import type { Faces } from "../command/contract.ts";
import { environmentText, type SettingFlag, settingFlags } from "../command/flags.ts";
import { type OpenOptions, reportCrash, type SessionChoice } from "../runtime/client.ts";
import { EXIT, exitAfterFlush, printFailure, watchOutput } from "./exit.ts";
import { frontPage } from "./help.ts";
import { commandNamed, mistyped, mistypedLine, unknownCommand, usageFailure } from "./usage.ts";

type Parsed = {
  prompt?: string;
  /** True when no id was given. */
  resume?: string | true;
  continue?: boolean;
  agent?: string;
  autopilot?: boolean;
  trustFolder?: boolean;
  silent?: boolean;
  [flag: string]: unknown;
};

/** The face at a terminal. Gives the exit code. */
type TerminalFace = (run: { open: Omit<OpenOptions, "prompts">; version: string; text: string }) => Promise<number>;

/** What the command line may start; the one file above the faces knows them. */
type StartedFaces = Faces & { terminal: TerminalFace };

export async function main(argv: string[], version: string, faces: StartedFaces): Promise<void> {
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
    code = await run(argv, version, faces);
  } catch (error) {
    code = explain(error);
  }
  await exitAfterFlush(code);
}

async function run(argv: string[], version: string, faces: StartedFaces): Promise<number> {
  if (argv[0] === "help" && argv[1] === "environment") {
    process.stdout.write(`${environmentText()}\n`);
    return EXIT.done;
  }
  let code: number = EXIT.done;
  const settingOptions = settingFlags();
  const program = new Command("everlong")
    .description("A coding agent whose sessions outlive their context window.")
    .version(version, "-V, --version")
    .configureOutput({
      outputError: (text) => process.stderr.write(`${describeFailure(usageFailure(text, program, argv))}\n`),
    })
    .exitOverride()
    .enablePositionalOptions()
    .usage("[options] [text]\n       everlong [options] command")
    .argument("[text...]", "start the conversation with this prompt")
    .option("-p, --prompt <text>", "answer one prompt and exit; - reads it from stdin")
    .option("-r, --resume [id]", "resume a session by id or name; without one, pick from a list")
    .option("-c, --continue", "continue the latest session in this folder")
    .option("--agent <name>", "run as that agent")
    .option("--autopilot", "keep working without asking until the task is done")
    .option("--trust-folder", "trust this folder's hooks, servers, agents and rules for this run")
    .option("--silent", "print errors only");
  for (const flag of settingOptions) {
    const names = flag.short ? `${flag.short}, ${flag.name}` : flag.name;
    const spec = flag.argument ? `${names} <${flag.argument.toLowerCase()}>` : names;
    const option = new Option(spec, flag.help);
    if (flag.repeat)
      option.argParser((value: string, before: unknown) => [...(Array.isArray(before) ? before : []), value]);
    program.addOption(flag.isAlias ? option.hideHelp() : option);
  }
  program.action(async (words: string[]) => {
    const [word = ""] = words;
    const near = mistypedLine(words, program);
    code =
      near.length > 0
        ? printFailure(unknownCommand(word, near, { prompt: words.join(" ") }))
        : await agent(program.opts<Parsed>(), words.join(" "), settingOptions, (open, text) =>
            faces.terminal({ open, version, text }),
          );
  });
  // An agent run needs none of the commands; everything else, help included, knows them all.
  if (!isAgentRun(argv)) {
    const { addCommands } = await import("./command-line.ts");
    addCommands(program, faces, (result) => {
      code = result;
    });
  }
  const allOptions = argv[0] === "help" && argv[1] === "options";
  if (!allOptions) program.helpInformation = () => frontPage(program);
  const misspelt = argv[0] === "help" && argv.length === 2 ? mistyped(argv[1] ?? "", program) : [];
  const subject = argv[0] === "help" ? commandNamed(program, allOptions ? [] : argv.slice(1)) : undefined;
  if (subject) subject.outputHelp();
  else if (misspelt.length > 0)
    return printFailure(unknownCommand(argv[1] ?? "", misspelt, { prompt: argv.join(" ") }));
  else await program.parseAsync(argv, { from: "user" });
  return code;
}

/** No argument could be the name of a command. */
const isAgentRun = (argv: string[]): boolean =>
  !argv.some((a) => a === "-h" || a === "--help" || /^[a-z-]{3,20}$/.test(a.replace(/^--.*/, "")));

async function agent(
  options: Parsed,
  text: string,
  flags: readonly SettingFlag[],
  converse: (open: Omit<OpenOptions, "prompts">, text: string) => Promise<number>,
): Promise<number> {
  const isTerminal = options.prompt === undefined && process.stdin.isTTY && process.stdout.isTTY;
  if (options.resume !== undefined && options.continue)
    return printFailure(usage("--resume and --continue cannot be used together.", "Use one of them."));
  if (options.prompt !== undefined && text !== "")
    return printFailure(usage(`Two prompts: -p and "${clip(text, 60)}".`, "Use one of them."));
  const session = await sessionChoice(options, isTerminal, text !== "");
  if (typeof session === "number") return session;
  const open: Omit<OpenOptions, "prompts" | "interactive"> = {
    flags: givenFlags(options, flags),
    session,
    trustFolder: options.trustFolder ?? false,
    ...(options.autopilot ? { mode: "autopilot" } : {}),
    ...(options.agent ? { agent: options.agent } : {}),
  };
  if (isTerminal) return converse({ ...open, interactive: true }, text);
  const { promptText } = await import("./prompt-text.ts");
  const prompt = await promptText(options.prompt ?? (text || undefined), process.stdin);
  const { failBeforeStart, runPromptMode } = await import("./prompt-mode.ts");
  if (!prompt.ok) return failBeforeStart(prompt.error, open.flags);
  return runPromptMode({
    open: { ...open, prompts: {}, interactive: false },
    prompt: prompt.value,
    silent: options.silent ?? false,
  });
}

/** The exit code where there is nothing to open: the sessions were only listed, or nobody could pick one. */
async function sessionChoice(options: Parsed, isTerminal: boolean, hasText: boolean): Promise<SessionChoice | number> {
  if (typeof options.resume === "string" && options.resume.trim() === "")
    return printFailure({
      ...usage("--resume got an empty id.", "Give an id or name; everlong --resume alone lists the sessions here."),
      code: "bad_session_id",
    });
  if (typeof options.resume === "string") return { type: "resume", id: options.resume };
  if (options.continue) return { type: "continue" };
  if (options.resume === undefined) return { type: "new" };
  const { pickSession } = await import("./pick-session.ts");
  return pickSession(isTerminal ? "ask" : options.prompt === undefined && !hasText ? "list" : "refuse");
}

const usage = (what: string, next: string): Failure => ({
  code: "usage",
  what,
  data: "Nothing was started.",
  next,
  exit: 2,
});

/** Commander's camel-cased options back to setting keys. */
function givenFlags(options: Parsed, flags: readonly SettingFlag[]): OpenOptions["flags"] {
  const settings: OpenOptions["flags"] = {};
  for (const flag of flags) {
    const option = new Option(flag.argument ? `${flag.name} <x>` : flag.name);
    const value = options[option.attributeName()];
    if (value === undefined) continue;
    if (flag.argument) settings[flag.key] = value as string | string[];
    // `--no-x` sets x to false; commander gives x true when the flag is absent.
    else if (value === flag.value) settings[flag.key] = flag.value;
  }
  return settings;
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
