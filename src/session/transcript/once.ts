// Events that are one block each, there and over: messages, compactions, notices, and what is remembered for a turn.
import { optional } from "../../base/optional.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { damageText } from "../../schema/session.ts";
import type { BlockOf, TranscriptBlock } from "./block.ts";
import { compactionBlock } from "./compaction.ts";
import { recallBlock } from "./recall.ts";

/** Undefined: an event that people are not shown. */
export function blocksOf(event: Envelope): TranscriptBlock[] {
  const begun = { id: event.id, at: event.timestamp };
  const info = (about: string, text: string, level: "info" | "warning" = "info"): BlockOf<"notice">[] => [
    { ...begun, kind: "notice", level, about, text },
  ];
  switch (event.type) {
    case "user.message":
      return messageBlocks(event);
    case "command.complete":
      return [commandBlock(event)];
    case "system.notification": {
      const { kind, senderName, summary, entryId } = event.data;
      if (kind !== "new_inbox_message") return [];
      const [sender, text, entry] = [senderName, summary, entryId].map(String) as [string, string, string];
      return [{ ...begun, kind: "inbox", sender, summary: text, entryId: entry }];
    }
    case "session.compaction_complete":
    case "session.compaction_undone":
    case "session.provider_compaction":
      return compactionBlock(event);
    case "session.truncation": {
      const { tokensRemovedDuringTruncation: tokens, messagesRemovedDuringTruncation: messages } = event.data;
      // The same cut is told with every request; it is news once.
      if (event.data.newCut === false || tokens + messages === 0) return [];
      return [{ ...begun, kind: "truncation", tokens, messages, by: event.data.performedBy }];
    }
    case "session.mode_changed": {
      const { previousMode: before, newMode: now, research } = event.data;
      return [{ ...begun, kind: "mode", before, now, ...optional("topic", research?.topic) }];
    }
    case "session.model_change": {
      const { previousModel, newModel: now, cause: why } = event.data;
      return [{ ...begun, kind: "model", ...optional("before", previousModel), now, why }];
    }
    case "session.snapshot_rewind": {
      const { eventsRemoved: events, filesRestored: restored, filesSkipped: skipped } = event.data;
      return [{ ...begun, kind: "checkpoint", events, restored, skipped }];
    }
    case "session.task_complete": {
      const { summary, success } = event.data;
      const state = success === false ? "failed" : "completed";
      return [{ ...begun, kind: "task", state, name: "autopilot", ...optional("detail", summary) }];
    }
    case "hook.end":
      return hookBlock(event);
    case "hook.block_limit":
      return info("hook", `Stop hooks blocked ${event.data.blocks} times; the agent stops anyway.`, "warning");
    case "abort":
      return [{ ...begun, kind: "interrupted", reason: event.data.reason }];
    case "session.error": {
      const { message: text, hint, code, errorType } = event.data;
      return [{ ...begun, kind: "error", text, ...optional("hint", hint), code: code ?? errorType }];
    }
    case "session.warning": {
      const { warningType, message } = event.data;
      if (warningType === "promotion_refused")
        return [{ ...begun, kind: "promotion", state: "refused", text: message }];
      return info(warningType, message, "warning");
    }
    case "session.info": {
      const { infoType, message } = event.data;
      if (infoType === "promotion") return [{ ...begun, kind: "promotion", state: "promoted", text: message }];
      return info(infoType, message);
    }
    case "soft_failure": {
      const { part, code, message } = event.data;
      if (part === "recall") return [{ ...begun, kind: "recall", state: "failed", reason: message }];
      return info(part, `${message} [${code}]`, "warning");
    }
    case "store.rebuilt":
      return info("store", event.data.message);
    case "session.fleet_completed": {
      const { done, blocked, notRun, rounds } = event.data;
      return info("fleet", `${done} done, ${blocked} blocked, ${notRun} not run, ${rounds} rounds.`);
    }
    case "session.autopilot_stopped":
      return info("autopilot", autopilotEnd(event.data));
    case "session.resume": {
      const { recovered } = event.data;
      if (!recovered) return [];
      const { interruptedCalls, damagedLines, tornBytes } = recovered;
      const text = `Recovered after a crash: ${interruptedCalls} calls were interrupted, ${damagedLines} lines damaged, ${tornBytes} incomplete bytes moved away.`;
      return info("session", text, "warning");
    }
    case "session.damaged": {
      return info("session", damageText(event.data), "warning");
    }
    case "skill.invoked":
      return info("skill", event.data.name);
    case "session.mcp_server_status_changed": {
      const { server, status, reason } = event.data;
      return info(
        "mcp",
        `${server}: ${status}${reason ? `, ${reason}` : ""}`,
        status === "failed" ? "warning" : "info",
      );
    }
    case "memory.prompt_unavailable":
      return info(
        "memory",
        `Memories could not be read (${event.data.code}); the turn continues without them.`,
        "warning",
      );
    default:
      return [];
  }
}

function messageBlocks(event: Envelope<"user.message">): TranscriptBlock[] {
  const { content, display, hidden, source, ref, attachments = [] } = event.data;
  const begun = { id: event.id, at: event.timestamp };
  if (hidden) return [];
  const text = display ?? content;
  const recall = recallBlock(event);
  // A stop hook's reason is the next prompt: it is shown as the hook's words.
  if (source === "hook")
    return [{ ...begun, kind: "hook", name: "stop", event: "agentStop", decision: "block", reason: text }, ...recall];
  const paths = attachments.map(({ path }) => path);
  return [{ ...begun, kind: "user", text, source, ...optional("ref", ref), attachments: paths }, ...recall];
}

/** `!` and `!!` are recorded as commands of that name, the command line as their arguments. */
function commandBlock({ id, timestamp: at, data }: Envelope<"command.complete">): TranscriptBlock {
  const { command, args, success, output } = data;
  if (command === "!" || command === "!!")
    return { id, at, kind: "shell", command: args, output, success, isShared: command === "!" };
  if (!success) return { id, at, kind: "error", text: output };
  return { id, at, kind: "notice", level: "info", about: `/${command}`, text: output };
}

/** Only a hook that decided, added or failed is news. */
function hookBlock({ id, timestamp: at, data }: Envelope<"hook.end">): TranscriptBlock[] {
  const { source: name, hookType: event, output, success, error } = data;
  const text = (...keys: string[]): string | undefined =>
    keys.map((key) => output[key]).find((value): value is string => typeof value === "string" && value !== "");
  const decision = success ? text("permissionDecision", "decision") : "failed";
  const reason = success ? text("permissionDecisionReason", "reason", "stopReason") : error;
  const context = text("additionalContext");
  // The message that its reason becomes says so itself.
  if ((decision ?? context) === undefined || (event === "agentStop" && decision === "block")) return [];
  return [
    {
      id,
      at,
      kind: "hook",
      name,
      event,
      ...optional("decision", decision),
      ...optional("reason", reason),
      ...optional("context", context),
    },
  ];
}

const AUTOPILOT_ENDS: Record<string, string> = {
  task_complete: "the task is complete",
  gave_up: "it could not complete the task",
  max_continuations: "its limit (--max-continuations); send a message to go on",
  error: "the last turn failed",
  aborted: "you interrupted it",
  mode_changed: "the mode was changed",
};

function autopilotEnd({ reason, continuations }: { reason: string; continuations: number }): string {
  const often = continuations === 1 ? "1 continuation" : `${continuations} continuations`;
  return `Stopped after ${often}: ${AUTOPILOT_ENDS[reason] ?? reason}.`;
}
