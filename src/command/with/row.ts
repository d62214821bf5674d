// What a row of the table of agents is made of: the question, the plan, and how the user's own choices are heard.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";

export type Vendor = "openai" | "anthropic" | "gemini";
export type LaunchEnvironment = Readonly<Record<string, string | undefined>>;

export type Upstream = {
  name: string;
  url: string;
  /** A key of its own is configured: it is used for the runs of `everlong with`. */
  key: boolean;
};

/** What can be known before a gateway is chosen. */
export type User = {
  args: readonly string[];
  env: LaunchEnvironment;
  home: string;
  /** The text of a file of the user's; undefined when there is none. Must not throw. */
  read(path: string): string | undefined;
};

export type LaunchRequest = User & {
  gateway: { address: string; upstreams: readonly Upstream[] };
  /** The token of this run: it tells the gateway who asks and from where. Undefined: nothing is started, only shown. */
  run?: string;
  /** The folder of the launch files, for this run alone. */
  launch: string;
  /** Some folder above it can be written by others. */
  exposed: boolean;
  /** How codex is signed in, where it has no key in the environment. */
  signIn?: "chatgpt" | "key";
};

type PlannedFile = {
  path: string;
  mode: number;
  text: string;
  /** A shell command that prints the same text, where the text holds keys that are not to be shown. */
  shell?: string;
};

export type Plan = {
  command: string;
  args: readonly string[];
  /** What the child gets beside its user's environment. */
  env: Readonly<Record<string, string>>;
  files: readonly PlannedFile[];
  /** For the user, on stderr: conflicts, and what will not work. */
  notes: readonly string[];
  /** Values that are never shown. */
  secrets: readonly string[];
};

/** `entry`: what the user can add to the agent's own settings by hand. */
export type Refusal = Failure & { entry?: string };

/** What a row says; the rest of a plan follows from it. */
type Draft = Partial<Omit<Plan, "command">>;

/** An address that the user has chosen for the agent, which follows the vendor's habits there. */
export type Base = {
  /** The upstream's name in a gateway that is started for this run; a vendor's name stands for its usual address. */
  name: string;
  vendor: Vendor;
  url: string;
};

export type AgentRow = {
  command: string;
  /** How to get it. */
  install: string;
  /** Flags of ours that are the agent's own too: behind its name they are for it. */
  ownFlags?: readonly string[];
  bases?(user: User): Result<readonly Base[], Refusal>;
  plan(request: LaunchRequest): Result<Draft, Refusal>;
};

export function refusal(code: string, what: string, next: string, entry?: string): Refusal {
  return { code, what, data: "Nothing was started.", next, exit: 1, ...(entry === undefined ? {} : { entry }) };
}

/** The user's own settings send the agent elsewhere: started, it would look as if it had a memory. */
export const pastGateway = (agent: string, why: string, next: string): Refusal =>
  refusal("past_gateway", `${why}, past the gateway.`, `${next} Or start ${agent} by itself.`);

/** The value of a variable; an empty one counts as not set. */
export const set = (env: LaunchEnvironment, name: string): string | undefined => env[name]?.trim() || undefined;

/** `--flag`, `--flag=value`. */
export const hasFlag = (args: readonly string[], ...flags: string[]): boolean =>
  args.some((arg) => flags.some((flag) => arg === flag || arg.startsWith(`${flag}=`)));

/** The value of `--flag value` or `--flag=value`; the last one counts. */
export function argument(args: readonly string[], ...flags: string[]): string | undefined {
  const at = args.findLastIndex((arg) => flags.some((flag) => arg === flag || arg.startsWith(`${flag}=`)));
  const arg = args[at];
  if (arg === undefined) return undefined;
  return flags.includes(arg) ? args[at + 1] : arg.slice(arg.indexOf("=") + 1);
}
