// Generated histories of every wire and of our own messages, with sizes, and a truncator input over each of them.
import fc from "fast-check";
import { contentOf } from "../../model/tokens/content.ts";
import type { ItemRules } from "../../model/wire/contract.ts";
import { ownRules } from "../../model/wire/own.ts";
import { toItems } from "../../model/wire/own-fixture.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { bodyOf, type Move } from "../../model/wire/wire-fixture.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { wireNames } from "../../schema/model.ts";
import { type Truncated, type TruncateInput, truncate } from "./truncate.ts";

/** Four characters a token and four for the item: cheap, exact and the same for every run. */
export const sizeOf = (item: ContextItem): number => {
  const { text, fixed } = contentOf(item);
  return Math.ceil(text.length / 4) + fixed + 4;
};
export const sized = <Raw>(items: readonly ContextItem<Raw>[]): ContextItem<Raw>[] =>
  items.map((item) => ({ ...item, tokens: sizeOf(item) }));

export const refOf = (item: ContextItem): string => `t${item.turn}.${item.id}`;

export function inputOf<Raw>(
  items: readonly ContextItem<Raw>[],
  rules: ItemRules<Raw>,
  more: Partial<TruncateInput<Raw>> = {},
): TruncateInput<Raw> {
  return {
    items: sized(items),
    rules,
    count: async (item) => sizeOf(item),
    refOf,
    place: "the session log",
    recallOn: true,
    fixedTokens: 100,
    effectiveLimit: 4_000,
    tokenLimit: 4_000,
    toolDefinitionsTokens: 40,
    target: 0.7,
    mode: "on",
    cut: undefined,
    ...more,
  };
}

export const prompt = (content: string): Message => ({ role: "user", content });
export const answer = (content: string): Message => ({ role: "assistant", content, toolRequests: [] });
/** A step of one message with calls, and the results of those that have a text. */
export const step = (id: string, ...results: (string | undefined)[]): Message[] => [
  {
    role: "assistant",
    content: "",
    toolRequests: results.map((_, k) => ({ toolCallId: `${id}.${k}`, name: "bash", arguments: {} })),
  },
  ...results.flatMap((content, k): Message[] =>
    content === undefined
      ? []
      : [{ role: "tool", toolCallId: `${id}.${k}`, toolName: "bash", content, isError: false }],
  ),
];
export const NOTICE = "<system_notification>agent done</system_notification>";
export const ownInput = (messages: readonly Message[], more: Partial<TruncateInput<Message>> = {}) =>
  inputOf(toItems(messages), ownRules, more);

export type Sent = Extract<Truncated<Message>, { type: "fits" }>;
/** For histories that fit. */
export async function send(input: TruncateInput<Message>): Promise<Sent> {
  const sent = await truncate(input);
  if (sent.type !== "fits") throw new Error(JSON.stringify(sent));
  return sent;
}
/** A line of words, so that cuts find line ends; about `tokens` tokens. */
export const textOf = (tokens: number, name = "word"): string =>
  Array.from({ length: Math.ceil((tokens * 4) / 40) }, (_, i) => `${name} ${i}`.padEnd(39, ".")).join("\n");

const text = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 120 }).map((n) => textOf(n)) },
  { weight: 3, arbitrary: fc.integer({ min: 100, max: 1_500 }).map((n) => textOf(n)) },
  { weight: 1, arbitrary: fc.integer({ min: 1_500, max: 12_000 }).map((n) => textOf(n)) },
  { weight: 1, arbitrary: fc.constantFrom("", "\ud800", "\0\u2028", "<|endoftext|>", "😀".repeat(3_000)) },
);
const call = fc.record({
  name: fc.constantFrom("view", "bash"),
  result: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  text,
});
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ type: fc.constant("prompt" as const), text: text.map((t) => t || "go") }),
  fc.record({ type: fc.constant("notice" as const) }),
  fc.record({ type: fc.constant("answer" as const), text: text.map((t) => t.slice(0, 2_000)) }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("step" as const),
      reasoning: fc.boolean(),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      doubled: fc.boolean(),
    }),
  },
  fc.record({ type: fc.constant("unknown" as const) }),
);

/** Our own messages have no unknown kinds. */
function ownOf(history: readonly Move[]): Message[] {
  return history.flatMap((m, i): Message[] => {
    if (m.type === "prompt") return [prompt(m.text)];
    if (m.type === "notice") return [prompt(NOTICE)];
    if (m.type === "answer") return [answer(m.text)];
    if (m.type === "unknown") return [];
    const [calls, ...results] = step(`c${i}`, ...m.calls.map((c) => (c.result ? (c.text ?? "ok") : undefined)));
    return [...(calls ? [calls] : []), ...results, ...(m.doubled ? results.slice(0, 1) : [])];
  });
}

/** `seenAgain`: the items of a request after they went through the wire's body. */
export type Made = {
  wire: string;
  items: ContextItem[];
  rules: ItemRules;
  seenAgain: (items: readonly ContextItem[]) => readonly ContextItem[];
};

/** Some have a compaction message first; some lose an item in the middle, so that calls and results are parted. */
export const histories: fc.Arbitrary<Made> = fc
  .record({
    wire: fc.constantFrom(...wireNames, "own" as const),
    history: fc.array(move, { minLength: 1, maxLength: 30 }),
    ids: fc.boolean(),
    compacted: fc.option(text),
    lost: fc.option(fc.nat({ max: 40 })),
  })
  .map(({ wire, history, ids, compacted, lost }) => {
    const adapter = wire === "own" ? undefined : wireOf(wire).history;
    const body = wire === "own" ? {} : bodyOf[wire](history, ids);
    const seen = adapter?.toItems(body) ?? toItems(ownOf(history));
    const rules = adapter ?? (ownRules as ItemRules);
    const seenAgain: Made["seenAgain"] = (sent) => adapter?.toItems(adapter.fromItems(sent, body)) ?? sent;
    const items = seen
      .filter((_, index) => index !== lost)
      .map((item): ContextItem => ({ ...item, id: `i${item.id}` }));
    if (compacted !== null) {
      const system = items.findIndex(({ role }) => role !== "system");
      const summary: ContextItem = {
        id: "summary",
        role: "user",
        kind: "compaction",
        isPrompt: false,
        turn: 0,
        toolCallIds: [],
        toolResultFor: [],
        tokens: 0,
        raw: rules.userMessage(`<summary>${compacted}</summary>`),
      };
      items.splice(system === -1 ? items.length : system, 0, summary);
    }
    return { wire, items: sized(items), rules, seenAgain };
  });
