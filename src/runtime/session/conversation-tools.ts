// Tools that talk to the person or about the work: questions, leaving plan mode, intent, completion, recall, the web.
import { readFileSync } from "node:fs";
import { shortId } from "../../base/id.ts";
import { nextPhase } from "../../session/turn-phase.ts";
import { askUserTool } from "../../tool/builtin/ask-user.ts";
import { exitPlanModeTool, PLAN_ACTIONS, type PlanAction, type PlanAnswer } from "../../tool/builtin/exit-plan-mode.ts";
import { recallTool } from "../../tool/builtin/recall.ts";
import { reportIntentTool } from "../../tool/builtin/report-intent.ts";
import { taskCompleteTool } from "../../tool/builtin/task-complete.ts";
import { webFetchTool } from "../../tool/builtin/web-fetch.ts";
import type { PlanExit, Tool, ToolContext } from "../../tool/contract.ts";
import { recallForModel } from "../recall/recall.ts";
import type { LiveSession } from "./live-session.ts";
import type { ToolActor } from "./tools.ts";

export function conversationTools(live: LiveSession, actor: ToolActor): Tool[] {
  const { workspace, options } = live;
  const { values } = workspace.settings;
  const tools = [reportIntentTool({ report: (intent) => actor.session().publish("assistant.intent", { intent }) })];
  if (values["recall.enabled"])
    tools.push(recallTool({ search: (request, { signal }) => recallForModel(live, request, signal) }));
  if (values["web.fetch"] && !values.offline) tools.push(webFetch(actor));
  // Only the main agent speaks with the person and for the session.
  if (actor.agentId !== undefined) return tools;
  tools.push(
    exitPlanModeTool({ choose: (plan, context) => choosePlan(live, plan, context) }),
    taskCompleteTool({ complete: async (done) => void (await live.session.emit("session.task_complete", done)) }),
  );
  // In prompt mode nobody is there; in autopilot the tool itself says so.
  if (values.askUser && options.prompts.question) tools.push(askUser(live, options.prompts.question));
  return tools;
}

function askUser(live: LiveSession, ask: NonNullable<LiveSession["options"]["prompts"]["question"]>): Tool {
  const { session } = live;
  return askUserTool({
    async ask(question, context) {
      if (context.mode === "autopilot") return { type: "unavailable" };
      const requestId = shortId("ask");
      session.publish("user_input.requested", { requestId, ...question });
      session.live.turn.phase = nextPhase(session.live.turn.phase, { type: "asked", for: "question" });
      const answer = await ask(question, context.signal);
      session.live.turn.phase = nextPhase(session.live.turn.phase, { type: "answered" });
      session.publish("user_input.completed", { requestId, ...(answer === undefined ? {} : { answer }) });
      return answer === undefined ? { type: "aborted" } : { type: "answered", answer };
    },
  });
}

async function choosePlan(live: LiveSession, plan: PlanExit, context: ToolContext): Promise<PlanAnswer> {
  const { session, options, paths } = live;
  const requestId = shortId("plan");
  session.publish("exit_plan_mode.requested", { requestId, summary: plan.summary, actions: plan.actions });
  const answer = options.prompts.planExit
    ? await options.prompts.planExit({ ...plan, plan: readPlan(paths.plan) }, context.signal)
    : { action: "exit_only" };
  session.publish("exit_plan_mode.completed", {
    requestId,
    selectedAction: answer.action,
    ...("feedback" in answer && answer.feedback ? { feedback: answer.feedback } : {}),
  });
  if (context.signal.aborted) return { type: "aborted" };
  if (!isPlanAction(answer.action)) {
    return { type: "rejected", ...("feedback" in answer && answer.feedback ? { feedback: answer.feedback } : {}) };
  }
  await live.setMode(answer.action.startsWith("autopilot") ? "autopilot" : "interactive");
  // It begins when this turn is over.
  if (answer.action === "autopilot_fleet") live.agents.workflows.fleet.start(readPlan(paths.plan) || plan.summary);
  return { type: "chosen", action: answer.action };
}

const isPlanAction = (action: string): action is PlanAction => (PLAN_ACTIONS as readonly string[]).includes(action);

function readPlan(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // no plan file was written: the summary stands for it
  }
}

function webFetch({ permit }: ToolActor): Tool {
  const tool: Tool = webFetchTool({
    // A redirect to another host is a new request: it passes the same door.
    askUrl: async (url, context) => {
      const asked: Tool = { ...tool, permissions: () => [{ kind: "url", url }] };
      const asking = await permit({
        toolCallId: context.toolCallId,
        tool: asked,
        input: { url },
        signal: context.signal,
      });
      return asking.type === "allow";
    },
    allowPrivate: () => false,
  });
  return tool;
}
