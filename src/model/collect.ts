// Gathers the parts of one streamed answer: passes them on as they come and knows at the end what arrived whole.
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isRecord, parseJson } from "../base/json.ts";
import type { ProviderData } from "../schema/message.ts";
import type { FinishReason } from "../schema/model.ts";
import type { ModelAnswer, ProviderCompaction, StreamPart } from "./contract.ts";
import { GrowingText } from "./growing-text.ts";
import type { CallFormat } from "./wire/contract.ts";

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;
/** A text with a `summaryKind` is a provider's own summary, which is no prose. */
type TextPart = {
  type: "text" | "reasoning";
  text: GrowingText;
  summaryKind?: string | undefined;
  providerOptions?: SharedV4ProviderMetadata;
};
type Custom = { type: "custom"; kind: string; providerOptions?: SharedV4ProviderMetadata };
type Call = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  text: GrowingText;
  whole: boolean;
  providerOptions?: SharedV4ProviderMetadata;
};

/** Why the stream itself is no answer: the provider's error event, nonsense in between, or an end before the end. */
type Broken = { type: "error"; body: string } | { type: "nonsense"; body: string } | { type: "cut" };

export type Collector = {
  /** False when there is no use in reading on. */
  take: (part: LanguageModelV4StreamPart) => boolean;
  /** The provider's name for the call. */
  named: (requestId: string | undefined) => void;
  broken: () => Broken | undefined;
  finish: () => Finish | undefined;
  text: () => string;
  reasoningText: () => string;
  /** Parts that arrive later are dropped. */
  close: () => void;
  answer: (
    finishReason: FinishReason,
  ) => Omit<ModelAnswer, "usage" | "providerData"> & { parts: ProviderData["content"] };
};

export function newCollector(
  onPart: (part: StreamPart) => void,
  wire: Pick<CallFormat, "summaryKind" | "edits">,
  now: () => number = () => performance.now(),
): Collector {
  const startedAt = now();
  const blocks: (TextPart | Call | Custom)[] = [];
  const saying = new Map<string, TextPart>();
  const calling = new Map<string, Call>();
  const ids = new Set<string>();
  /** While there is one block of text, that is the content: a second copy of a long answer would cost its size again. */
  let firstText: TextPart | undefined;
  let joined: string | undefined;
  const signals: ProviderCompaction[] = [];
  let requestId: string | undefined;
  let textBlock = "";
  let raw: unknown;
  let finish: Finish | undefined;
  let broken: Broken | undefined;
  let ttftMs: number | undefined;
  let closed = false;

  function emit(part: StreamPart): void {
    ttftMs ??= now() - startedAt;
    onPart(part);
  }

  function say(type: TextPart["type"], id: string, delta: string, options: SharedV4ProviderMetadata | undefined): void {
    const block = saying.get(`${type} ${id}`) ?? startSaying(type, id);
    block.text.add(delta);
    if (options) block.providerOptions = options;
    block.summaryKind ??= wire.summaryKind?.(options);
    if (delta === "" || block.summaryKind !== undefined) return;
    if (type === "reasoning") return emit({ type, delta });
    // Two blocks of text are two paragraphs; without this they would run together.
    const isApart = firstText !== undefined && textBlock !== id;
    const apart = isApart && /\S$/.test(content().slice(-1)) && /^\S/.test(delta) ? `\n\n${delta}` : delta;
    if (isApart) joined ??= firstText?.text.value;
    firstText ??= block;
    if (joined !== undefined) joined += apart;
    textBlock = id;
    emit({ type, delta: apart });
  }

  function content(): string {
    return joined ?? firstText?.text.value ?? "";
  }

  function startSaying(type: TextPart["type"], id: string): TextPart {
    const block: TextPart = { type, text: new GrowingText() };
    blocks.push(block);
    saying.set(`${type} ${id}`, block);
    return block;
  }

  function startCall(id: string, toolName: string): Call {
    let toolCallId = id.trim() === "" ? `call_${ids.size}` : id;
    while (ids.has(toolCallId)) toolCallId = `${id}_${ids.size}`;
    ids.add(toolCallId);
    const call: Call = { type: "tool-call", toolCallId, toolName, text: new GrowingText(), whole: false };
    blocks.push(call);
    calling.set(id, call);
    emit({ type: "call_start", toolCallId, name: toolName });
    return call;
  }

  function take(part: LanguageModelV4StreamPart): boolean {
    if (closed) return false;
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
      case "text-end":
      case "reasoning-end": {
        const [type, edge] = part.type.split("-") as [TextPart["type"], "start" | "end"];
        if (edge === "start") startSaying(type, part.id);
        if (part.providerMetadata) say(type, part.id, "", part.providerMetadata);
        if (edge === "end") saying.delete(`${type} ${part.id}`);
        break;
      }
      case "text-delta":
      case "reasoning-delta":
        say(part.type === "text-delta" ? "text" : "reasoning", part.id, part.delta, part.providerMetadata);
        break;
      case "tool-input-start":
        startCall(part.id, part.toolName);
        break;
      case "tool-input-delta": {
        const call = calling.get(part.id);
        if (!call) break;
        call.text.add(part.delta);
        emit({ type: "call_arguments", toolCallId: call.toolCallId, delta: part.delta });
        break;
      }
      case "tool-call": {
        const call = calling.get(part.toolCallId) ?? startCall(part.toolCallId, part.toolName);
        // The SDK writes {} for no arguments at all, which a cut call has too; only what was streamed counts as sent.
        if (part.input !== "{}") call.text = textOf(part.input);
        call.whole = true;
        if (part.providerMetadata) call.providerOptions = part.providerMetadata;
        calling.delete(part.toolCallId);
        emit({ type: "call_end", toolCallId: call.toolCallId });
        break;
      }
      case "custom":
        if (!part.kind.endsWith(".compaction")) break;
        blocks.push({
          type: "custom",
          kind: part.kind,
          ...(part.providerMetadata ? { providerOptions: part.providerMetadata } : {}),
        });
        break;
      case "raw":
        raw = part.rawValue;
        if (isThreadCompaction(raw)) signals.push({ kind: THREAD_COMPACTED, opaque: raw });
        break;
      case "error":
        // An event that the SDK does not know, but we do.
        if (isThreadCompaction(raw)) break;
        broken = brokenBy(part.error, raw);
        break;
      case "finish":
        finish = part;
        break;
    }
    return broken === undefined;
  }

  function answer(finishReason: FinishReason): ReturnType<Collector["answer"]> {
    const ended = finishReason === "stop" || finishReason === "tool_calls";
    const calls = blocks.filter((block) => block.type === "tool-call");
    const reasoningText = wordsOf("reasoning");
    const providerCompactions = [...summaries(blocks), ...(wire.edits?.(finish?.providerMetadata) ?? []), ...signals];
    return {
      content: content(),
      ...(requestId === undefined ? {} : { requestId }),
      ...(providerCompactions.length === 0 ? {} : { providerCompactions }),
      ...(reasoningText === "" ? {} : { reasoningText }),
      toolRequests: calls.map(({ toolCallId, toolName: name, text: { value: text }, whole }) => {
        const parsed = !/\S/.test(text) ? { ok: true as const, value: {} } : parseJson(text);
        const cut = !whole || (!ended && (!parsed.ok || text === ""));
        return { toolCallId, name, arguments: parsed.ok ? parsed.value : text, ...(cut ? { cut } : {}) };
      }),
      finishReason,
      ttftMs: ttftMs ?? now() - startedAt,
      parts: special(blocks),
    };
  }

  const wordsOf = (type: TextPart["type"]): string =>
    blocks.flatMap((block) => (block.type === type ? [block.text.value] : [])).join("");
  const close = (): void => {
    closed = true;
  };
  return {
    take,
    named: (id) => {
      requestId = id;
    },
    broken: () => broken,
    finish: () => finish,
    text: content,
    reasoningText: () => wordsOf("reasoning"),
    close,
    answer,
  };
}

function textOf(whole: string): GrowingText {
  const text = new GrowingText();
  text.add(whole);
  return text;
}

/** How remote agents say that their side of the conversation was compacted. */
const THREAD_COMPACTED = "agent.thread_context_compacted";
const isThreadCompaction = (raw: unknown): boolean => isRecord(raw) && raw["type"] === THREAD_COMPACTED;

/** What a provider gave in place of history that it compacted. */
const summaries = (blocks: readonly (TextPart | Call | Custom)[]): ProviderCompaction[] =>
  blocks.flatMap((block): ProviderCompaction[] => {
    if (block.type === "custom") return [{ kind: block.kind, opaque: block.providerOptions ?? null }];
    return block.type === "text" && block.summaryKind !== undefined
      ? [{ kind: block.summaryKind, opaque: block.text.value }]
      : [];
  });

/** What the provider must get back word for word; nothing when text and calls say it all. Arguments stay with the requests. */
function special(blocks: readonly (TextPart | Call | Custom)[]): ProviderData["content"] {
  if (!blocks.some((block) => block.type === "reasoning" || block.providerOptions)) return [];
  return blocks.map((block) => {
    const { type, providerOptions } = block;
    const own =
      type === "tool-call"
        ? { toolCallId: block.toolCallId, toolName: block.toolName }
        : type === "custom"
          ? { kind: block.kind }
          : { text: block.text.value };
    return { type, ...own, ...(providerOptions ? { providerOptions } : {}) };
  });
}

/** Undefined for an event that is merely unknown to the SDK: providers add such. */
function brokenBy(error: unknown, raw: unknown): Broken | undefined {
  const { name, data, text } = isRecord(error) ? error : {};
  if (
    isRecord(raw) &&
    (isRecord(raw["error"]) ||
      typeof raw["error"] === "string" ||
      raw["type"] === "error" ||
      raw["type"] === "response.failed")
  ) {
    return { type: "error", body: JSON.stringify(raw) };
  }
  if (name === "AI_TypeValidationError") return undefined;
  if (name === "AI_JSONParseError") return { type: "nonsense", body: String(text) };
  return name === "AI_InvalidResponseDataError" && data === undefined
    ? { type: "cut" }
    : { type: "nonsense", body: JSON.stringify(raw ?? error) };
}
