// One open session of an editor: its prompts, one at a time, what is told of it, and how it is cancelled.
import type { PromptResponse, SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import { within } from "../base/abort.ts";
import { describeFailure } from "../base/failure.ts";
import { parseTyped, runSlash } from "../command/slash.ts";
import type { AgentPrompt, Client, Opened } from "../runtime/client.ts";
import type { Envelope } from "../schema/event/envelope.ts";
import { type Asker, personAt } from "./ask.ts";
import { availableCommands } from "./commands.ts";
import { asRequestError, invalid } from "./failure.ts";
import { configOptions } from "./mode.ts";
import { Outbox, type SendUpdate } from "./outbox.ts";
import { type EditorPrompt, readPrompt } from "./prompt.ts";
import { TurnWatch } from "./stop-reason.ts";
import { chunk } from "./update/conversation.ts";

/** A prompt right after a cancel waits so long for the turn that ends. */
const CANCEL_WAIT_MS = 5000;
/** What is cancelled is told so until it has heard it: a turn may be about to begin. */
const CANCEL_AGAIN_MS = 50;
const CLOSE_MS = 14_000;

const NOTHING = Promise.resolve();

type Running = { cancel: AbortController; done: Promise<unknown> };

type EditorSessionParts = {
  opened: Opened;
  asker: Omit<Asker, "sessionId">;
  send: SendUpdate;
  /** On stderr. */
  warn: (text: string) => void;
  /** The editor shows notices of its own. */
  showsNotices: boolean;
};

export class EditorSession {
  readonly client: Client;
  readonly #parts: EditorSessionParts;
  readonly #outbox: Outbox;
  readonly #unsubscribe: () => void;
  /** Calls that the model asked for and that have no result yet, as they were announced. */
  readonly #announced = new Map<string, ToolCallUpdate>();
  readonly #terminals = new Map<string, string>();
  #watch = new TurnWatch();
  #running: Running | undefined;
  #notices: readonly string[];

  constructor(parts: EditorSessionParts) {
    this.#parts = parts;
    this.client = parts.opened.client;
    this.#notices = parts.opened.notices;
    this.#outbox = new Outbox((update) => {
      if (update.sessionUpdate === "tool_call") this.#announced.set(update.toolCallId, update);
      // Whoever writes a prompt shows it.
      return update.sessionUpdate === "user_message_chunk" ? NOTHING : parts.send(this.#withTerminal(update));
    });
    for (const line of this.#notices) parts.warn(line);
    let isOpening = this.client.resumed;
    this.#unsubscribe = this.client.on((event) => {
      // What the opening of an old session has written is part of what is replayed.
      if (!isOpening) this.#see(event);
    });
    isOpening = false;
    if (this.client.resumed) this.#outbox.prime(this.client.past());
  }

  get id(): string {
    return this.client.sessionId;
  }

  announced(toolCallId: string): ToolCallUpdate | undefined {
    return this.#announced.get(toolCallId);
  }

  /** What was said so far, in order; resolves when the editor has it. */
  async replay(): Promise<void> {
    const replay = new Outbox(this.#parts.send);
    for (const event of this.client.past()) replay.add(event);
    await replay.settled();
  }

  /** What an editor should know once it knows the session. */
  introduce(): void {
    this.#tell({ sessionUpdate: "available_commands_update", availableCommands: availableCommands(this.client) });
  }

  /** From now on the call is shown by its terminal. */
  showTerminal(toolCallId: string, terminalId: string): void {
    this.#terminals.set(toolCallId, terminalId);
    this.#tell({ sessionUpdate: "tool_call_update", toolCallId, content: [] });
  }

  async prompt(content: Parameters<typeof readPrompt>[0], withdrawn: AbortSignal): Promise<PromptResponse> {
    if (this.#running?.cancel.signal.aborted) await within(this.#running.done, CANCEL_WAIT_MS);
    if (this.#running)
      throw RequestError.invalidRequest(undefined, "this session is still answering; cancel that first, or wait");
    const prompt = readPrompt(content);
    if (!prompt.ok) throw invalid(prompt.error);
    const cancel = new AbortController();
    withdrawn.addEventListener("abort", () => this.cancel(), { once: true });
    const work = this.#work(prompt.value, cancel.signal);
    this.#running = { cancel, done: work.catch(() => undefined) };
    try {
      return await work;
    } catch (error) {
      throw asRequestError(error);
    } finally {
      this.#running = undefined;
    }
  }

  /** The turn and all that was started for it. */
  cancel(): void {
    const running = this.#running;
    // A turn of its own accord, such as at the end of a command in the background, can be cancelled too.
    if (!running) return void this.client.interrupt("user");
    if (running.cancel.signal.aborted) return;
    running.cancel.abort();
    const again = setInterval(() => this.client.interrupt("user"), CANCEL_AGAIN_MS);
    this.client.interrupt("user");
    void this.client.tasks.cancelAll().catch(() => undefined); // a log that cannot be written says so itself
    void running.done.then(() => clearInterval(again));
  }

  /** Saves; whoever closes does not wait for what does not want to end. */
  async close(): Promise<void> {
    this.cancel();
    this.client.interrupt("exit");
    await within(this.client.close({ type: "routine" }), CLOSE_MS);
    this.#unsubscribe();
  }

  async #work(prompt: EditorPrompt, cancelled: AbortSignal): Promise<PromptResponse> {
    this.#watch = new TurnWatch();
    this.#tellNotices();
    const message = await this.#message(prompt.text, cancelled);
    if (message !== undefined && !cancelled.aborted) {
      await this.client.send(message, prompt.enclosed);
      await this.client.untilIdle();
    }
    await this.#outbox.settled();
    return { stopReason: cancelled.aborted ? "cancelled" : this.#watch.stopReason() };
  }

  /** What is to be sent; a command may have done all there was to do. */
  async #message(text: string, signal: AbortSignal): Promise<string | AgentPrompt | undefined> {
    const typed = parseTyped(text);
    if (typed.type === "prompt") return typed.text;
    if (typed.type === "unknown") {
      const own = await this.client.extensions.prompt(typed.name, typed.args);
      if (own?.ok) return own.value;
      this.#say(describeFailure(own?.error ?? typed.failure));
      return undefined;
    }
    if (typed.command.slash.ofTerminal) {
      this.#say(`/${typed.command.name} is done by your editor: start or close a conversation there.`);
      return undefined;
    }
    await this.client.ready();
    const person = personAt({ ...this.#parts.asker, sessionId: this.id }, signal, (line) => this.#say(`${line}\n`));
    const outcome = await runSlash(typed, this.client, person);
    return outcome.ok ? outcome.value.send : undefined;
  }

  #see(event: Envelope): void {
    this.#watch.see(event);
    if (event.type === "tool.execution_complete") this.#announced.delete(event.data.toolCallId);
    this.#outbox.add(event);
    if (event.type === "session.mode_changed" || event.type === "session.model_change")
      this.#tell({ sessionUpdate: "config_option_update", configOptions: configOptions(this.client) });
  }

  /** Once, with the first prompt: nobody looks at an editor's log of stderr. */
  #tellNotices(): void {
    const notices = this.#notices;
    this.#notices = [];
    for (const title of notices)
      if (this.#parts.showsNotices) this.#tell({ sessionUpdate: "notice", severity: "warning", title });
      else this.#say(`${title}\n\n`);
  }

  #withTerminal(update: SessionUpdate): SessionUpdate {
    if (update.sessionUpdate !== "tool_call_update" || !update.content) return update;
    const terminalId = this.#terminals.get(update.toolCallId);
    return terminalId === undefined ? update : { ...update, content: [{ type: "terminal", terminalId }] };
  }

  #say(text: string): void {
    for (const update of chunk("agent_message_chunk", `note-${crypto.randomUUID()}`, text)) this.#tell(update);
  }

  #tell(update: SessionUpdate): void {
    this.#outbox.add(update);
  }
}
