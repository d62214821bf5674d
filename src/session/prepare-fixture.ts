// For tests and benchmarks: a session of which everything is real that preparing a request touches, and turns that say when they are read.
import type { ModelTarget } from "../model/contract.ts";
import { countItem, measure } from "../model/tokens/measure.ts";
import { HistoryMeter } from "../model/tokens/meter.ts";
import { toItems } from "../model/wire/own-fixture.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { Message } from "../schema/message.ts";
import { newLiveState, type Session } from "./session.ts";
import { emptyState } from "./state.ts";

export type Item = ContextItem<Message>;

export const target: ModelTarget = {
  id: "custom/bench",
  provider: "custom",
  name: "bench",
  wire: "openai-chat",
  headers: {},
  entry: { id: "custom/bench", provider: "custom", multiplier: 1 },
  promptLimit: 0,
} as unknown as ModelTarget;

export function sessionOf(items: Item[], limit: number): Session {
  const state = emptyState();
  state.items = items;
  state.systemText = "You are a coding agent. ".repeat(100);
  const meter = new HistoryMeter();
  const parts = {
    model: { target: () => target, promptLimit: () => limit },
    tools: { offered: () => ({ tools: [], definitions: [] }) },
    tokens: {
      measure: async (request: Parameters<typeof measure>[0]) => {
        const raw = await measure(request);
        return {
          ...raw,
          rawTokens: raw.systemTokens + raw.toolDefinitionsTokens + raw.conversationTokens,
          basis: "estimated",
        };
      },
      totals: async (request: Parameters<typeof measure>[0]) => ({
        ...(await meter.totals(request)),
        basis: "estimated",
      }),
      countItem,
    },
    prompt: { contributors: () => [], memoryTexts: () => [] },
    context: {
      isOverMemory: () => false,
      underPressure: () => false,
      updateIndex: async () => undefined,
      settings: () => ({
        mode: "on",
        background: Number.POSITIVE_INFINITY,
        exhaustion: Number.POSITIVE_INFINITY,
        minMessages: 4,
        target: 0.5,
        keepRecent: 0.1,
        truncation: "on",
        truncationTarget: 0.7,
        recallOn: true,
      }),
    },
  };
  const live = newLiveState(state);
  return { id: "s", state, parts, live, publish: () => undefined, emit: async () => undefined } as unknown as Session;
}

let made = 0;
const words = (chars: number): string =>
  "the quick brown fox jumps over the lazy dog and rests ".repeat(Math.ceil(chars / 54));

/** How often the text of a message was read. */
export const reads = { count: 0 };

/** A turn: a prompt and its answer, of about so many characters together. */
export function turn(chars: number): Item[] {
  made++;
  const messages: Message[] = [
    { role: "user", content: `prompt ${made}: ${words(chars / 2)}` },
    { role: "assistant", content: `answer ${made}: ${words(chars / 2)}`, toolRequests: [] },
  ];
  return toItems(messages).map((item, at) => ({ ...item, id: `${made}.${at}`, turn: made, isPrompt: at === 0 }));
}

/** The same, each message counting in `reads` when its text is asked for. */
export const watchedTurn = (chars: number): Item[] =>
  turn(chars).map((item) => {
    const { content } = item.raw;
    const get = (): string => {
      reads.count++;
      return content;
    };
    Object.defineProperty(item.raw, "content", { get, enumerable: true });
    return item;
  });
