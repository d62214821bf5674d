// Histories of all four wires that a strict provider takes, growing turn by turn, and one lane that plans them.
import { hash } from "node:crypto";
import fc from "fast-check";
import { canonicalJson, isRecord } from "../../base/json.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import { wireNames } from "../../schema/model.ts";
import { assemble } from "../body/assemble.ts";
import { scanBody } from "../body/scan.ts";
import type { HistoryItem, LaneState, ScannedBody } from "../contract.ts";
import type { RequestBudget } from "./budget.ts";
import type { PlanSettings, RequestPlan, RequestPlanInput } from "./contract.ts";
import { newLane, plan } from "./plan.ts";

/** As the strict checkers know them again. */
const thinkingSignature = (id: string): string => `sig_${id}`;
const encryptedReasoning = (id: string): string => `enc_${id}`;
const thoughtSignature = (id: string): string => Buffer.from(`thought:${id}`).toString("base64");

export type Call = { text: string };
export type Step = { reasoning: boolean; calls: Call[] };
export type Turn = { prompt: string; steps: Step[]; answer: string };

/** About so many tokens, in lines. */
export const words = (tokens: number, name = "word"): string =>
  Array.from({ length: Math.max(1, Math.ceil(tokens / 8)) }, (_, i) => `${name} line number ${i} says so`).join("\n");

const size = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 150 }) },
  { weight: 2, arbitrary: fc.integer({ min: 150, max: 900 }) },
  { weight: 1, arbitrary: fc.integer({ min: 900, max: 4_000 }) },
);
const text = fc.tuple(size, fc.constantFrom("alpha", "beta", "日本")).map(([tokens, name]) => words(tokens, name));
const step = fc.record({
  reasoning: fc.boolean(),
  calls: fc.array(fc.record({ text }), { minLength: 1, maxLength: 4 }),
});
const turn = fc.record({ prompt: text, steps: fc.array(step, { maxLength: 5 }), answer: text });
export const turns = fc.array(turn, { minLength: 1, maxLength: 8 });
export const wires = fc.constantFrom(...wireNames);

/** Cut off after so many items that a model could be asked: after a prompt or after all results of a step. */
type Moment = { turn: number; step: number };
export const momentsOf = (history: readonly Turn[]): Moment[] =>
  history.flatMap(({ steps }, at) => Array.from({ length: steps.length + 1 }, (_, step) => ({ turn: at, step })));

export function rawsAt(wire: WireName, history: readonly Turn[], { turn: last, step: most }: Moment): unknown[] {
  return history.slice(0, last + 1).flatMap(({ prompt, steps, answer }, at) => {
    const isLast = at === last;
    const shown = isLast ? steps.slice(0, most) : steps;
    return [
      ...RAW[wire].prompt(prompt),
      ...shown.flatMap((one, index) => RAW[wire].step(one, `t${at}s${index}`)),
      ...(isLast ? [] : RAW[wire].answer(answer)),
    ];
  });
}

type RawRules = {
  prompt: (text: string) => unknown[];
  answer: (text: string) => unknown[];
  step: (step: Step, id: string) => unknown[];
};
const RAW: Record<WireName, RawRules> = {
  "openai-chat": {
    prompt: (content) => [{ role: "user", content }],
    answer: (content) => [{ role: "assistant", content }],
    step: ({ calls }, id) => [
      {
        role: "assistant",
        content: null,
        tool_calls: calls.map((_, k) => ({
          id: `${id}c${k}`,
          type: "function",
          function: { name: "bash", arguments: `{"n":${k}}` },
        })),
      },
      ...calls.map(({ text: content }, k) => ({ role: "tool", tool_call_id: `${id}c${k}`, content })),
    ],
  },
  "openai-responses": {
    prompt: (value) => [{ type: "message", role: "user", content: [{ type: "input_text", text: value }] }],
    answer: (value) => [{ type: "message", role: "assistant", content: [{ type: "output_text", text: value }] }],
    step: ({ calls, reasoning }, id) => [
      ...(reasoning ? [{ type: "reasoning", summary: [], encrypted_content: encryptedReasoning(id) }] : []),
      ...calls.map((_, k) => ({ type: "function_call", call_id: `${id}c${k}`, name: "bash", arguments: `{"n":${k}}` })),
      ...calls.map(({ text: output }, k) => ({ type: "function_call_output", call_id: `${id}c${k}`, output })),
    ],
  },
  anthropic: {
    prompt: (content) => [{ role: "user", content }],
    answer: (value) => [{ role: "assistant", content: [{ type: "text", text: value }] }],
    step: ({ calls, reasoning }, id) => [
      {
        role: "assistant",
        content: [
          ...(reasoning ? [{ type: "thinking", thinking: "hm", signature: thinkingSignature(id) }] : []),
          ...calls.map((_, k) => ({ type: "tool_use", id: `${id}c${k}`, name: "bash", input: { n: k } })),
        ],
      },
      {
        role: "user",
        content: calls.map(({ text: content }, k) => ({ type: "tool_result", tool_use_id: `${id}c${k}`, content })),
      },
    ],
  },
  gemini: {
    prompt: (value) => [{ role: "user", parts: [{ text: value }] }],
    answer: (value) => [{ role: "model", parts: [{ text: value, thoughtSignature: thoughtSignature("a") }] }],
    step: ({ calls, reasoning }, id) => [
      {
        role: "model",
        parts: calls.map((_, k) => ({
          functionCall: { name: "bash", args: { n: k } },
          ...(reasoning && k === 0 ? { thoughtSignature: thoughtSignature(id) } : {}),
        })),
      },
      {
        role: "user",
        parts: calls.map(({ text: output }) => ({ functionResponse: { name: "bash", response: { output } } })),
      },
    ],
  },
};

const TOOL = { name: "bash", description: "runs a command" };
const SCHEMA = { type: "object", properties: { n: { type: "number" } } };
const AROUND: Record<WireName, (history: readonly unknown[]) => Record<string, unknown>> = {
  "openai-chat": (messages) => ({
    model: "m",
    messages: [{ role: "system", content: "You are helpful." }, ...messages],
    tools: [{ type: "function", function: { ...TOOL, parameters: SCHEMA } }],
  }),
  "openai-responses": (input) => ({
    model: "m",
    instructions: "You are helpful.",
    input,
    store: false,
    tools: [{ type: "function", ...TOOL, parameters: SCHEMA }],
  }),
  anthropic: (messages) => ({
    model: "m",
    max_tokens: 100,
    system: "You are helpful.",
    messages,
    tools: [{ ...TOOL, input_schema: SCHEMA }],
  }),
  gemini: (contents) => ({
    systemInstruction: { parts: [{ text: "You are helpful." }] },
    contents,
    tools: [{ functionDeclarations: [{ ...TOOL, parameters: SCHEMA }] }],
  }),
};

export function bodyOf(wire: WireName, raws: readonly unknown[]): ScannedBody {
  const scanned = scanBody(Buffer.from(JSON.stringify(AROUND[wire](raws))), wire);
  if (!scanned.ok) throw new Error(scanned.error);
  return scanned.value;
}

const short = (value: string): string => hash("sha256", value, "hex").slice(0, 24);
/** Four characters a token and four for the item. */
export const sizeOf = (raw: unknown): number => Math.ceil(JSON.stringify(raw).length / 4) + 4;

/** Items with cumulative links; reasoning is not in the chain. */
export function itemsOf(body: ScannedBody): HistoryItem[] {
  let link = "";
  let loose = 0;
  return wireOf(body.wire)
    .history.toItems(body.value)
    .map((item, at): HistoryItem => {
      const common = { wire: body.wire, at, strong: true, tokens: sizeOf(item.raw) };
      if (item.role === "system") return { ...item, ...common, id: `s${at}`, own: undefined };
      if (item.kind === "reasoning" && body.wire === "openai-responses") {
        return { ...item, ...common, id: `${link}+${++loose}`, own: undefined };
      }
      const own = short(canonicalJson(item.raw));
      link = short(link + own);
      loose = 0;
      return { ...item, ...common, id: link, own };
    });
}

export const settings: PlanSettings = {
  minKeepItems: 4,
  toolOutputMaxChars: 4_000,
  recall: { maxSnippets: 4, maxChars: 900 },
  semantic: { enabled: true, maxSnips: 2, maxChars: 600 },
  state: { appendOnly: true, tag: "everlong_state", role: "user", refreshTokens: 1_500 },
};
export const budget: RequestBudget = { window: 9_000, reserve: 1_000, usable: 8_000, high: 6_400, lowShare: 0.55 };

export type Sent = RequestPlan & { body: ScannedBody; bytes: Buffer; history: unknown[]; items: HistoryItem[] };

/** One lane of a gateway: every request is planned with what the one before left, after a trip through JSON. */
export class LaneRun {
  lane: LaneState = newLane({ kind: "main", tools: ["bash"], system: "s" });
  readonly #wire: WireName;

  constructor(wire: WireName) {
    this.#wire = wire;
  }

  async send(raws: readonly unknown[], more: Partial<RequestPlanInput> = {}): Promise<Sent> {
    const body = bodyOf(this.#wire, raws);
    const items = itemsOf(body);
    const planned = await plan({
      body,
      items,
      fixedTokens: 60,
      lane: JSON.parse(JSON.stringify(this.lane)),
      kind: "main",
      mode: "normal",
      budget,
      model: "m",
      refOf: ({ at }) => `s1:t1.${at}`,
      settings,
      ...more,
    });
    this.lane = planned.lane;
    const bytes = assemble(body, planned.pieces);
    const value: unknown = JSON.parse(bytes.toString());
    const history = isRecord(value) ? value[wireOf(this.#wire).history.key] : undefined;
    return { ...planned, body, bytes, items, history: Array.isArray(history) ? history : [history] };
  }
}

/** A request as the strict checkers of test/model-server take it. */
export const strictRequest = (wire: WireName, bytes: Buffer) => ({
  wire,
  path: "",
  query: "",
  headers: { "anthropic-version": "1" },
  rawBody: "",
  body: JSON.parse(bytes.toString()) as unknown,
  model: "m",
  stream: false,
  at: 0,
  index: 0,
  overLimit: false,
  aborted: false,
});
