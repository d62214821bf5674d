// Figures of one run, added up from its events.
import type { Envelope } from "../../schema/event/envelope.ts";
import { SIDEKICK_ID } from "../../schema/event/memory.ts";
import { addUsage, noUsage, type Usage, usageLine } from "../../schema/model.ts";

/** Model calls that are no step of the work. */
const UNCOUNTED: ReadonlySet<string> = new Set(["conversation-compaction", "conversation-sidekick"]);
const WORKFLOW_ERRORS: ReadonlySet<string> = new Set(["research_failed", "fleet_failed", "blocked_by_hook"]);

type Denial = { kind: string; reason: string };

export class RunTotals {
  turns = 0;
  steps = 0;
  modelMs = 0;
  result = "";
  byModel: Record<string, Usage> = {};
  denials: Denial[] = [];
  files = new Map<string, { added: number; removed: number }>();
  error: { code: string; message: string } | undefined;
  taskComplete: { success: boolean; summary: string } | undefined;
  autopilotStopped: { reason: string; continuations: number } | undefined;
  /** A workflow that did not do what it was for. */
  workflowFailed: { code: string; message: string } | undefined;
  #kinds = new Map<string, string>();

  add(event: Envelope): void {
    // What sidekicks do decides nothing about the run; what they cost is its cost.
    if (event.agentId !== undefined && SIDEKICK_ID.test(event.agentId) && event.type !== "assistant.usage") return;
    switch (event.type) {
      case "turn.start":
        if (event.agentId !== undefined) break;
        this.turns++;
        this.error = undefined;
        break;
      case "assistant.message":
        if (event.agentId === undefined && event.data.content !== "") this.result = event.data.content;
        break;
      case "assistant.usage":
        if (!UNCOUNTED.has(event.data.interaction)) this.steps++;
        this.modelMs += event.data.durationMs;
        this.byModel[usageLine(event.data)] = addUsage(this.byModel[usageLine(event.data)] ?? noUsage, event.data);
        break;
      case "permission.requested":
        this.#kinds.set(event.data.requestId, event.data.kind);
        break;
      case "permission.completed":
        if (event.data.result === "denied") {
          this.denials.push({ kind: this.#kinds.get(event.data.requestId) ?? "", reason: event.data.reason ?? "" });
        }
        break;
      case "tool.execution_complete":
        for (const f of event.data.filesChanged ?? []) {
          if (f.operation === "view") continue;
          const before = this.files.get(f.path) ?? { added: 0, removed: 0 };
          this.files.set(f.path, { added: before.added + (f.added ?? 0), removed: before.removed + (f.removed ?? 0) });
        }
        break;
      case "session.error":
        if (event.agentId !== undefined) break;
        this.error = { code: event.data.code ?? event.data.errorType, message: event.data.message };
        if (WORKFLOW_ERRORS.has(event.data.errorType)) this.workflowFailed = this.error;
        break;
      case "session.autopilot_stopped":
        this.autopilotStopped = event.data;
        break;
      case "session.task_complete":
        this.taskComplete = { success: event.data.success ?? true, summary: event.data.summary ?? "" };
        break;
    }
  }

  usage(): Usage & { byModel: Record<string, Usage> } {
    return { ...Object.values(this.byModel).reduce((sum, one) => addUsage(sum, one), noUsage), byModel: this.byModel };
  }
}
