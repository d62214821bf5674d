// An item of the history, made from its event: the message itself is made when somebody looks at it, and then kept.
import { escapeTags } from "../base/tag.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { DurableEnvelope } from "../schema/event/envelope.ts";
import type { Message, ToolMessage } from "../schema/message.ts";

/** All of an item but its event. */
export type AboutItem = Pick<ContextItem, "role" | "turn"> & {
  kind?: ContextItem["kind"];
  isPrompt?: boolean;
  toolCallIds?: string[] | undefined;
  toolResultFor?: string[] | undefined;
  chars?: number;
  estimate?: number | undefined;
  toolName?: string | undefined;
};

/** One for all: most items neither call nor answer. Nobody changes them. */
const noIds: string[] = [];

export class LogItem implements ContextItem<Message> {
  readonly id: string;
  readonly role: ContextItem["role"];
  readonly kind: ContextItem["kind"];
  readonly isPrompt: boolean;
  readonly turn: number;
  readonly toolCallIds: string[];
  readonly toolResultFor: string[];
  tokens: number;
  readonly chars: number;
  declare readonly estimate?: number;
  declare readonly raw: Message;
  readonly #source: DurableEnvelope | LogItem;
  readonly #toolName: string;
  #raw: Message | undefined;

  /** `source`: the event, or the same item with another size. */
  constructor(source: DurableEnvelope | LogItem, about: AboutItem, tokens = 0) {
    this.id = source.id;
    this.role = about.role;
    this.kind = about.kind ?? "message";
    this.isPrompt = about.isPrompt ?? false;
    this.turn = about.turn;
    this.toolCallIds = about.toolCallIds ?? noIds;
    this.toolResultFor = about.toolResultFor ?? noIds;
    this.tokens = tokens;
    this.chars = about.chars ?? 0;
    if (about.estimate !== undefined) this.estimate = about.estimate;
    this.#source = source;
    this.#toolName = about.toolName ?? "";
    // A field of its own, so that a copy by `...item` and JSON have it too.
    Object.defineProperty(this, "raw", RAW);
  }

  /** Undefined: it is the copy of another item. */
  get event(): DurableEnvelope | undefined {
    return this.#source instanceof LogItem ? undefined : this.#source;
  }

  get toolName(): string {
    return this.#toolName;
  }

  look(): Message {
    this.#raw ??= this.#source instanceof LogItem ? this.#source.raw : messageOf(this.#source, this.#toolName);
    return this.#raw;
  }
}

const RAW: PropertyDescriptor & ThisType<LogItem> = {
  enumerable: true,
  get() {
    return this.look();
  },
};

/** The item with that size. One that has none yet takes it; who has seen it with another size goes on seeing that. */
export function sized(item: ContextItem<Message>, tokens: number): ContextItem<Message> {
  if (item.tokens === tokens) return item;
  if (!(item instanceof LogItem)) return { ...item, tokens };
  if (item.tokens !== 0) return new LogItem(item, item, tokens);
  item.tokens = tokens;
  return item;
}

function messageOf(event: DurableEnvelope, toolName: string): Message {
  switch (event.type) {
    case "user.message": {
      const { recalled, content: typed, attachments } = event.data;
      const content = recalled === undefined ? typed : `${recalled}\n\n${typed}`;
      return { role: "user", content, ...(attachments ? { attachments } : {}) };
    }
    case "system.notification":
      return { role: "user", content: event.data.content };
    case "assistant.message": {
      const { content, toolRequests, reasoningText, providerData } = event.data;
      return {
        role: "assistant",
        content,
        toolRequests,
        ...(reasoningText === undefined ? {} : { reasoningText }),
        ...(providerData ? { providerData } : {}),
      };
    }
    case "tool.execution_complete": {
      const { toolCallId, result, success, attachments } = event.data;
      return {
        role: "tool",
        toolCallId,
        toolName,
        content: result.isBlock ? result.content : escapeTags(result.content),
        isError: !success,
        ...(attachments ? { attachments: attachments as NonNullable<ToolMessage["attachments"]> } : {}),
      };
    }
    default:
      throw new Error(`An event of type ${event.type} is no message.`);
  }
}
