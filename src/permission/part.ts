// What a call asks for, taken apart: each part is judged by itself, and the call is judged as its strictest part.

import { relative } from "node:path";
import { isInside } from "../host/paths.ts";
import type { LineSpan } from "./shell/analysis.ts";
import type { PlannedCommand, ShellPlan } from "./shell/plan.ts";
import type { ShellWord } from "./shell/word.ts";
import { shown } from "./shown.ts";

/** `index`: which request of the call it comes from. `span`: where it stands in that request's command. */
type Origin = { index: number; span?: LineSpan };

export type PathPart = Origin & {
  kind: "read" | "write";
  /** The path as the tool or the command names it. */
  path: string;
  /** Every link followed; undefined when it cannot be resolved. */
  real: string | undefined;
  /** Guessed from a program's arguments: guards, deny and ask rules hold, no approval is needed for it. */
  implied?: boolean;
  /** A guess at what a word may stand for: what is refused for certain is asked about here. */
  unsure?: boolean;
  /** Named in code that the line itself holds: deny rules make people look here too. */
  inCode?: boolean;
};

export type ShellPart = Origin & {
  kind: "shell";
  text: string;
  words: ShellWord[];
  opaqueReason?: string;
  /** It may run programs that are not among the parts. */
  mayRunOthers: boolean;
  /** What its program is called where a link of that name leads. */
  otherNames?: readonly string[];
  /** All that a program which nobody knows is given; it may run any of it. */
  handedText?: string;
  /** Runs only what other parts hold. */
  transparent: boolean;
  /** Runs in another folder than the session's. */
  elsewhere?: boolean;
  /** Real places that its arguments may lead it to. */
  namedPlaces?: readonly string[];
  /** What is run of it, and the line that it stands in; absent where the line is not made of literal words. */
  planned?: { plan: ShellPlan; command: PlannedCommand };
  /** Real places it looks at, when it only looks; whether they are allowed is for the policy to say. */
  readOnlyPlaces?: (string | undefined)[];
  /** Real folders whose files it shows or takes whole, however deep they lie; for git, its repository. */
  searchedFolders?: string[];
  /** It only looks, but not harmlessly where it would run: why. */
  doubt?: string;
  /** Would change Everlong's own settings, trust or consent. */
  changesOwn: boolean;
};

type OtherPart =
  | (Origin & { kind: "url"; url: string })
  | (Origin & { kind: "memory"; summary: string; mustAsk: boolean })
  | (Origin & { kind: "mcp"; server: string; tool: string; readOnly: boolean })
  | (Origin & { kind: "hook"; name: string });

export type PermissionPart = PathPart | ShellPart | OtherPart;

/** The part in words, for people and for the model; on one line. `cwd`: a path below it is told from there. */
export const describePart = (part: PermissionPart, cwd?: string): string => shown(words(part, cwd));

function words(part: PermissionPart, cwd: string | undefined): string {
  switch (part.kind) {
    case "read":
    case "write":
      return `${part.kind} ${cwd !== undefined && isInside(part.path, cwd) ? relative(cwd, part.path) || "." : part.path}`;
    case "shell":
      return `\`${part.text}\``;
    case "url":
      return `fetch ${part.url}`;
    case "memory":
      return `memory: ${part.summary}`;
    case "mcp":
      return `${part.server}/${part.tool}`;
    case "hook":
      return `the call of ${part.name}`;
  }
}
