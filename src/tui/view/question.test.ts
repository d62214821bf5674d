// A permission question as people see it: always the same numbers, and why one of them is missing.
import { expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import type { PermissionPrompt } from "../../runtime/client.ts";
import { choicesOf, openQuestion } from "../question/question.ts";
import { lookOf } from "../theme/look.ts";
import { renderQuestion } from "./question.ts";

const ask = (offer: Partial<PermissionPrompt>): PermissionPrompt => ({
  requestId: "r",
  toolCallId: "c",
  agent: "main agent",
  request: { kind: "shell", command: "seq 1 30; ls /nonexistent" },
  explanation: "seq 1 30; ⟦ls /nonexistent⟧\n- `ls /nonexistent`: no rule allows it yet",
  reason: "no rule allows it yet",
  ...offer,
});
const shown = (offer: Partial<PermissionPrompt>, rows = 20): string[] =>
  renderQuestion(openQuestion(1, { type: "permission", ask: ask(offer) }), 1, 80, lookOf(), rows).map((line) =>
    stripAnsi(line).trimEnd(),
  );

it("F40 F43 the choices that are offered, each with the rule that it stores; a missing one has its reason", () => {
  const rule = "shell(ls:*)";
  expect(shown({ session: rule, location: rule }).slice(-5)).toEqual([
    "  1. Once",
    `  2. This session: ${rule}`,
    `  3. This folder, from now on: ${rule}`,
    "  4. Reject",
    "  5. Reject, and say what to do instead",
  ]);
  const untrusted = shown({ session: rule });
  expect(untrusted.slice(-3, -1)).toEqual([
    "  3. This folder, from now on: only when you trust it (/trust)",
    "  4. Reject",
  ]);
  const always = shown({});
  expect(always.filter((line) => /^ {2}\d\./.test(line)).map((line) => line[2])).toEqual(["1", "2", "3", "4", "5"]);
  expect(always.at(-4)).toBe("  2. This session: not for such a call");
  expect(choicesOf({ type: "permission", ask: ask({}) }).map(({ number }) => number)).toEqual([1, 4, 5]);
});

it("F40 a small window needs its rows for what is asked: the command whole, the choices, no more", () => {
  const lines = shown({ session: "shell(ls:*)" }, 9);
  expect(lines.length).toBeLessThanOrEqual(9);
  expect(lines.join("\n")).toContain("seq 1 30; ls /nonexistent");
  expect(lines.at(-1)).toBe("  5. Reject, and say what to do instead");
});
