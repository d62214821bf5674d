// A fleet in an open session: the todos as work for many agents, on this session's registry and tables.

import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { type AgentCatalog, findAgent } from "../../agent/catalog/load.ts";
import { Fleet, fleetFailure } from "../../agent/fleet/fleet.ts";
import type { FleetEnd } from "../../agent/fleet/run-fleet.ts";
import { startWorker, takeTodo } from "../../agent/fleet/start-worker.ts";
import { createTodoBook, latestRun, type TodoBook } from "../../agent/fleet/todo-book.ts";
import type { AgentSpec, Coded, Executor, Registry } from "../../agent/task/contract.ts";
import { unknownType } from "../../agent/task/describe-agents.ts";
import type { AgentRecord } from "../../agent/task/record.ts";
import { errorText } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { fail, type Result } from "../../base/result.ts";
import { clip } from "../../base/text.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { exclusively, takeTurn, wake } from "../../session/run.ts";
import type { TurnEnd } from "../../session/turn-input.ts";
import { readOptional } from "../session/read-optional.ts";
import type { SessionResources } from "../session/resources.ts";
import { describe } from "./describe.ts";
import { type ModelPlace, modelFor, modelSpec } from "./model.ts";

const WORKER = "general-purpose";

type WorkerStart = (
  more: { todoId: string; multiTurn: boolean; prompt?: string },
  wrap: (executor: Executor) => Executor,
) => Promise<Result<AgentRecord, Coded>>;

export type FleetServices = ModelPlace &
  Pick<SessionResources, "main" | "paths" | "oneTodoAtATime"> & {
    catalog: AgentCatalog;
    registry: Registry;
    startAgent: (
      spec: AgentSpec,
      definition: AgentDefinition,
      target: ModelTarget,
      wrap: (executor: Executor) => Executor,
    ) => Promise<Result<AgentRecord, Coded>>;
    /** The records of agents have changed; returns how to stop. */
    onChange: (listener: () => void) => () => void;
    /** Something beside the conversation is not as it was. */
    changed: () => void;
  };

export class FleetRun {
  readonly #services: FleetServices;
  #made: { fleet: Fleet; book: TodoBook } | undefined;

  constructor(services: FleetServices) {
    this.#services = services;
  }

  isRunning(): boolean {
    return this.#made?.fleet.isRunning ?? false;
  }

  start(prompt: string | undefined): { started: boolean; reason?: string } {
    if (this.#services.stopping.signal.aborted) return { started: false, reason: "stopping" };
    return this.#parts().fleet.start(prompt, (end) => void this.#ended(end).catch(() => undefined));
  }

  async cancel(): Promise<void> {
    await this.#made?.fleet.cancel();
  }

  /** A `task` call that names a todo makes its agent the worker of it. */
  startWorker(todoId: string, prompt: string, start: WorkerStart): Promise<Result<AgentRecord, Coded>> {
    const { registry } = this.#services;
    const parts = { registry, newId, book: this.#parts().book, onBroken: () => undefined };
    return takeTodo(parts, { todoId, prompt }, (more, wrap) => start({ todoId, ...more }, wrap));
  }

  /** Todos with the agents at them, for people; empty when none runs. */
  describe(): string {
    if (!this.isRunning()) return "";
    const { todos, todoRuns } = this.#services.main.state;
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
    const { main, paths, oneTodoAtATime: oneAtATime, registry, catalog, workspace } = this.#services;
    const book = createTodoBook({ session: main, file: paths.db, oneAtATime, now: () => new Date() });
    const fleet = new Fleet(
      {
        book,
        freeSlots: () => workspace.settings.values["agent.maxConcurrent"] - registry.runningCount(),
        onSlotFree: this.#services.onChange,
        startWorker: (job) =>
          startWorker({ registry, newId }, job, async (more, wrap) => {
            const definition = findAgent(catalog, WORKER);
            if (!definition) return fail(unknownType(WORKER, catalog.agents));
            const choice = await modelFor(this.#services, definition, {});
            if (!choice.ok) return choice;
            const { id: name, title } = job.todo;
            const about = describe(definition, { name, description: clip(title, 100), prompt: job.prompt });
            const mode = { executionMode: "background", requestedMode: "background" } as const;
            const spec = { ...about, ...modelSpec(choice.value), ...mode, ...more };
            return this.#services.startAgent(spec, definition, choice.value.target, wrap);
          }),
        isRunning: (id) => registry.get(id)?.status === "running",
        cancelWorker: (id, reason) => registry.cancelRecursive(id, "fleet", reason),
        // A log that cannot be written is told to whoever writes the next event.
        report: (message) => void main.emit("session.info", { infoType: "fleet", message }).catch(() => undefined),
        turn: (prompt, display) => this.#turn(prompt, display),
        planText: () => readOptional(paths.plan),
        emit: (type, data) => main.emit(type, data),
      },
      () => main.state.chain,
    );
    return { fleet, book };
  }

  /** One turn of the main agent, after whatever it is doing. */
  async #turn(content: string, display: string): Promise<TurnEnd> {
    const { main } = this.#services;
    const input = { messageId: newId(), content, display, source: "command" } as const;
    const end = await exclusively(main, (session) => takeTurn(session, input), "turn");
    return end ?? { status: "failed", reason: "The fleet's message was blocked." };
  }

  async #ended(end: FleetEnd | { broken: unknown }): Promise<void> {
    const { main, changed } = this.#services;
    const failure = "broken" in end ? { code: "fleet_broken", message: errorText(end.broken) } : fleetFailure(end);
    try {
      if (failure) await main.emit("session.error", { errorType: "fleet_failed", ...failure });
    } finally {
      changed();
      wake(main);
    }
  }
}
