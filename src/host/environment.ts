// The environment that child processes get: no keys of ours, nothing that waits for a person, a mark of whose child it is.
import { delimiter, isAbsolute } from "node:path";
import { realTarget } from "./files.ts";
import { isInside } from "./paths.ts";

/** Tells `everlong` itself that it runs inside a tool's shell, where settings, trust and consent must not change. */
export const TOOL_SHELL_MARK = "EVERLONG_TOOL_SHELL";

/** The only variable of ours that is passed on is where home is: a nested `everlong` must not look into another one. */
const KEPT = new Set(["EVERLONG_HOME"]);

const QUIET: Record<string, string> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  LESS: "-FRX",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  TERM: "dumb",
};

export type ChildEnvironment = {
  base: Readonly<Record<string, string | undefined>>;
  /** Configured keys and tokens: a variable holding one of them is left out, whatever its name. */
  secrets: readonly string[];
};

/** The environment of every child: hooks, MCP servers, helpers of our own. */
export function childEnvironment({ base, secrets }: ChildEnvironment): Record<string, string> {
  const hidden = secrets.filter((s) => s.length > 0);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || (name.startsWith("EVERLONG_") && !KEPT.has(name))) continue;
    if (hidden.some((secret) => value.includes(secret))) continue;
    env[name] = value;
  }
  return env;
}

/** The environment of commands that a model runs. */
export function toolEnvironment(options: ChildEnvironment & { runId: string }): Record<string, string> {
  return { ...childEnvironment(options), ...QUIET, [TOOL_SHELL_MARK]: options.runId };
}

/** Neither secret nor able to make a shell or a program read, run or understand something else than its words say. */
const PLAIN =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|LOCALE_ARCHIVE|TZ|COLUMNS|LINES|NO_COLOR|XDG_CONFIG_HOME|EVERLONG_[A-Z_]+|GIT_(EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)))$/;

/** The environment of commands that nobody approved. */
export function plainEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => PLAIN.test(name) || (Object.hasOwn(QUIET, name) && env[name] === QUIET[name]),
    ),
  );
}

/** Without the folders of PATH that lie in these: a project's program must not be taken for the system's. */
export function withoutProgramsOf(
  folders: readonly string[],
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const { PATH: path, ...rest } = env;
  if (path === undefined) return rest;
  const isOutside = (entry: string): boolean =>
    isAbsolute(entry) && !folders.some((folder) => isInside(realTarget(entry), folder));
  return { ...rest, PATH: path.split(delimiter).filter(isOutside).join(delimiter) };
}
