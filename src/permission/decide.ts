// The one decision: may this call run, must someone be asked, or is it refused. Deny wins; the strictest part decides.

import { isInside } from "../host/paths.ts";
import { guardOf, isOwnKey } from "./guard.ts";
import { matchesRule, mayBeHidden } from "./match-rule.ts";
import { type ApprovalOffer, offerFor } from "./offer.ts";
import { describePart, type PermissionPart } from "./part.ts";
import { insideAny } from "./path.ts";
import { type Allow, fitsPlanMode, namesOwnPapers, permitted, showsDenied, showsHidden } from "./permit.ts";
import type { Policy, SourcedRule } from "./policy.ts";
import { shown, shownLines } from "./shown.ts";

type DenyCode = "guard" | "denied" | "plan_mode" | "user_not_available" | "rejected" | "interrupted";

export type Deny = {
  type: "deny";
  code: DenyCode;
  by: "guard" | "rule" | "hook" | "mode" | "user" | "nobody";
  reason: string;
  rule?: string;
  /** Only because nobody could be asked: an approval in force would have let it pass. */
  covered?: true;
};
type PartToApprove = { part: PermissionPart; reason: string };
export type ApprovalQuestion = {
  type: "ask";
  reason: string;
  /** By a guard, an ask rule or a hook: straight to the person; no permissionRequest hook, nothing to store. */
  always: boolean;
  /** An approval in force would have let it pass, if it did not have to be asked about (`always`). */
  covered: boolean;
  /** The parts that need approval; the others are allowed already. */
  parts: PartToApprove[];
  /** The rules that a session or location answer stores; absent where only once is possible. */
  offer: ApprovalOffer;
};
export type PermissionDecision = Allow | Deny | ApprovalQuestion;

type Verdict = Allow | Deny | { type: "ask"; always: boolean; covered: boolean; reason: string };

/** Parts come from `inspect`. No parts: a call without side effects. */
export function decide(parts: readonly PermissionPart[], policy: Policy): PermissionDecision {
  const verdicts = parts.map((part) => ({ part, verdict: judge(part, policy) }));
  const denials = verdicts.map((v) => v.verdict).filter((v) => v.type === "deny");
  const denial = denials.find((d) => d.code === "guard") ?? denials[0];
  if (denial) return denial;
  const questions = verdicts.flatMap(({ part, verdict }) => (verdict.type === "ask" ? [{ part, ...verdict }] : []));
  const first = questions.find((a) => a.always) ?? questions[0];
  if (!first) return allowed(verdicts.map((v) => v.verdict));
  return {
    type: "ask",
    reason: first.reason,
    always: first.always,
    covered: questions.every((a) => a.covered),
    parts: questions.map(({ part, reason }) => ({ part, reason })),
    offer: first.always
      ? {}
      : offerFor(
          questions.map((a) => a.part),
          policy,
        ),
  };
}

/** The least natural of the reasons: what had to be said to let it pass. */
function allowed(verdicts: readonly Verdict[]): Allow {
  const allows = verdicts.filter((v) => v.type === "allow");
  return allows.find((a) => a.by !== "nature") ?? { type: "allow", by: "nature" };
}

/** Steps 1 to 10 of A7.4, for one part; 11 to 13 are the caller's. */
function judge(part: PermissionPart, policy: Policy): Verdict {
  const guard = part.kind === "write" && part.real !== undefined ? guardOf(part.real, policy.places) : undefined;
  const isUnsure = (part.kind === "write" || part.kind === "read") && part.unsure === true;
  const isKey = part.kind === "read" && part.real !== undefined && isOwnKey(part.real, policy.places);
  if (isUnsure) {
    const isOwn = part.real !== undefined && isInside(part.real, policy.places.sessionDir);
    const denying = part.inCode ? findRule(policy.deny, part, policy) : undefined;
    const guarded = guard?.level === "refuse" && !isOwn ? guard.what : isKey ? "Everlong's own keys" : undefined;
    return judgeUnsure(part, guarded ?? (denying && `what the deny rule ${named(denying)} forbids`));
  }
  if (guard?.level === "refuse") return refused(part, `${guard.what} can never be written by a tool`);
  if (isKey) return refused(part, "Everlong's own keys can never be read by a tool");
  if (part.kind === "write" && part.real === undefined && !part.implied)
    return refused(part, "this path cannot be resolved");
  if (part.kind === "shell" && part.changesOwn)
    return refused(
      part,
      "only people can change settings, trust, consent and memories, or reach into open sessions, never a tool",
    );

  const denying = findRule(policy.deny, part, policy);
  if (denying) return deniedByRule(part, denying);
  const { hook } = policy;
  if (hook?.decision === "deny") return deny(part, "denied", "hook", `a hook said: ${shownLines(hook.reason)}`);
  if (policy.mode === "plan" && !fitsPlanMode(part, policy))
    return deny(part, "plan_mode", "mode", "plan mode only reads; exit_plan_mode asks to leave it");

  const asking = findRule(policy.ask, part, policy);
  const unread = policy.deny.find((rule) => mayBeHidden(rule, part));
  const why = guard
    ? `writing ${guard.what} always needs approval`
    : unread
      ? `it may run what the deny rule ${named(unread)} forbids: its text does not show which programs it runs`
      : part.kind === "shell" && showsDenied(part, policy)
        ? "it may show files that a deny rule protects (the grep tool skips them)"
        : asking
          ? `the rule ${named(asking)} always asks`
          : hook?.decision === "ask"
            ? `a hook asks: ${shownLines(hook.reason)}`
            : part.kind === "memory" && part.mustAsk
              ? "this memory always needs approval"
              : undefined;
  const permit = permitted(part, policy);
  if (why) return { type: "ask", always: true, covered: permit !== undefined, reason: why };
  return permit ?? { type: "ask", always: false, covered: false, reason: whyAsk(part, policy) };
}

/** A guess at a path neither allows nor denies; it only makes people look. */
const judgeUnsure = (part: PermissionPart, what: string | undefined): Verdict =>
  what === undefined
    ? { type: "allow", by: "nature" }
    : { type: "ask", always: true, covered: false, reason: `${describePart(part)} may reach ${what}` };

const findRule = (rules: readonly SourcedRule[], part: PermissionPart, policy: Policy): SourcedRule | undefined =>
  rules.find((rule) => matchesRule(rule, part, policy.places.root, "wide"));

const named = (rule: SourcedRule): string => shown(rule.source ? `${rule.text} (${rule.source})` : rule.text);
const deny = (part: PermissionPart, code: DenyCode, by: Deny["by"], why: string): Deny => ({
  type: "deny",
  code,
  by,
  reason: `Denied: ${describePart(part)}. ${why}.`,
});
const refused = (part: PermissionPart, why: string): Deny => deny(part, "guard", "guard", why);

function deniedByRule(part: PermissionPart, rule: SourcedRule): Deny {
  const why = `The deny rule ${named(rule)} forbids it, and no flag overrides a deny rule`;
  return { ...deny(part, "denied", "rule", why), rule: rule.text };
}

function whyAsk(part: PermissionPart, policy: Policy): string {
  if (part.kind === "shell" && part.opaqueReason)
    return `its text does not show what it does: ${shown(part.opaqueReason)}`;
  if (part.kind === "shell" && part.doubt) return shown(part.doubt);
  if (part.kind === "shell" && showsHidden(part, policy))
    return "it may show files that a read rule or guard protects (the grep tool skips them)";
  if ((part.kind === "read" || part.kind === "write") && !insideAny(part.real, policy.allowedFolders))
    return part.real && part.real !== part.path
      ? `outside the folder (really ${shown(part.real)})`
      : "outside the folder";
  if (part.kind === "shell" && part.elsewhere) return "it runs in a different folder than the session";
  if (part.kind === "shell" && namesOwnPapers(part, policy))
    return "it names a file in the session's own folder, which a rule for a command does not cover";
  return "no rule allows it yet";
}
