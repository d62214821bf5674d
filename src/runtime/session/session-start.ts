// What must happen before the first request of an opened session, once, and what it adds to the first message.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { catalogEvent } from "../../agent/catalog/show.ts";
import { optional } from "../../base/optional.ts";
import { type SelectionServices, settleAgent } from "../agent/select-agent.ts";
import { type BoardServices, configureBoard } from "../board/board.ts";
import type { SessionMemory } from "../memory/memory.ts";
import { tellPending } from "../memory/pending.ts";
import type { Sidekicks } from "../sidekick/sidekicks.ts";

type StartServices = SelectionServices & BoardServices & { memory: SessionMemory; sidekicks: Sidekicks };

type StartOptions = {
  /** Whether the session is new. */
  created: boolean;
  /** What `--agent` names; a session that goes on as another agent is settled with it. */
  agent: AgentDefinition | undefined;
  /** On resume with another model: run when a face is there to show it. */
  switchModel: (() => Promise<void>) | undefined;
};

export class SessionStart {
  readonly #services: StartServices;
  readonly #options: StartOptions;
  #ready: Promise<void> | undefined;
  #context = "";

  constructor(services: StartServices, options: StartOptions) {
    this.#services = services;
    this.#options = options;
  }

  ready(initialPrompt?: string): Promise<void> {
    this.#ready ??= this.#makeReady(initialPrompt);
    return this.#ready;
  }

  /** What hooks said at the start, for the first message. */
  takeContext(): string {
    const text = this.#context;
    this.#context = "";
    return text;
  }

  async #makeReady(initialPrompt?: string): Promise<void> {
    const { created, agent, switchModel } = this.#options;
    await switchModel?.();
    await this.#services.sidekicks.ready();
    await settleAgent(this.#services, agent);
    await this.#tellHooks(initialPrompt);
    await configureBoard(this.#services, { created });
    await tellPending(this.#services, this.#services.memory, "start");
  }

  async #tellHooks(initialPrompt?: string): Promise<void> {
    const { session, stopping, extensions } = this.#services;
    const source = session.state.promptCount > 0 ? "resume" : "new";
    const about = { source, ...optional("initialPrompt", initialPrompt) } as const;
    const started = await session.parts.hook("sessionStart", about, stopping.signal);
    this.#context = started.additionalContext;
    const event = catalogEvent(extensions.catalog);
    if (event.agents.length + event.warnings.length + event.errors.length > 0)
      await session.emit("session.custom_agents_updated", event);
  }
}
