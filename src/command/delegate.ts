// /review, /security-review, /rubber-duck: messages that have the main agent hand the work to a subagent.
import { ok } from "../base/result.ts";
import type { SlashCommand } from "./contract.ts";

type Delegation = {
  /** Also the name of the agent's run. */
  command: string;
  agent: string;
  usage: string;
  summary: string;
  description: string;
  task: (focus: string) => string;
};

/** A prompt that prescribes one call of `task`. */
const delegation = ({ command, agent, usage, summary, description, task }: Delegation): SlashCommand => ({
  name: command,
  summary,
  slash: {
    usage,
    async run(focus) {
      const args = { agent_type: agent, name: command, description, prompt: task(focus), mode: "sync" };
      const prompt = `Call the tool \`task\` once, with exactly these arguments, then tell the user what came back, unchanged in substance:\n\n${JSON.stringify(args, null, 2)}`;
      const display = `/${command}${focus === "" ? "" : ` ${focus}`}`;
      return ok({ text: "", send: { prompt, display, directive: { tool: "task", args } } });
    },
  },
});

const about = (focus: string): string => (focus === "" ? "" : `\n\nLook above all at: ${focus}`);
const CHANGES =
  "the changes in this working tree: `git status`, `git diff HEAD`, and, when nothing is uncommitted, the commits of this branch that its upstream or main does not have";

export const review = delegation({
  command: "review",
  agent: "code-review",
  usage: "[FOCUS]",
  summary: "review your changes",
  description: "Review the changes",
  task: (focus) =>
    `Review ${CHANGES}. Report only defects that matter, each with file and line, and why it is one.${about(focus)}`,
});

export const securityReview = delegation({
  command: "security-review",
  agent: "security-review",
  usage: "[FOCUS]",
  summary: "review your changes for vulnerabilities",
  description: "Review the changes for vulnerabilities",
  task: (focus) =>
    `Review ${CHANGES} for vulnerabilities: each with its severity, file and line, and the path of attack.${about(focus)}`,
});

export const rubberDuck = delegation({
  command: "rubber-duck",
  agent: "rubber-duck",
  usage: "[SUBJECT]",
  summary: "get a plan or change criticised",
  description: "Criticise the plan or change",
  task: (focus) =>
    `Criticise ${focus === "" ? CHANGES : "this"} independently: what is wrong, what is missing, what would be simpler. Change nothing.${focus === "" ? "" : `\n\n${focus}`}`,
});
