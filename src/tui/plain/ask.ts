// Questions of plain mode, each a numbered menu: permission, the agent's own questions, accepting a plan, trusting a folder.

import { visible } from "../../base/text.ts";
import type { Person } from "../../command/contract.ts";
import type { PermissionPrompt, Prompts } from "../../runtime/client.ts";
import { absentChoices, canEditFact, similarOf } from "../question/question.ts";
import type { PlainLines } from "./lines.ts";

export function plainPrompts(screen: () => PlainLines): Required<Prompts> {
  return {
    async permission(ask, signal) {
      screen().print(permissionText(ask));
      for (;;) {
        const answer = (await screen().ask("Your choice: ", signal))?.trim();
        if (answer === "1") return { type: "once" };
        const old = similarOf(ask)[Number(answer) - 2];
        if (old) return { type: "once", replaces: old.id };
        if (answer === "2" && ask.session) return { type: "session" };
        if (answer === "3" && ask.location) return { type: "location" };
        if (answer === undefined || answer === "4") return { type: "reject" };
        if (answer === "5") {
          const feedback = await screen().ask("What should it do instead? ", signal);
          return feedback ? { type: "reject", feedback } : { type: "reject" };
        }
        if (answer === "6" && canEdit(ask)) {
          const fact = (await screen().ask("The fact in your words (Enter to go back): ", signal))?.trim();
          if (fact) return { type: "once", edited: { fact } };
          screen().print(permissionText(ask));
          continue;
        }
        screen().print("Type one of the numbers above and press Enter.");
      }
    },
    async question(q, signal) {
      const choices = q.choices ?? [];
      screen().print([`? ${visible(q.question)}`, ...choices.map((c, i) => `  ${i + 1}. ${visible(c)}`)].join("\n"));
      for (;;) {
        const answer = (await screen().ask("Answer: ", signal))?.trim();
        if (answer === undefined) return undefined;
        const chosen = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
        if (chosen !== undefined) return chosen;
        if (q.allowFreeform && answer !== "") return answer;
        screen().print("Type one of the numbers above and press Enter.");
      }
    },
    async planExit(plan, signal) {
      const actions = plan.actions.map((a, i) => `  ${i + 1}. ${a}${a === plan.recommended ? " (recommended)" : ""}`);
      screen().print(
        [visible(plan.plan || plan.summary), "", "Go on?", ...actions, `  ${actions.length + 1}. reject`].join("\n"),
      );
      for (;;) {
        const answer = (await screen().ask("Your choice: ", signal))?.trim();
        const action = plan.actions[Number(answer) - 1];
        if (action) return { action };
        if (answer === undefined) return { action: "reject" };
        if (Number(answer) === plan.actions.length + 1) {
          const feedback = await screen().ask("What should change? ", signal);
          return { action: "reject", ...(feedback ? { feedback } : {}) };
        }
      }
    },
  };
}

/** Who typed a command: asked as the agent asks. */
export function plainPerson({ question }: Required<Prompts>, print: (text: string) => void): Person {
  const { signal } = new AbortController();
  return {
    print,
    ask: (text) => question({ question: text, allowFreeform: true }, signal),
    confirm: async (text) =>
      (await question({ question: text, choices: ["yes", "no"], allowFreeform: false }, signal)) === "yes",
  };
}

/** What the user writes there counts as typed by the user. */
const canEdit = (ask: PermissionPrompt): boolean => canEditFact({ type: "permission", ask });

function permissionText(ask: PermissionPrompt): string {
  return [
    "",
    `permission: Permission needed (${ask.request.kind}), asked by ${ask.agent}:`,
    visible(ask.explanation),
    similarOf(ask).length > 0 ? "  1. keep both" : "  1. once",
    ...similarOf(ask).map(({ fact }, at) => `  ${at + 2}. replace the old one: ${visible(fact)}`),
    ...(ask.session && similarOf(ask).length === 0 ? [`  2. this session: ${ask.session}`] : []),
    ...(ask.location && similarOf(ask).length === 0 ? [`  3. this folder, from now on: ${ask.location}`] : []),
    ...absentChoices(ask).map(({ number, label }) => `  ${number}. (not offered) ${label}`),
    "  4. reject",
    "  5. reject, and say what to do instead",
    ...(canEdit(ask) ? ["  6. store it in your own words"] : []),
  ].join("\n");
}
