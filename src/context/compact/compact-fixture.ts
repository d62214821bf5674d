// For tests only: histories of every shape, a counter, and a model that follows a script.
import fc from "fast-check";
import type { CallOutcome, ModelRequest, ModelTarget } from "../../model/contract.ts";
import { shortenText } from "../truncate/shorten-text.ts";
import type { BudgetSettings, Sizes } from "./budget.ts";
import type { Carried } from "./carried.ts";
import type { Count, SessionItem } from "./items.ts";
import type { SummaryInput } from "./summary-input.ts";

export const count: Count = (text) => Math.ceil(text.length / 4);
const OVERHEAD = 4;
export const countItem = async (item: SessionItem): Promise<number> => textTokens(item) + OVERHEAD;

function textTokens({ raw }: SessionItem): number {
  return count(raw.content) + (raw.role === "assistant" ? count(JSON.stringify(raw.toolRequests)) : 0);
}

function item(id: string, turn: number, raw: SessionItem["raw"], more: Partial<SessionItem> = {}): SessionItem {
  const made: SessionItem = {
    id,
    role: raw.role,
    kind: "message",
    isPrompt: false,
    turn,
    toolCallIds: raw.role === "assistant" ? raw.toolRequests.map((call) => call.toolCallId) : [],
    toolResultFor: raw.role === "tool" ? [raw.toolCallId] : [],
    tokens: 0,
    raw,
    ...more,
  };
  return { ...made, tokens: textTokens(made) + OVERHEAD };
}

export const prompt = (id: string, turn: number, content = `prompt ${id}`): SessionItem =>
  item(id, turn, { role: "user", content }, { isPrompt: true });
export const notice = (id: string, turn: number, content = "note"): SessionItem =>
  item(id, turn, { role: "user", content }, { kind: "notice" });
export const said = (id: string, turn: number, content = `answer ${id}`, calls: string[] = []): SessionItem =>
  item(id, turn, {
    role: "assistant",
    content,
    toolRequests: calls.map((toolCallId) => ({ toolCallId, name: "bash", arguments: { command: "ls" } })),
  });
export const result = (id: string, turn: number, toolCallId: string, content = `output ${id}`): SessionItem =>
  item(id, turn, { role: "tool", toolCallId, toolName: "bash", content, isError: false });
export const compaction = (id: string, turn: number, content: string): SessionItem =>
  item(id, turn, { role: "user", content }, { kind: "compaction" });

/** One assistant step with its results. */
export const step = (id: string, turn: number, content = "output"): SessionItem[] => [
  said(id, turn, "", [`${id}c`]),
  result(`${id}r`, turn, `${id}c`, content),
];

/** `t1 .. tN`, each a prompt, some steps and an answer. */
export function conversation(turns: number, chars = 400, steps = 1): SessionItem[] {
  return Array.from({ length: turns }, (_, at) => at + 1).flatMap((turn) => [
    prompt(`p${turn}`, turn, `prompt ${turn} ${"x".repeat(chars)}`),
    ...Array.from({ length: steps }, (_, at) => step(`s${turn}-${at}`, turn, "o".repeat(chars))).flat(),
    said(`a${turn}`, turn, `answer ${turn} ${"y".repeat(chars)}`),
  ]);
}

export const sizes = (effectiveLimit: number, fixed = Math.floor(effectiveLimit / 8)): Sizes => ({
  systemTokens: Math.floor(fixed / 2),
  toolDefinitionsTokens: fixed - Math.floor(fixed / 2),
  reserve: 0,
  effectiveLimit,
});
export const settings: BudgetSettings = { target: 0.5, background: 0.8, keepRecent: 0.1 };

export const carriedOf = (items: readonly SessionItem[], more: Partial<Carried> = {}): Carried => ({
  prompts: items.filter((one) => one.isPrompt).map(({ id, turn, raw }) => ({ id, turn, text: raw.content })),
  recallOn: true,
  ...more,
});

/** Histories with parallel calls, late results behind prompts, orphans, open calls, notices and an earlier compaction. */
export const anyHistory: fc.Arbitrary<SessionItem[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom("prompt", "answer", "step", "late", "orphan", "open", "notice"),
      calls: fc.integer({ min: 1, max: 3 }),
      chars: fc.constantFrom(0, 20, 400, 4_000),
    }),
    { maxLength: 30 },
  )
  .chain((moves) => fc.boolean().map((compacted) => build(moves, compacted)));

type Move = { kind: string; calls: number; chars: number };

function build(moves: readonly Move[], compacted: boolean): SessionItem[] {
  const items: SessionItem[] = compacted
    ? [compaction("k", 1, `<conversation_summary>\n${"s".repeat(200)}\n</conversation_summary>`)]
    : [];
  const late: SessionItem[] = [];
  let turn = 1;
  for (const [at, { kind, calls, chars }] of moves.entries()) {
    const id = `i${at}`;
    const text = "x".repeat(chars);
    const ids = Array.from({ length: calls }, (_, n) => `${id}c${n}`);
    if (kind === "prompt") items.push(prompt(id, ++turn, `p${text}`), ...late.splice(0));
    if (kind === "answer") items.push(said(id, turn, `a${text}`));
    if (kind === "notice") items.push(notice(id, turn, `n${text}`));
    if (kind === "orphan") items.push(result(id, turn, `${id}gone`, text));
    if (["step", "late", "open"].includes(kind)) {
      items.push(said(id, turn, "", ids));
      const results = ids.map((call, n) => result(`${id}r${n}`, turn, call, text));
      if (kind === "step") items.push(...results);
      if (kind === "late") late.push(...results);
    }
  }
  return [...items, ...late];
}

export const SUMMARY = `<overview>
The goal [t1].
</overview>
<history>
It began [t1].
</history>
<work_done>
Edited a.ts.
</work_done>
<technical_details>
Port 8080.
</technical_details>
<important_files>
a.ts
</important_files>
<next_steps>
Run the tests.
</next_steps>
<checkpoint_title>
Parser rewrite
</checkpoint_title>`;

/** Long enough to stand for a history of these tests. */
export const LONG_SUMMARY = SUMMARY.replace(
  "Port 8080.",
  "The parser reads tokens from the lexer one by one. ".repeat(16),
);

export const answer = (content: string, finishReason: "stop" | "length" | "content_filter" = "stop"): CallOutcome => ({
  type: "answer",
  answer: {
    content,
    toolRequests: [],
    finishReason,
    ttftMs: 1,
    usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 80, cacheWriteTokens: 0, reasoningTokens: 0 },
  },
});
export const failure = (statusCode: number, retryable: boolean, retryAfterMs?: number): CallOutcome => ({
  type: "failure",
  code: "server_error",
  message: `status ${statusCode}`,
  statusCode,
  retryable,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
export const tooLarge = (reportedLimit?: number): CallOutcome => ({
  type: "context_limit",
  message: "too long",
  statusCode: 400,
  unit: "tokens",
  ...(reportedLimit === undefined ? {} : { reportedLimit }),
});

export const target: ModelTarget = {
  id: "openai/test",
  provider: "openai",
  name: "test",
  wire: "openai-chat",
  headers: {},
  promptLimit: 24_000,
  entry: {
    id: "openai/test",
    provider: "openai",
    multiplier: 1,
    supports: { tools: true, parallel: true, images: false, documents: false, reasoning: false },
  },
};

export type Scripted = SummaryInput & { requests: ModelRequest[]; waits: number[] };

/** Answers in order, the last one for ever. `undefined` never answers. */
export function scripted(
  items: readonly SessionItem[],
  script: readonly (CallOutcome | undefined)[],
  more: Partial<SummaryInput> = {},
): Scripted {
  const requests: ModelRequest[] = [];
  const waits: number[] = [];
  return {
    items,
    budget: 4_000,
    system: "You are an agent.",
    tools: [{ name: "bash", description: "runs", parameters: {} }],
    fixedTokens: 1_000,
    target,
    effectiveLimit: 24_000,
    sessionId: "s1",
    maxChunks: 8,
    count,
    shorten: async (one, tokens) => {
      const raw = { ...one.raw, content: shortenText(one.raw.content, tokens * 4 - 100, (n) => `[${n} left out]`) };
      const made = { ...one, raw } as SessionItem;
      return { ...made, tokens: await countItem(made) };
    },
    signal: new AbortController().signal,
    clock: { monotonic: () => 0, sleep: async (ms) => waits.push(ms) > 0 },
    timeoutMs: 1_000,
    call: async (request) => {
      const next = script[Math.min(requests.length, script.length - 1)];
      requests.push(request);
      return next ?? new Promise<never>(() => undefined);
    },
    requests,
    waits,
    ...more,
  };
}

/** All that a request carries, in tokens. */
export function requestTokens(request: ModelRequest, fixedTokens: number): number {
  const fixed = request.tools.length > 0 ? fixedTokens : count(request.system);
  return fixed + request.items.reduce((sum, one) => sum + textTokens(one) + OVERHEAD, 0);
}
