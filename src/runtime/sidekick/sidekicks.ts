// The sidekicks of an open session and the inbox they write to. Nothing of either is loaded before it is needed.
import type { PendingNotice } from "../../session/parts.ts";
import { existsSync } from "node:fs";
import type { Inbox } from "../../agent/inbox/inbox.ts";
import { readInboxTool } from "../../agent/inbox/read-inbox.ts";
import type { ScheduleParts, SidekickSettings, Trigger } from "../../agent/sidekick/contract.ts";
import type { SidekickRun } from "../../agent/sidekick/run.ts";
import type { Schedule } from "../../agent/sidekick/schedule.ts";
import { errorText } from "../../base/failure.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { Tool } from "../../tool/contract.ts";
import { boardItems } from "../board/board.ts";
import type { LiveSession } from "../session/live-session.ts";
import { sidekickSwitches } from "./service.ts";

/** What the layers of memory know; asked at each use. */
export type SidekickSources = {
  /** Records in sight, and whether the prompt has any text of them. */
  memories: () => { count: number; prompt: boolean };
};

export const REM_AGENT = "rem-agent";

export class Sidekicks {
  readonly #live: LiveSession;
  readonly #sources: SidekickSources;
  readonly #past: readonly DurableEnvelope[];
  #schedule: Promise<Schedule | undefined> | undefined;
  #opening: Promise<Inbox> | undefined;
  #inbox: Inbox | undefined;
  readonly #tools: readonly Tool[];
  #isOver = false;

  /** `past`: the whole log so far. */
  constructor(live: LiveSession, past: readonly DurableEnvelope[], sources: SidekickSources) {
    this.#live = live;
    this.#past = past;
    this.#sources = sources;
    this.#tools = [readInboxTool({ inbox: () => this.inbox(), redact: live.workspace.redact })];
  }

  /** Whether any could run at all. */
  isOn(): boolean {
    const { memory, enabled } = this.#settings();
    return memory && enabled;
  }

  /** Before the first request: a resumed session may have unread entries. */
  async ready(): Promise<void> {
    if (this.#settings().memory && existsSync(this.#live.paths.db)) await this.inbox();
  }

  /** For the main agent alone. */
  tools(): readonly Tool[] {
    const { memory, enabled } = this.#settings();
    return memory && (enabled || this.#inbox?.list().some((entry) => entry.unread)) ? this.#tools : [];
  }

  inbox(): Promise<Inbox> {
    this.#opening ??= import("./inbox.ts").then(async ({ openInbox }) => {
      const inbox = await openInbox(this.#live, this.#past);
      this.#inbox = inbox;
      return inbox;
    });
    return this.#opening;
  }

  async beforeTurn(): Promise<void> {
    if (this.#settings().memory) await this.#inbox?.beforeTurn();
  }

  /** What the main agent is to be told of its inbox. */
  news(): PendingNotice[] {
    return this.#inbox && this.#settings().memory ? this.#inbox.news() : [];
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
      this.#live.session.publish("soft_failure", soft);
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
    const { workspace, session } = this.#live;
    const switches = sidekickSwitches(workspace);
    return { ...switches, memory: switches.memory && session.state.agent !== REM_AGENT };
  }

  async #load(): Promise<Schedule> {
    const [{ Schedule }, { builtinSidekicks }] = await Promise.all([
      import("../../agent/sidekick/schedule.ts"),
      import("../../agent/sidekick/builtin.ts"),
    ]);
    const live = this.#live;
    const parts: ScheduleParts = {
      definitions: await builtinSidekicks(),
      settings: () => this.#settings(),
      conditions: {
        memoryEnabled: () => true, // else nothing gets here
        hasMemories: () => {
          const { count, prompt } = this.#sources.memories();
          return count > 0 || prompt;
        },
        hasBoardEntries: async () => (await boardItems(live)).length > 0,
        hasGithub: () => live.extensions.offer((tool) => tool.mcp?.server === "github", undefined)(Infinity).length > 0,
      },
      boardItems: () => boardItems(live),
      run: async (task) => (await import("./run.ts")).runSidekick(live, task),
      deliver: async (sending) => (await this.inbox()).send(sending),
      publish: live.session.publish,
      nowMs: () => Date.now(),
      spentBefore: spentIn(this.#past),
    };
    return new Schedule(parts);
  }
}

function spentIn(events: readonly DurableEnvelope[]): number {
  let tokens = 0;
  for (const e of events)
    if (e.type === "assistant.usage" && e.data.interaction === "conversation-sidekick")
      tokens += e.data.inputTokens + e.data.outputTokens;
  return tokens;
}
