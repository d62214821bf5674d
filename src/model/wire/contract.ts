// What a wire is: everything that differs between providers' HTTP formats, for our own calls and for the gateway.
import type {
  LanguageModelV4,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import type { CatalogEntry, VendorName, WireName } from "../../schema/model.ts";
import type { ContextLimit, ModelRequest, ModelTarget, ProviderCompaction } from "../contract.ts";

export type WireBody = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** One folder of `model/wire/` is one of these, and one line of `registry.ts` makes it known. */
export type Wire = {
  name: WireName;
  /** The version that its paths begin with, such as `/v1`. */
  prefix: string;
  /** How an item of this wire that left a request is called in a session's log. */
  logName: string;
  vendor: WireVendor;
  history: HistoryFormat;
  message: MessageFormat;
  request: RequestFormat;
  answer: AnswerFormat;
  error: ErrorFormat;
  prompt: PromptFormat;
  call: CallFormat;
};

/** Whose wire it is. Two wires may have one vendor. */
export type WireVendor = {
  /** The name of its upstream in the gateway. */
  name: string;
  /** Which of our providers it is, and the variable that holds its key; undefined for one that is only configured. */
  provider?: VendorName;
  keyVariable?: string;
  address: string;
  /** Its own header for a key, in lower case; without one a key is a bearer. */
  keyHeader?: string;
  /** Headers of every request to it. */
  headers?: Headers;
  /** Whether a path belongs to it that is no route of its wires. */
  ownsPath?: (rest: string) => boolean;
  /** Whether the headers show one of its clients; asked where the path is one that every vendor may speak. */
  ownsHeaders?: (headers: Headers) => boolean;
  /** The path of a request behind the path of the upstream's address, as the vendor's SDK joins them. */
  join: (base: string, rest: string) => string;
};

/** What shaping a history needs to know of its raw objects. Every rule gives a new object and leaves the old one alone. */
export type ItemRules<Raw = unknown> = {
  /** A result for a call that has none, to stand right after the calling item; undefined when none can be made up. */
  missingResult: (call: ContextItem<Raw>, callId: string, text: string) => Raw | undefined;
  /** The item without its results of these calls; undefined when nothing is left of it. */
  withoutResults: (item: ContextItem<Raw>, callIds: ReadonlySet<string>) => Raw | undefined;
  /** The item with each of its user and result texts put through `replace`; the same raw object when none changed. */
  replaceTexts: (item: ContextItem<Raw>, replace: (text: string) => string) => Raw;
  /** A user message of this text. */
  userMessage: (text: string) => Raw;
};

export type WireContent =
  | { type: "text"; text: string }
  /** `data` is base64 where `inline`, else where it can be had. */
  | { type: "media"; mediaType: string; data: string; inline: boolean }
  | { type: "other"; value: unknown };
export type WirePart =
  | WireContent
  | { type: "reasoning"; text: string }
  | { type: "call"; id?: string | undefined; name: string; input: unknown }
  | {
      type: "result";
      id?: string | undefined;
      name?: string | undefined;
      /** The call it answers, also where the wire has no ids. */
      answers: string | undefined;
      error: boolean;
      content: WireContent[];
    };

export type HistoryFormat = ItemRules & {
  /** The member of the body that holds the history. */
  key: string;
  /** The history of a body, in order. Never throws: what it does not know is opaque. */
  toItems: (body: WireBody) => ContextItem[];
  /** The body with this history. Unchanged items come back as the same objects, an unchanged history as the same body. */
  fromItems: (items: readonly ContextItem[], body: WireBody) => WireBody;
  /** What an item is made of. */
  parts: (raw: unknown) => WirePart[];
  /** The content of a compaction that only its provider can open. */
  sealed?: (raw: unknown) => string | undefined;
  /** What the provider refuses taken out: each item as it came, a new one, or undefined when nothing is left of it. */
  accepted?: (raws: readonly unknown[]) => readonly unknown[];
};

/** How a text of ours goes into a message, between its bytes. */
export type MessageFormat = {
  /** The member that holds the message's parts. */
  holder: string;
  /** The holder may also be a plain text. */
  holdsText?: true;
  /** A text of ours never stands in the assistant's, the system's or the developer's name. */
  mayTake: (item: WireBody) => boolean;
  /** A part, from a JSON string literal. */
  textPart: (literal: string) => string;
  /** Parts that answer a call have to come before all others. */
  isResult?: (part: unknown) => boolean;
  /** Users and assistants take turns, so user messages that a cut brought together become one; this is how it begins. */
  joined?: string;
  /** Results come in a user's message, which may hold texts after them. */
  resultsOfUsers?: true;
  /** A block at the tail is an item of its own behind the user's message. */
  ownTail?: true;
  /** A plain text may stand for the whole history; beside others it is the message that begins so. */
  plainText?: string;
  /** An entry of the system's inside a history; undefined where the wire knows none. */
  systemMessage?: (text: string) => unknown;
};

export type WireTask = "generate" | "count" | "compact";

type RequestFormat = {
  /** What is done at a path, given without the upstream's name; undefined where it is no route of the wire. */
  task: (rest: string) => WireTask | undefined;
  /** The model that a request names; empty when it names none. */
  model: (body: WireBody, path: string) => string;
  /** The window that a client asked for beyond the catalogue's. */
  window?: (model: string, headers: Headers) => number | undefined;
  /** System text outside the history, and tool definitions, as the body has them. */
  system: (body: WireBody) => unknown;
  tools: (body: WireBody) => readonly unknown[];
  /** Names of the tools that a request offers, wherever it does. */
  toolNames: (body: WireBody) => string[];
  /** The model may not call any tool. */
  forbidsTools: (body: WireBody) => boolean;
  /** The answer is wanted in a fixed shape. */
  wantsShape: (body: WireBody) => boolean;
  /** The most tokens of the answer, where the request says so. */
  maxOutput: (body: WireBody) => number | undefined;
};

/** `input` is the whole prompt, cached parts included, on every wire. */
export type ReportedUsage = { input?: number; cached?: number; output?: number };
export type AnswerFacts = { usage?: ReportedUsage; terminal: boolean; errorCode?: string };

export type AnswerFormat = {
  /** Notes what one event's data, or a whole body, says. */
  read: (record: WireBody, facts: AnswerFacts) => void;
  /** An event whose data has no match says nothing that `read` or an error would tell; without it all are read. */
  telling?: RegExp;
  /** The text of an answer, from the data of its events or its whole body. */
  text: (records: readonly WireBody[]) => string;
  /** The items of an answer, on a wire whose answers are made of such. */
  items?: (records: readonly WireBody[]) => readonly unknown[];
  /** Events before the first output, after which a stream may still turn out to be a refusal. */
  opening?: { isOpening: (type: unknown) => boolean; isRefusal: (type: unknown) => boolean };
};

export type ErrorFormat = {
  body: (status: number, code: string, message: string) => object;
  /** The words by which clients know that their prompt was too long. Numbers only when both are known. */
  tooLong: (limit: ContextLimit) => string;
  /** Whether the member `error` of a body already is what clients look for. */
  saysTooLong: (error: WireBody) => boolean;
};

/** How our own history becomes a prompt that the wire accepts. */
type PromptFormat = {
  /** The longest id of a call. */
  maxCallIdChars: number;
  /** A user speaks first, last, and between two answers. */
  inTurns?: true;
  /** Blank text is refused; elsewhere it may stand behind reasoning that needs it. */
  refusesBlank?: true;
  /** Files may stand inside of a result; elsewhere they follow in a user's message. */
  filesInResults?: true;
  /** Results have a flag for errors; elsewhere it would be a wrapper around the text. */
  errorFlag?: true;
  /** Marks a place up to which the provider should cache the prompt. */
  cacheMark?: SharedV4ProviderOptions;
};

/** The address comes without a slash at its end. */
export type ProviderModel = (target: ModelTarget, baseUrl: string, fetch: typeof globalThis.fetch) => LanguageModelV4;

export type CallFormat = {
  /** The SDK's model; its package is loaded by the first call. */
  load: (target: Pick<ModelTarget, "provider">) => Promise<ProviderModel>;
  providerOptions: (target: ModelTarget, request: ModelRequest) => SharedV4ProviderOptions;
  /** The tools as this wire wants them. */
  tools?: (tools: LanguageModelV4FunctionTool[], prompt: LanguageModelV4Prompt) => LanguageModelV4FunctionTool[];
  /** The most output tokens where nobody set them, on a wire that wants a number in every request. */
  maxOutputTokens?: (entry: CatalogEntry) => number;
  /** Whether this history may be answered with reasoning on. */
  mayReason?: (items: readonly ContextItem<Message>[], target: ModelTarget) => boolean;
  /** The kind of summary that a text block with these options is; undefined for prose. */
  summaryKind?: (options: SharedV4ProviderMetadata | undefined) => string | undefined;
  /** What the provider says that it took out of the context before it answered. */
  edits?: (metadata: SharedV4ProviderMetadata | undefined) => ProviderCompaction[];
  /** The wire to speak at an address that is not the vendor's own. */
  elsewhere?: WireName;
};
