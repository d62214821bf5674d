// A fleet in an open session: the todos as work for many agents, on this session's registry and tables.
import type { TurnEnd } from "../../session/turn-input.ts";
import { findAgent } from "../../agent/catalog/load.ts";
import { Fleet, fleetFailure } from "../../agent/fleet/fleet.ts";
import type { FleetEnd } from "../../agent/fleet/run-fleet.ts";
import { startWorker, takeTodo } from "../../agent/fleet/start-worker.ts";
import { createTodoBook, latestRun, type TodoBook } from "../../agent/fleet/todo-book.ts";
import type { Coded, Executor } from "../../agent/task/contract.ts";
import { unknownType } from "../../agent/task/describe-agents.ts";
import type { AgentRecord } from "../../agent/task/record.ts";
import { errorText } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { fail, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import { exclusively, takeTurn, wake } from "../../session/run.ts";
import type { LiveSession } from "../session/live-session.ts";
import type { Agents } from "./agents.ts";
import { modelFor, modelSpec } from "./model.ts";
import { describe } from "./tools.ts";

const WORKER = "general-purpose";

export type StartAgent = (
  more: { todoId: string; multiTurn: boolean; prompt?: string },
  wrap: (executor: Executor) => Executor,
) => Promise<Result<AgentRecord, Coded>>;

export class FleetRun {
  readonly #live: LiveSession;
  readonly #agents: Agents;
  #made: { fleet: Fleet; book: TodoBook } | undefined;

  constructor(live: LiveSession, agents: Agents) {
    this.#live = live;
    this.#agents = agents;
  }

  isRunning(): boolean {
    return this.#made?.fleet.isRunning ?? false;
  }

  start(prompt: string | undefined): { started: boolean; reason?: string } {
    if (this.#live.stopping.signal.aborted) return { started: false, reason: "stopping" };
    return this.#parts().fleet.start(prompt, (end) => void this.#ended(end).catch(() => undefined));
  }

  async cancel(): Promise<void> {
    await this.#made?.fleet.cancel();
  }

  /** A `task` call that names a todo makes its agent the worker of it. */
  startWorker(todoId: string, prompt: string, start: StartAgent): Promise<Result<AgentRecord, Coded>> {
    const { registry } = this.#agents;
    const parts = { registry, newId, book: this.#parts().book, onBroken: () => undefined };
    return takeTodo(parts, { todoId, prompt }, (more, wrap) => start({ todoId, ...more }, wrap));
  }

  /** Todos with the agents at them, for people; empty when none runs. */
  describe(): string {
    if (!this.isRunning()) return "";
    const { todos, todoRuns } = this.#live.session.state;
    const rows = [...todos.values()].map((todo) => {
      const run = latestRun(todoRuns, todo.id);
      const agent = run ? `, agent ${run.agent_id}, attempt ${run.attempt}` : "";
      const why = run?.note && todo.status === "blocked" ? `: ${clip(run.note, 80)}` : "";
      return `  ${todo.id} [${todo.status}] ${clip(todo.title, 60)}${agent}${why}`;
    });
    return ["fleet", ...rows].join("\n");
  }

  #parts(): { fleet: Fleet; book: TodoBook } {
    this.#made ??= this.#make();
    return this.#made;
  }

  #make(): { fleet: Fleet; book: TodoBook } {
    const { session, paths, oneTodoAtATime: oneAtATime } = this.#live;
    const { registry } = this.#agents;
    const book = createTodoBook({ session, file: paths.db, oneAtATime, now: () => new Date() });
    const fleet = new Fleet(
      {
        book,
        freeSlots: () => this.#live.workspace.settings.values["agent.maxConcurrent"] - registry.runningCount(),
        onSlotFree: (listener) => this.#agents.onChange(listener),
        startWorker: (job) =>
          startWorker({ registry, newId }, job, async (more, wrap) => {
            const { catalog } = this.#live.extensions;
            const definition = findAgent(catalog, WORKER);
            if (!definition) return fail(unknownType(WORKER, catalog.agents));
            const choice = await modelFor(this.#live, definition, {});
            if (!choice.ok) return choice;
            const { id: name, title } = job.todo;
            const about = describe(definition, { name, description: clip(title, 100), prompt: job.prompt });
            const mode = { executionMode: "background", requestedMode: "background" } as const;
            const spec = { ...about, ...modelSpec(choice.value), ...mode, ...more };
            return this.#agents.start(spec, definition, choice.value.target, wrap);
          }),
        isRunning: (id) => registry.get(id)?.status === "running",
        cancelWorker: (id, reason) => registry.cancelRecursive(id, "fleet", reason),
        // A log that cannot be written is told to whoever writes the next event.
        report: (message) => void session.emit("session.info", { infoType: "fleet", message }).catch(() => undefined),
        turn: (prompt, display) => this.#turn(prompt, display),
        planText: () => session.parts.context.planText(),
        emit: (type, data) => session.emit(type, data),
      },
      () => session.state.chain,
    );
    return { fleet, book };
  }

  /** One turn of the main agent, after whatever it is doing. */
  async #turn(content: string, display: string): Promise<TurnEnd> {
    const { session } = this.#live;
    const input = { messageId: newId(), content, display, source: "command" } as const;
    const end = await exclusively(session, () => takeTurn(session, input), "turn");
    return end ?? { status: "failed", reason: "The fleet's message was not let through." };
  }

  async #ended(end: FleetEnd | { broken: unknown }): Promise<void> {
    const { session } = this.#live;
    const failure = "broken" in end ? { code: "fleet_broken", message: errorText(end.broken) } : fleetFailure(end);
    try {
      if (failure) await session.emit("session.error", { errorType: "fleet_failed", ...failure });
    } finally {
      this.#agents.changed();
      wake(session);
    }
  }
}
