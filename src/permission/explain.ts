// Words for people and for the model: what is asked, which parts of it, and what would allow what was refused.
import type { PermissionAnswer, PermissionRequest } from "../schema/permission.ts";
import type { ApprovalQuestion, Deny } from "./decide.ts";
import { memoryLines } from "./explain-memory.ts";
import { ruleFor } from "./offer.ts";
import { describePart } from "./part.ts";
import type { Policy } from "./policy.ts";
import type { LineSpan } from "./shell/analysis.ts";
import { boxed, shownLines } from "./shown.ts";

const OPEN = "⟦";
const CLOSE = "⟧";

/** The whole command, each part that needs approval between ⟦ and ⟧. */
export function markCommand(command: string, spans: readonly LineSpan[]): string {
  const outer: LineSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = outer.at(-1);
    if (!last || span.start >= last.end) outer.push(span);
    else last.end = Math.max(last.end, span.end);
  }
  let text = "";
  let at = 0;
  for (const { start, end } of outer) {
    text += `${command.slice(at, start)}${OPEN}${command.slice(start, end)}${CLOSE}`;
    at = end;
  }
  return text + command.slice(at);
}

/** The text of a prompt: the whole request with the parts that need approval, and why. Who asks, and the choices, are the face's. */
export function explainAsk(ask: ApprovalQuestion, requests: readonly PermissionRequest[], cwd: string): string {
  const lines: string[] = [];
  for (const [index, request] of requests.entries()) {
    const spans = ask.parts.flatMap(({ part }) => (part.index === index && part.span ? [{ ...part.span }] : []));
    if (request.kind === "shell") lines.push(markCommand(boxed(request.command), spans));
    if (request.kind === "memory") lines.push(...memoryLines(request));
  }
  for (const { part, reason } of ask.parts) {
    const isTold = part.kind === "memory" && lines.length > 0; // whole, above
    lines.push(isTold ? `- ${reason}` : `- ${describePart(part, cwd)}: ${reason}`);
  }
  if (!ask.offer.session && !ask.always) lines.push("You can only approve it for this one time.");
  return lines.join("\n");
}

const described = ({ parts }: ApprovalQuestion): string => parts.map(({ part }) => describePart(part)).join(", ");

/** Step 13: nobody can be asked. Says what was denied and which flag would allow it. */
export function refuseUnasked(ask: ApprovalQuestion, policy: Policy): Deny {
  const what = described(ask);
  const reason = ask.always
    ? `Denied: ${what}. A person must approve it (${ask.reason}), and nobody is here to ask.`
    : `Denied: ${what}. Nobody is here to approve it (${ask.reason}). To allow it: ${flagsFor(ask, policy)}`;
  return {
    type: "deny",
    code: "user_not_available",
    by: "nobody",
    reason,
    ...(ask.always && ask.covered ? { covered: true } : {}),
  };
}

function flagsFor(ask: ApprovalQuestion, policy: Policy): string {
  const rules = new Set(ask.parts.map(({ part }) => ruleFor(part, policy) ?? part.kind));
  return `${[...rules].map((rule) => `--allow-tool '${rule}'`).join(" ")}, or --allow-all`;
}

/** Step 11: a permissionRequest hook says no. */
export function refuseByHook(ask: ApprovalQuestion, reason: string): Deny {
  const words = `Denied: ${described(ask)}. A hook said: ${shownLines(reason)}`;
  return { type: "deny", code: "denied", by: "hook", reason: words };
}

/** What the model is told when a person says no. */
export function refuseByUser(ask: ApprovalQuestion, answer: Extract<PermissionAnswer, { type: "reject" }>): Deny {
  const words = answer.feedback ? ` They said: ${answer.feedback}` : "";
  return { type: "deny", code: "rejected", by: "user", reason: `The user rejected ${described(ask)}.${words}` };
}

/** The question ended with its turn: nobody said no. */
export const refuseUnanswered = (ask: ApprovalQuestion): Deny => ({
  type: "deny",
  code: "interrupted",
  by: "nobody",
  reason: `Interrupted before anybody answered about ${described(ask)}.`,
});
