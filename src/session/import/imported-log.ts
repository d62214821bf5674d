// The log of an imported session: each item as the events that our own sessions have, the same events whenever it is read.
import { hash } from "node:crypto";
import { NumberMap } from "../../base/number-map.ts";
import { VERSION } from "../../base/version.ts";
import type { ImportedItem } from "../../memory/import/contract.ts";
import type { DurableEnvelope, DurableType, EventData } from "../../schema/event/envelope.ts";
import { IMPORT_PRODUCER, type ImportMark, importedFrom } from "../../schema/imported.ts";
import type { SessionContext } from "../../schema/session.ts";
import { LOG_VERSION } from "../read-session.ts";

/** `imp_CLIENT_ID`; an id that cannot be a folder's name is spelled out as far as it can and told apart by a hash. */
export function importedId(client: string, id: string): string {
  const safe = id.replace(/[^\w.-]/g, "-").slice(0, 100);
  return `imp_${client}_${safe === id ? id : `${safe.slice(0, 80)}-${hash("sha1", id).slice(0, 8)}`}`;
}

/** Short keys for many events: 52 bits of their ids, which are hashes. */
const keyOf = (eventId: string): number => Number.parseInt(eventId.slice(0, 13), 16);

/** What was passed is no item: one of the same id is still to come. */
const passedId = (id: string): string => `passed:${id}`;

/** A tool's name by its call, of the latest calls. */
const CALLS_REMEMBERED = 1000;

export class ImportedLog {
  readonly id: string;
  /** The turn that each event, or id that was passed, belongs to. */
  readonly #turns = new NumberMap();
  readonly #toolNames = new Map<string, string>();
  #turn = 0;
  #step = 0;
  #checkpoints = 0;
  #lastId: string | null = null;
  #time = "";
  #model = "";
  #isTurnOpen = false;
  #cwd: string | undefined;
  #branch: string | undefined;

  constructor(id: string) {
    this.id = id;
  }

  /** Takes in an event that the log has already. */
  fold(event: DurableEnvelope): void {
    if (event.type === "session.start" || event.type === "session.context_changed") this.#stand(event.data.context);
    if (event.type === "user.message" && event.data.ref) this.#begin(Number(event.data.ref.slice(1)));
    if (event.type === "turn.end") this.#isTurnOpen = false;
    if (event.type === "session.compaction_complete") this.#checkpoints++;
    if (event.type === "tool.execution_start") this.#name(event.data.toolCallId, event.data.toolName);
    if (event.type === "assistant.message") this.#step = event.data.step;
    this.#lastId = event.id;
    this.#time = event.timestamp;
    this.#turns.set(keyOf(event.id), this.#turn);
  }

  get isEmpty(): boolean {
    return this.#lastId === null;
  }

  has(item: Pick<ImportedItem, "id">): boolean {
    return this.#turns.has(keyOf(this.#eventId(item.id)));
  }

  /** Something that is no item was passed: what follows it may name it. */
  pass(id: string): void {
    if (!this.has({ id })) this.#turns.set(keyOf(this.#eventId(passedId(id))), this.#turn);
  }

  /** The beginning, or a change of the folder; none when the session stands there already. */
  stand(context: SessionContext, time: string, model = ""): DurableEnvelope[] {
    this.#time = this.#time || time;
    if (this.#lastId !== null && context.cwd === this.#cwd && context.branch === this.#branch) return [];
    if (this.#lastId !== null)
      return this.#new(`context:${this.#turn}:${context.cwd}:${context.branch ?? ""}`, "session.context_changed", {
        context,
      });
    this.#model = model;
    return this.#new("start", "session.start", {
      sessionId: this.id,
      version: LOG_VERSION,
      producer: IMPORT_PRODUCER,
      everlongVersion: VERSION,
      startTime: time,
      model,
      modelReason: `imported from ${importedFrom(this.id) ?? "another client"}`,
      mode: "interactive",
      context,
    });
  }

  /** The events of an item that the log does not have. */
  add(item: ImportedItem, file: string): DurableEnvelope[] {
    this.#time = item.time ?? this.#time;
    const imported: ImportMark = { file, line: item.line };
    const turnId = `turn${this.#turn}`;
    const { agent } = item;
    switch (item.kind) {
      case "user": {
        if (agent !== undefined)
          return this.#new(item.id, "user.message", this.#userData(item, imported, "agent"), agent);
        const back = item.parent === undefined ? [] : this.#backTo(item.parent, item.id);
        const ended = this.end();
        this.#begin(this.#turn + 1);
        const data = { ...this.#userData(item, imported, "user"), ref: `t${this.#turn}` };
        return [...back, ...ended, ...this.#new(item.id, "user.message", data)];
      }
      case "assistant": {
        if (agent === undefined) this.#step++;
        this.#model = item.model ?? this.#model;
        const data = { messageId: item.id, turnId, step: this.#step, model: this.#model, content: item.text };
        const rest = { toolRequests: [], finishReason: "stop" as const, imported };
        return this.#new(item.id, "assistant.message", { ...data, ...rest }, agent);
      }
      case "call": {
        this.#name(item.call, item.name);
        const data = { toolCallId: item.call, toolName: item.name, arguments: item.args, turnId, imported };
        return this.#new(item.id, "tool.execution_start", data, agent);
      }
      case "result": {
        const { text, call, failed } = item;
        const toolName = this.#toolNames.get(call);
        const result = {
          content: text,
          bytes: Buffer.byteLength(text),
          lines: text === "" ? 0 : text.split("\n").length,
        };
        const outcome = {
          success: !failed,
          resultType: failed ? ("failure" as const) : ("success" as const),
          durationMs: 0,
        };
        const data = {
          toolCallId: call,
          ...(toolName === undefined ? {} : { toolName }),
          ...outcome,
          result,
          imported,
        };
        return this.#new(item.id, "tool.execution_complete", data, agent);
      }
      case "checkpoint":
        return this.#new(
          item.id,
          "session.compaction_complete",
          this.#checkpointData(item.id, item.text, imported),
          agent,
        );
      case "rewind":
        if (item.to !== undefined) return this.#backTo(item.to, item.id);
        return this.#rewind(Math.max(0, this.#turn - (item.turns ?? this.#turn)), item.id);
    }
  }

  /** The end of the running turn. */
  end(): DurableEnvelope[] {
    if (!this.#isTurnOpen) return [];
    this.#isTurnOpen = false;
    const data = { turnId: `turn${this.#turn}`, status: "done" as const, steps: this.#step, durationMs: 0 };
    return this.#new(`end:${this.#turn}`, "turn.end", data);
  }

  /** Undone by the client: the message is followed by something else now. Unknown ids mean that nothing was. */
  #backTo(parent: string, by: string): DurableEnvelope[] {
    const turnOf = (id: string): number | undefined => this.#turns.get(keyOf(this.#eventId(id)));
    const turn = turnOf(parent) ?? turnOf(passedId(parent));
    return turn === undefined || turn >= this.#turn ? [] : this.#rewind(turn, by);
  }

  #rewind(toTurn: number, by: string): DurableEnvelope[] {
    const ended = this.end();
    const upToEventId = this.#eventId(toTurn === 0 ? "start" : `end:${toTurn}`);
    const data = { upToEventId, eventsRemoved: 0, filesRestored: [], filesSkipped: [], fromTurn: toTurn + 1 };
    this.#lastId = upToEventId; // the history goes on from there
    return [...ended, ...this.#new(`rewind:${by}`, "session.snapshot_rewind", data)];
  }

  #begin(turn: number): void {
    this.#turn = turn;
    this.#step = 0;
    this.#isTurnOpen = true;
  }

  #stand(context: SessionContext): void {
    this.#cwd = context.cwd;
    this.#branch = context.branch;
  }

  #name(call: string, name: string): void {
    this.#toolNames.set(call, name);
    const [oldest] = this.#toolNames.keys();
    if (this.#toolNames.size > CALLS_REMEMBERED && oldest !== undefined) this.#toolNames.delete(oldest);
  }

  #userData(item: ImportedItem & { kind: "user" }, imported: ImportMark, source: "user" | "agent") {
    const turnId = `turn${source === "user" ? this.#turn : `${this.#turn}-agent`}`;
    return { messageId: item.id, turnId, content: item.text, source, mode: "interactive" as const, imported };
  }

  #checkpointData(attempt: string, summaryContent: string, imported: ImportMark) {
    this.#checkpoints++;
    const none = { tokenLimit: 0, systemTokens: 0, conversationTokens: 0, toolDefinitionsTokens: 0, targetTokens: 0 };
    const tokens = { preCompactionTokens: 0, postCompactionTokens: 0, tokensRemoved: 0, messagesRemoved: 0 };
    const lengths = { preCompactionMessagesLength: 0, postCompactionMessagesLength: 0 };
    return {
      ...{ ...none, ...tokens, ...lengths, success: true, outcome: "applied" as const, trigger: "manual" as const },
      ...{ compactionAttemptId: attempt, model: this.#model, tokenAccountingBasis: "estimated" as const },
      ...{ summaryContent, checkpointNumber: this.#checkpoints, imported },
      compactedTurns: { from: 1, to: this.#turn },
    };
  }

  #eventId(id: string): string {
    return hash("sha1", `${this.id}\n${id}`).slice(0, 32);
  }

  #new<T extends DurableType>(id: string, type: T, data: EventData<T>, agentId?: string): DurableEnvelope[] {
    const envelope = { id: this.#eventId(id), type, timestamp: this.#time, parentId: this.#lastId, data };
    const event = { ...envelope, ...(agentId === undefined ? {} : { agentId }) } as DurableEnvelope;
    if (this.#turns.has(keyOf(event.id))) return [];
    this.fold(event);
    return [event];
  }
}
