// The toy wire's model, as the AI SDK wants one.
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { ProviderModel } from "../../src/model/wire/contract.ts";
import { vendorHeaders } from "../../src/model/wire/vendor.ts";
import { toyWire } from "./wire.ts";

export type ToyRecord = {
  say?: string;
  ask?: { id: string; helper: string; with: unknown };
  end?: string;
  used?: { in: number; out: number };
};

export const toyModel: ProviderModel = (target, baseUrl, fetch) => ({
  specificationVersion: "v4",
  provider: "toy",
  modelId: target.name,
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("The agent streams.")),
  async doStream(options) {
    const headers = { "content-type": "application/json", ...vendorHeaders(toyWire.vendor, target.apiKey) };
    const body = JSON.stringify({ engine: target.name, ...bodyOf(options) });
    const response = await fetch(`${baseUrl}/talk`, { method: "POST", headers, body });
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
    const records = lines.map((line) => JSON.parse(line.slice("data: ".length)) as ToyRecord);
    return { stream: ReadableStream.from(records.flatMap(partsOf)) };
  },
});

function bodyOf({ prompt, tools = [] }: LanguageModelV4CallOptions) {
  const rules = prompt.flatMap((message) => (message.role === "system" ? message.content : [])).join("\n");
  const helpers = tools.map(({ name }) => ({ name }));
  return { rules, helpers, talk: prompt.filter(({ role }) => role !== "system").map(itemOf) };
}

function itemOf(message: LanguageModelV4Message): object {
  const by = { user: "person", assistant: "machine", tool: "helper", system: "system" }[message.role];
  const parts = typeof message.content === "string" ? [] : message.content;
  const words = parts.flatMap((part): object[] => {
    if (part.type === "text") return [{ say: part.text }];
    if (part.type === "tool-call") return [{ ask: { id: part.toolCallId, helper: part.toolName, with: part.input } }];
    if (part.type !== "tool-result" || part.output.type !== "text") return [];
    return [{ reply: { id: part.toolCallId, out: part.output.value } }];
  });
  return { by, words };
}

function partsOf({ say, ask, end, used }: ToyRecord): LanguageModelV4StreamPart[] {
  if (say !== undefined) {
    const id = "words";
    return [
      { type: "text-start", id },
      { type: "text-delta", id, delta: say },
      { type: "text-end", id },
    ];
  }
  if (ask) {
    return [{ type: "tool-call", toolCallId: ask.id, toolName: ask.helper, input: JSON.stringify(ask.with) }];
  }
  const unified = end === "helpers" ? "tool-calls" : "stop";
  return [{ type: "finish", finishReason: { unified, raw: end }, usage: usageOf(used) }];
}

const usageOf = (used: ToyRecord["used"]): LanguageModelV4Usage => ({
  inputTokens: { total: used?.in, noCache: used?.in, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: used?.out, text: used?.out, reasoning: 0 },
});
