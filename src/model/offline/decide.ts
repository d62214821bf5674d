// What the offline model does with a request: one pure function from the request to a text and the calls it makes.
import { canonicalJson } from "../../base/json.ts";
import { firstLine } from "../../base/text.ts";
import type { ModelRequest } from "../contract.ts";
import type { OfflineDecision } from "./chat.ts";
import { decideChat } from "./chat.ts";
import { consolidationCalls } from "./consolidate.ts";
import { reportCall } from "./report.ts";
import { decideReview } from "./review.ts";
import type { Round } from "./round.ts";
import { readRound } from "./round.ts";
import type { PlannedCall } from "./search-plan.ts";
import { sidekickCalls } from "./sidekick.ts";
import { answerText, fenced } from "./wording.ts";

type OfflineAnswer = { text: string; calls: PlannedCall[] };

export function decide(request: ModelRequest): OfflineAnswer {
  if (request.agentRole === "consolidator") return consolidate(request);
  if (request.interaction === "conversation-sidekick") return beside(request);

  const round = readRound(request.items);
  if (round === undefined) return { text: answerText(["No message to answer."]), calls: [] };
  const offered = new Set(request.toolChoice === "none" ? [] : request.tools.map((tool) => tool.name));
  const decision = respond(request, round, offered);
  if (decision.type === "call") return { text: "", calls: decision.calls };
  const text = answerText(decision.paragraphs);
  return { text, calls: completion(request, round, offered, decision) };
}

/** As the agent that consolidates: one step of calls, then it stops. */
function consolidate({ system, items, tools }: ModelRequest): OfflineAnswer {
  const mayCall = tools.some(({ name }) => name === "context_board") && readRound(items)?.steps === 0;
  const calls = mayCall ? consolidationCalls(system) : [];
  return { text: calls.length > 0 ? "" : answerText([]), calls };
}

/** As a sidekick: what it has found and sent, or nothing. */
function beside({ items, tools }: ModelRequest): OfflineAnswer {
  const round = readRound(items);
  const calls = round ? sidekickCalls(round, new Set(tools.map(({ name }) => name))) : [];
  return { text: calls.length > 0 ? "" : answerText([]), calls };
}

function respond(request: ModelRequest, round: Round, offered: ReadonlySet<string>): OfflineDecision {
  const completed = round.calls.find((call) => call.name === "task_complete");
  if (completed) return sayReport(reportCall("Ending the task", completed));
  if (round.afterAnswer !== undefined) {
    const notices = round.afterAnswer.map((notice) => fenced(firstLine(notice.replace(/<\/?\w+[^>]*>/g, " "), 400)));
    return {
      type: "say",
      paragraphs: ["The request was answered above; I have nothing to add.", ...notices],
      success: false,
    };
  }
  if (request.directive) return follow(request.directive, round, offered);
  if (request.agentRole === "reviewer") return decideReview(request, round, offered);
  return decideChat(request, round, offered);
}

/** Issues exactly the prescribed call, once, then reports its result. */
function follow(
  { tool, args }: NonNullable<ModelRequest["directive"]>,
  round: Round,
  offered: ReadonlySet<string>,
): OfflineDecision {
  const earlier = round.calls.find((call) => call.name === tool && canonicalJson(call.args) === canonicalJson(args));
  if (earlier) return sayReport(reportCall(`The prescribed call of ${tool}`, earlier));
  if (offered.has(tool)) return { type: "call", calls: [{ name: tool, args }] };
  return {
    type: "say",
    paragraphs: [`The prescribed tool ${tool} is not offered here, so nothing was called.`],
    success: false,
  };
}

function sayReport(report: { text: string; success: boolean }): OfflineDecision {
  return { type: "say", paragraphs: [report.text], success: report.success };
}

/** In autopilot the answer ends the task, so that no continuation ever asks again. */
function completion(
  request: ModelRequest,
  round: Round,
  offered: ReadonlySet<string>,
  decision: OfflineDecision & { type: "say" },
): PlannedCall[] {
  const ended = round.calls.some((call) => call.name === "task_complete");
  if (request.autopilot !== true || ended || !offered.has("task_complete")) return [];
  return [
    {
      name: "task_complete",
      args: { summary: firstLine(decision.paragraphs[0] ?? "", 200), success: decision.success },
    },
  ];
}
