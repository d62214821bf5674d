// Tools that talk to the person or about the work: questions, leaving plan mode, intent, completion, recall, the web.
import { shortId } from "../../base/id.ts";
import type { AskPermit } from "../../session/parts.ts";
import type { Conversation } from "../../session/session.ts";
import { setMode } from "../../session/set-mode.ts";
import { nextPhase } from "../../session/turn-phase.ts";
import { askUserTool } from "../../tool/builtin/ask-user.ts";
import {
  exitPlanModeTool,
  PLAN_ACTIONS,
  type PlanAction,
  type PlanExitAnswer,
} from "../../tool/builtin/exit-plan-mode.ts";
import { recallTool } from "../../tool/builtin/recall.ts";
import { reportIntentTool } from "../../tool/builtin/report-intent.ts";
import { taskCompleteTool } from "../../tool/builtin/task-complete.ts";
import { webFetchTool } from "../../tool/builtin/web-fetch.ts";
import type { PlanExit, Tool, ToolContext } from "../../tool/contract.ts";
import type { Prompts } from "../client/session.ts";
import { type RecallAsker, recallForModel } from "../recall/recall.ts";
import { readOptional } from "./read-optional.ts";

/** Whose intent is told, and whose web requests pass the door. */
type ConversationActor = {
  conversation: Pick<Conversation, "publish">;
  permit: AskPermit;
  person?: PersonParts;
};

/** What only the main agent may do: speak with the person and for the session. */
export type PersonParts = {
  main: Conversation;
  planFile: string;
  prompts: Prompts;
  /** False in a run without a person. */
  interactive: boolean;
  /** There may be something to tell the model. */
  wake: () => void;
  startFleet: (prompt: string) => void;
};

export function conversationTools(place: RecallAsker, { conversation, permit, person }: ConversationActor): Tool[] {
  const { values } = place.workspace.settings;
  const tools = [reportIntentTool({ report: (intent) => conversation.publish("assistant.intent", { intent }) })];
  if (values["recall.enabled"])
    tools.push(recallTool({ search: (request, { signal }) => recallForModel(place, request, signal) }));
  if (values["web.fetch"] && !values.offline) tools.push(webFetch(permit));
  if (!person) return tools;
  const { main, prompts } = person;
  tools.push(
    exitPlanModeTool({ choose: (plan, context) => choosePlan(person, plan, context) }),
    taskCompleteTool({ complete: async (summary) => void (await main.emit("session.task_complete", summary)) }),
  );
  // In prompt mode nobody is there; in autopilot the tool itself says so.
  if (values.askUser && prompts.question) tools.push(askUser(main, prompts.question));
  return tools;
}

function askUser({ publish, live: { turn } }: Conversation, ask: NonNullable<Prompts["question"]>): Tool {
  return askUserTool({
    async ask(question, context) {
      if (context.mode === "autopilot") return { type: "unavailable" };
      const requestId = shortId("ask");
      publish("user_input.requested", { requestId, ...question });
      turn.phase = nextPhase(turn.phase, { type: "asked", for: "question" });
      const answer = await ask({ ...question, toolCallId: context.toolCallId }, context.signal);
      turn.phase = nextPhase(turn.phase, { type: "answered" });
      publish("user_input.completed", { requestId, ...(answer === undefined ? {} : { answer }) });
      if (answer !== undefined) return { type: "answered", answer };
      return { type: context.signal.aborted ? "aborted" : "declined" };
    },
  });
}

async function choosePlan(person: PersonParts, plan: PlanExit, context: ToolContext): Promise<PlanExitAnswer> {
  const { main, prompts, planFile, startFleet } = person;
  const requestId = shortId("plan");
  main.publish("exit_plan_mode.requested", { requestId, summary: plan.summary, actions: plan.actions });
  const answer = prompts.planExit
    ? await prompts.planExit({ ...plan, plan: readOptional(planFile), toolCallId: context.toolCallId }, context.signal)
    : { action: "exit_only" };
  main.publish("exit_plan_mode.completed", {
    requestId,
    selectedAction: answer.action,
    ...("feedback" in answer && answer.feedback ? { feedback: answer.feedback } : {}),
  });
  if (context.signal.aborted) return { type: "aborted" };
  if (!isPlanAction(answer.action)) {
    return { type: "rejected", ...("feedback" in answer && answer.feedback ? { feedback: answer.feedback } : {}) };
  }
  await setMode(main, answer.action.startsWith("autopilot") ? "autopilot" : "interactive");
  // It begins when this turn is over. Without a plan file the summary is the plan.
  if (answer.action === "autopilot_fleet") startFleet(readOptional(planFile) || plan.summary);
  return { type: "chosen", action: answer.action };
}

const isPlanAction = (action: string): action is PlanAction => (PLAN_ACTIONS as readonly string[]).includes(action);

function webFetch(permit: AskPermit): Tool {
  const tool: Tool = webFetchTool({
    // A redirect to another host is a new request: it passes the same door.
    askUrl: async (url, context) => {
      const withUrl: Tool = { ...tool, permissions: () => [{ kind: "url", url }] };
      const asking = await permit({
        toolCallId: context.toolCallId,
        tool: withUrl,
        input: { url },
        signal: context.signal,
      });
      return asking.type === "allow";
    },
    allowPrivate: () => false,
  });
  return tool;
}
