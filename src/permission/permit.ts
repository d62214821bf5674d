// What lets a part pass: rules, hooks, approvals, allow-all, and what is safe by nature.

import { isInside } from "../host/paths.ts";
import { isFreePaper, isPlan } from "./guard.ts";
import { hiddenBelow, holdsDenied } from "./hidden.ts";
import { isAbsoluteRule, matchesRule } from "./match-rule.ts";
import type { PermissionPart, ShellPart } from "./part.ts";
import { insideAny } from "./path.ts";
import type { Policy, SourcedRule } from "./policy.ts";
import { type ShellPlan, withUnasked } from "./shell/plan.ts";
import { takesAnyCode } from "./shell/unwrap.ts";

type AllowedBy = "rule" | "hook" | "session" | "location" | "allow-all" | "nature";
export type Allow = { type: "allow"; by: AllowedBy; rule?: string };

/** Steps 6 to 10 of A7.4: the first that lets the part pass. */
export function permitted(part: PermissionPart, policy: Policy): Allow | undefined {
  const byList = (list: readonly SourcedRule[], by: AllowedBy): Allow | undefined => {
    const rule = list.find((r) => covers(r, part, policy));
    return rule && { type: "allow", by, rule: rule.text };
  };
  return (
    byList(policy.allow, "rule") ??
    (policy.hook?.decision === "allow" ? { type: "allow", by: "hook" } : undefined) ??
    byList(policy.session, "session") ??
    byList(policy.location, "location") ??
    (policy.allowAll ? { type: "allow", by: "allow-all" } : undefined) ??
    (isSafe(part, policy) ? { type: "allow", by: "nature" } : undefined)
  );
}

/** A rule allows a part outside the allowed folders only when it names the place itself. */
export function covers(rule: SourcedRule, part: PermissionPart, policy: Policy): boolean {
  if (!matchesRule(rule, part, policy.places.root, "strict")) return false;
  if (part.kind === "shell") return rule.argument === undefined || !namesOwnPapers(part, policy);
  if (part.kind !== "read" && part.kind !== "write") return true;
  return part.real !== undefined && (isAbsoluteRule(rule) || insideAny(part.real, policy.allowedFolders));
}

/** A rule for a command was not given for what the session writes into its own folder, where it needs no leave. */
export const namesOwnPapers = ({ words, namedPlaces = [] }: ShellPart, { places }: Policy): boolean =>
  !takesAnyCode(words[0]?.value ?? "") && namedPlaces.some((place) => isInside(place, places.sessionDir));

function isSafe(part: PermissionPart, policy: Policy): boolean {
  switch (part.kind) {
    case "read":
      return part.implied === true || insideAny(part.real, policy.allowedFolders);
    case "write":
      return part.implied === true || (part.real !== undefined && isFreePaper(part.real, policy.places.sessionDir));
    case "shell":
      return readsOnlyAllowed(part, policy) || (part.transparent && !part.opaqueReason);
    default:
      return false;
  }
}

function readsOnlyAllowed(part: ShellPart, policy: Policy): boolean {
  const isAllowed = part.readOnlyPlaces?.every((place) => insideAny(place, policy.allowedFolders)) ?? false;
  return isAllowed && !showsHidden(part, policy);
}

/** It searches a folder below which a deny or ask rule may name files: those rules hold only when each file is named. */
export const showsHidden = (part: ShellPart, policy: Policy): boolean =>
  part.searchedFolders?.some((folder) => hiddenBelow(policy, folder).length > 0) ?? false;

/** A file that a deny rule names lies there: that holds whatever else was allowed. What git shows was committed. */
export const showsDenied = (part: ShellPart, policy: Policy): boolean =>
  part.words[0]?.value !== "git" && (part.searchedFolders?.some((folder) => holdsDenied(policy, folder)) ?? false);

/** For tools that may only look (`shell:read-only`): every part of the call does. */
export const onlyLooks = (parts: readonly PermissionPart[], policy: Policy): boolean =>
  parts.every((part) =>
    part.kind === "shell" ? readsOnlyAllowed(part, policy) : part.kind === "read" && isSafe(part, policy),
  );

/** Step 4: reading, looking, the session's own plan, and what only a hook objects to. */
export function fitsPlanMode(part: PermissionPart, policy: Policy): boolean {
  if (part.kind === "shell") return readsOnlyAllowed(part, policy);
  if (part.kind === "write") return part.real !== undefined && isPlan(part.real, policy.places.sessionDir);
  return part.kind === "read" || part.kind === "hook" || (part.kind === "mcp" && part.readOnly);
}

/** What is run of an allowed shell call, wherever it was read down to literal words. */
export function planOf(parts: readonly PermissionPart[], policy: Policy): ShellPlan | undefined {
  const shell = parts.filter((part) => part.kind === "shell");
  const plan = shell.find((part) => part.planned)?.planned?.plan;
  const unasked = shell.filter((part) => part.readOnlyPlaces && permitted(part, policy)?.by === "nature");
  return plan && withUnasked(plan, (command) => unasked.some((part) => part.planned?.command === command));
}
