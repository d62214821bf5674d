// What a hook is: one entry of a hook file, checked, with where it comes from and whether it may run.
import type { HookName } from "./name.ts";

export type HookLayer = "user" | "plugin" | "project";

/** Why a hook that was found does not run. */
export type HookOff = "untrusted" | "changed" | "disabled" | "refused";

type Common = {
  /** File, name and place in the file: the same in every run. */
  id: string;
  name: HookName;
  /** The name as it was written when that is another agent's; payloads are then in snake_case. */
  alias?: string;
  /** The file it stands in. */
  source: string;
  layer: HookLayer;
  /** Absent: every subject. */
  matcher?: RegExp;
  timeoutMs: number;
  /** What a failure of a preToolUse hook means for the call. */
  onError: "deny" | "allow";
  off?: HookOff;
};

export type CommandHook = Common & {
  type: "command";
  shell: "bash" | "sh" | "pwsh";
  command: string;
  /** Relative to the project's root. */
  cwd?: string;
  env: Readonly<Record<string, string>>;
};
export type HttpHook = Common & {
  type: "http";
  url: string;
  headers: Readonly<Record<string, string>>;
  allowedEnvVars: readonly string[];
};
export type PromptHook = Common & { type: "prompt"; prompt: string };
export type Hook = CommandHook | HttpHook | PromptHook;

/** One thing that is wrong with a file, for a person. `error`: the whole file is out of use. */
export type HookWarning = { path: string; message: string; error?: true };
