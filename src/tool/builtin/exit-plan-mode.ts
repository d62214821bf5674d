// exit_plan_mode: shows the plan and asks how to go on.
import * as z from "zod";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, type PlanExit, success, type Tool, type ToolContext } from "../contract.ts";
import description from "./exit_plan_mode.md";

export const PLAN_ACTIONS = ["interactive", "autopilot", "autopilot_fleet", "exit_only"] as const;
export type PlanAction = (typeof PLAN_ACTIONS)[number];
export type PlanExitAnswer =
  | { type: "chosen"; action: PlanAction }
  | { type: "rejected"; feedback?: string }
  | { type: "aborted" };

const NEXT: Record<PlanAction, string> = {
  interactive: "Plan mode is over. Carry out the plan now, asking where the plan leaves a choice.",
  autopilot: "Plan mode is over; autopilot is on. Carry out the plan now without asking.",
  autopilot_fleet:
    "Plan mode is over; autopilot is on. A fleet of agents takes up the plan when this turn ends: end it now, and do nothing of the plan yourself.",
  exit_only: "Plan mode is over. Do not carry out the plan now; end with a short summary of it.",
};

/** `choose` shows the plan, waits for the answer and changes the mode; must not reject. */
export function exitPlanModeTool(parts: {
  choose: (plan: PlanExit, context: ToolContext) => Promise<PlanExitAnswer>;
}): Tool {
  return defineTool({
    ...ownTool("exit_plan_mode"),
    description,
    input: z.strictObject({
      summary: z.string().min(1),
      actions: z.array(z.enum(PLAN_ACTIONS)).min(1).optional().describe("What to offer; all when absent."),
      recommendedAction: z.enum(PLAN_ACTIONS).optional(),
    }),
    onlyMode: "plan",
    last: true,
    limitMs: Number.POSITIVE_INFINITY,
    permissions: () => [],
    async run({ summary, actions = [...PLAN_ACTIONS], recommendedAction }, context) {
      const plan = { summary, actions, ...(recommendedAction ? { recommended: recommendedAction } : {}) };
      const got = await parts.choose(plan, context);
      if (got.type === "aborted") return failure("interrupted", "Interrupted before the user answered.");
      if (got.type === "chosen") return success(`The user chose ${got.action}. ${NEXT[got.action]}`);
      return success(
        `The user rejected the plan. You are still in plan mode.${got.feedback ? ` They said: ${got.feedback}` : ""}`,
      );
    },
  });
}
