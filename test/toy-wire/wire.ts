// A fifth wire, unlike the four in every field: planted by this folder alone, to show that nothing else knows the wires.
import { isRecord } from "../../src/base/json.ts";
import { countIn, fieldsIn, noteUsage } from "../../src/model/wire/answer.ts";
import type { HistoryFormat, Wire, WireBody, WirePart } from "../../src/model/wire/contract.ts";
import { itemsOf, listAt, OPAQUE, recordsIn, seeUser, stringAt, unchanged } from "../../src/model/wire/item.ts";
import { other } from "../../src/model/wire/part.ts";
import type { WireName } from "../../src/schema/model.ts";

const wordsIn = (raw: unknown): Record<string, unknown>[] => (isRecord(raw) ? recordsIn(raw["words"]) : []);

function partOf(word: Record<string, unknown>): WirePart {
  const { say, ask, reply } = word;
  if (typeof say === "string") return { type: "text", text: say };
  if (isRecord(ask)) {
    return { type: "call", id: stringAt(ask, "id"), name: stringAt(ask, "helper") ?? "", input: ask["with"] };
  }
  if (!isRecord(reply)) return other(word);
  const id = stringAt(reply, "id");
  const content = [{ type: "text" as const, text: stringAt(reply, "out") ?? "" }];
  return { type: "result", id, answers: id, error: false, content };
}

const idsIn = (raw: unknown, key: "ask" | "reply"): string[] =>
  wordsIn(raw).flatMap((word) => (isRecord(word[key]) ? (stringAt(word[key], "id") ?? []) : []));

const toyHistory: HistoryFormat = {
  key: "talk",
  toItems: (body) =>
    itemsOf(listAt(body, "talk"), (raw) => {
      const by = isRecord(raw) ? raw["by"] : undefined;
      if (by === "machine") return { role: "assistant", kind: "message", toolCallIds: idsIn(raw, "ask") };
      if (by === "helper") return { role: "tool", kind: "message", toolResultFor: idsIn(raw, "reply") };
      return by === "person"
        ? seeUser(
            wordsIn(raw)
              .map((word) => stringAt(word, "say"))
              .join("\n"),
            false,
          )
        : OPAQUE;
    }),
  fromItems: (items, body) =>
    unchanged(items, listAt(body, "talk")) ? body : { ...body, talk: items.map(({ raw }) => raw) },
  parts: (raw) => wordsIn(raw).map(partOf),
  missingResult: (_call, id, out) => ({ by: "helper", words: [{ reply: { id, out } }] }),
  withoutResults: () => undefined,
  replaceTexts({ raw }, replace) {
    const words = wordsIn(raw).map((word) => {
      if (typeof word["say"] === "string") return { ...word, say: replace(word["say"]) };
      const { reply } = word;
      return isRecord(reply) ? { ...word, reply: { ...reply, out: replace(String(reply["out"])) } } : word;
    });
    return JSON.stringify(words) === JSON.stringify(wordsIn(raw)) ? raw : { ...(raw as WireBody), words };
  },
  userMessage: (say) => ({ by: "person", words: [{ say }] }),
};

export const toyWire: Wire = {
  name: "toy" as WireName,
  prefix: "/toy",
  logName: "dropped_toy",
  vendor: { name: "toy", address: "https://toy.invalid", keyHeader: "x-toy-key", join: (base, rest) => base + rest },
  history: toyHistory,
  message: {
    holder: "words",
    mayTake: ({ by }) => by === "person",
    textPart: (literal) => `{"say":${literal}}`,
  },
  request: {
    task: (rest) => (rest === "/toy/talk" ? "generate" : undefined),
    model: ({ engine }) => String(engine ?? ""),
    system: ({ rules }) => rules,
    tools: (body) => listAt(body, "helpers"),
    toolNames: (body) => recordsIn(body["helpers"]).map(({ name }) => String(name)),
    forbidsTools: ({ silent }) => silent === true,
    wantsShape: () => false,
    maxOutput: ({ most }) => countIn(most),
  },
  answer: {
    read(record, facts) {
      if (record["end"] !== undefined) facts.terminal = true;
      const used = fieldsIn(record["used"]);
      noteUsage(facts, { input: used["in"], cached: undefined, output: used["out"] });
    },
    text: (records) => records.map(({ say }) => (typeof say === "string" ? say : "")).join(""),
  },
  error: {
    body: (status, code, message) => ({ oops: { status, code, message } }),
    tooLong: () => "too many words",
    saysTooLong: ({ message }) => message === "too many words",
  },
  prompt: { maxCallIdChars: 12 },
  call: {
    load: async () => (await import("./provider.ts")).toyModel,
    providerOptions: () => ({}),
  },
};
