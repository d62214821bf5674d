// All that a decision depends on, with every path real; made once a turn, pure from then on.
import type { AgentMode, Rule } from "../schema/permission.ts";
import type { GuardPlaces } from "./guard.ts";
import { resolveRule } from "./match-rule.ts";
import { realFolders, realPath } from "./path.ts";

/** `source`: the file or flag it comes from, for the person who is told of it. */
export type SourcedRule = Rule & { source?: string };

export type HookOpinion = { decision: "allow" | "deny" | "ask"; reason: string };

export type Policy = {
  deny: readonly SourcedRule[];
  ask: readonly SourcedRule[];
  /** A project's own allow rules only when its folder is trusted: the caller leaves them out otherwise. */
  allow: readonly SourcedRule[];
  session: readonly Rule[];
  location: readonly Rule[];
  allowAll: boolean;
  mode: AgentMode;
  /** An untrusted folder is offered no location approval. */
  trusted: boolean;
  allowedFolders: readonly string[];
  places: GuardPlaces;
  userHome: string;
  /** What the preToolUse hooks said of this call. */
  hook?: HookOpinion;
};

/** Absent: no such rules, no leave, mode interactive. */
export type PolicyInput = Partial<Omit<Policy, "allowedFolders" | "places" | "userHome">> & {
  root: string;
  cwd: string;
  sessionDir: string;
  everlongHome: string;
  userHome: string;
  tempDir: string;
  /** permissions.dirs and /add-dir. */
  dirs?: readonly string[];
  /** Files that hooks and MCP servers of the project start. */
  started?: readonly string[];
};

export function makePolicy(input: PolicyInput): Policy {
  const { cwd, userHome } = input;
  const real = (path: string): string => realPath(path, cwd) ?? path;
  const rules = <R extends Rule>(list: readonly R[] = []): R[] =>
    list.map((r) => ({ ...r, ...resolveRule(r, userHome) }));
  return {
    deny: rules(input.deny),
    ask: rules(input.ask),
    allow: rules(input.allow),
    session: rules(input.session),
    location: rules(input.location),
    allowAll: input.allowAll ?? false,
    mode: input.mode ?? "interactive",
    trusted: input.trusted ?? false,
    allowedFolders: realFolders([input.root, input.sessionDir, input.tempDir, ...(input.dirs ?? [])], cwd),
    places: {
      everlongHome: real(input.everlongHome),
      sessionDir: real(input.sessionDir),
      root: real(input.root),
      cwd: real(cwd),
      started: (input.started ?? []).map(real),
    },
    userHome,
    ...(input.hook ? { hook: input.hook } : {}),
  };
}
