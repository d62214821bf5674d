// The sidekicks of an open session and the inbox they write to. Nothing of either is loaded before it is needed.

import { existsSync } from "node:fs";
import { consolidates } from "../../agent/catalog/definition.ts";
import type { Inbox } from "../../agent/inbox/inbox.ts";
import { readInboxTool } from "../../agent/inbox/read-inbox.ts";
import type { ScheduleParts, SidekickSettings, Trigger } from "../../agent/sidekick/contract.ts";
import type { SidekickRun } from "../../agent/sidekick/run.ts";
import type { Schedule } from "../../agent/sidekick/schedule.ts";
import { errorText } from "../../base/failure.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { PendingNotice } from "../../session/parts.ts";
import type { Tool } from "../../tool/contract.ts";
import type { Agents } from "../agent/agents.ts";
import { boardItems } from "../board/board.ts";
import type { SessionMemory } from "../memory/memory.ts";
import type { SidekickServices } from "./run.ts";
import { sidekickSwitches } from "./service.ts";

type SidekicksServices = SidekickServices & {
  agents: Pick<Agents, "selected">;
  memory: Pick<SessionMemory, "counts" | "section">;
};

export class Sidekicks {
  readonly #services: SidekicksServices;
  readonly #past: readonly DurableEnvelope[];
  #schedule: Promise<Schedule | undefined> | undefined;
  #opening: Promise<Inbox> | undefined;
  #inbox: Inbox | undefined;
  readonly #tools: readonly Tool[];
  #isOver = false;

  /** `past`: the whole log so far. */
  constructor(services: SidekicksServices, past: readonly DurableEnvelope[]) {
    this.#services = services;
    this.#past = past;
    this.#tools = [readInboxTool({ inbox: () => this.inbox(), redact: services.workspace.redact })];
  }

  /** Whether any could run at all. */
  isOn(): boolean {
    const { memory, enabled } = this.#settings();
    return memory && enabled;
  }

  /** Before the first request: a resumed session may have unread entries. */
  async ready(): Promise<void> {
    if (this.#settings().memory && existsSync(this.#services.paths.db)) await this.inbox();
  }

  /** For the main agent alone. */
  tools(): readonly Tool[] {
    const { memory, enabled } = this.#settings();
    return memory && (enabled || this.#inbox?.list().some((entry) => entry.unread)) ? this.#tools : [];
  }

  inbox(): Promise<Inbox> {
    this.#opening ??= import("./inbox.ts").then(async ({ openInbox }) => {
      const inbox = await openInbox(this.#services, this.#past);
      this.#inbox = inbox;
      return inbox;
    });
    return this.#opening;
  }

  async beforeTurn(): Promise<void> {
    if (this.#settings().memory) await this.#inbox?.beforeTurn();
  }

  /** What the main agent is to be told of its inbox. */
  news(maxChars: number): PendingNotice[] {
    return this.#inbox && this.#settings().memory ? this.#inbox.news(maxChars) : [];
  }

  /** Every durable event of the session, in order. */
  fold(event: DurableEnvelope): void {
    if (event.agentId !== undefined) return;
    this.#inbox?.fold(event);
    if (event.type === "user.message") {
      const { messageId, display, content, source } = event.data;
      this.trigger({ event: "user.message", messageId, text: display ?? content, source });
    } else if (event.type === "session.context_changed") this.trigger({ event: "session.context_changed" });
  }

  /** Nobody waits for what it starts. */
  trigger(trigger: Trigger): void {
    if (this.#isOver || !this.isOn()) return;
    this.#schedule ??= this.#load().catch((error: unknown) => {
      const soft = { part: "sidekicks", code: "failed", message: errorText(error) };
      this.#services.main.publish("soft_failure", soft);
      return undefined;
    });
    void this.#schedule.then((schedule) => schedule?.onEvent(trigger));
  }

  /** Those that run now: memory was switched off, or the conversation went back. */
  async cancel(reason: string): Promise<void> {
    (await this.#schedule)?.cancel(reason);
  }

  async recent(): Promise<readonly SidekickRun[]> {
    return (await this.#schedule)?.recent() ?? [];
  }

  /** Before the log is closed. Bounded. */
  async end(): Promise<void> {
    this.#isOver = true;
    await (await this.#schedule)?.end("the session ended");
    await this.#inbox?.settled();
  }

  #settings(): SidekickSettings {
    const { workspace, agents } = this.#services;
    const switches = sidekickSwitches(workspace);
    const selected = agents.selected();
    return { ...switches, memory: switches.memory && !(selected && consolidates(selected)) };
  }

  async #load(): Promise<Schedule> {
    const [{ Schedule }, { builtinSidekicks }] = await Promise.all([
      import("../../agent/sidekick/schedule.ts"),
      import("../../agent/sidekick/builtin.ts"),
    ]);
    const services = this.#services;
    const { memory, mcp, main } = services;
    const parts: ScheduleParts = {
      definitions: await builtinSidekicks(),
      settings: () => this.#settings(),
      conditions: {
        memoryEnabled: () => true, // else nothing gets here
        hasMemories: () => (memory.counts()?.total ?? 0) > 0 || memory.section() !== "",
        hasBoardEntries: async () => (await boardItems(services)).length > 0,
        hasGithub: () => mcp.offer((tool) => tool.mcp?.server === "github", undefined)(Infinity).length > 0,
      },
      boardItems: () => boardItems(services),
      run: async (task) => (await import("./run.ts")).runSidekick(services, task),
      deliver: async (sending) => (await this.inbox()).send(sending),
      publish: main.publish,
      nowMs: () => Date.now(),
      spentBefore: spentIn(this.#past),
    };
    return new Schedule(parts);
  }
}

function spentIn(events: readonly DurableEnvelope[]): number {
  const all = events.filter((e) => e.type === "assistant.usage");
  const own = all.filter(({ data }) => data.interaction === "conversation-sidekick");
  return own.reduce((sum, { data }) => sum + data.inputTokens + data.outputTokens, 0);
}
