// P10: whatever a history holds, no provider refuses the request that is made of it.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { text } from "../../test/model-server/reply.ts";
import { type ModelServer, startModelServer } from "../../test/model-server/server.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { Message, ProviderData, ToolRequest } from "../schema/message.ts";
import { callModel } from "./call.ts";
import { item, KINDS, requestFor, targetFor } from "./conformance-fixture.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: () => text("ok") });
});
afterAll(() => server.close());

const words = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("", " \n", "\ud800", "ok", "🌍"),
  fc.string({ unit: "binary", maxLength: 6 }),
);
// Few ids, so that they are doubled, missing and orphaned; one too long, one with odd letters, two that differ only in those.
const callId = fc.constantFrom("a", "b", "call.1", "call:1", "x".repeat(80), "toolu_ü", "-");
const toolRequest: fc.Arbitrary<ToolRequest> = fc.record({
  toolCallId: callId,
  name: fc.constantFrom("view", "bash", "functions.bash", "", "7zip", "n".repeat(90)),
  arguments: fc.oneof(
    fc.dictionary(words, words, { maxKeys: 2 }),
    fc.constantFrom<unknown>("{broken", 7, null, [1], undefined, ""),
  ),
});

/** Provider data as each provider leaves it: the target's own, another provider's, or another model's that nobody can read. */
function providerData(calls: ToolRequest[], secret: string): fc.Arbitrary<ProviderData | undefined> {
  const made = ({ provider, name, wire }: (typeof KINDS)[string], foreign: boolean, said: string): ProviderData => {
    const own = foreign ? "foreign" : "";
    const options = {
      "openai-chat": undefined,
      "openai-responses": { openai: { itemId: `rs_${secret}`, reasoningEncryptedContent: `${own}enc_${secret}` } },
      anthropic: { anthropic: { signature: `${own}sig_${secret}` } },
      gemini: { google: { thoughtSignature: Buffer.from(`${own}thought:${secret}`).toString("base64") } },
    }[wire];
    const reasoning = { type: "reasoning", text: "thinking", ...(options ? { providerOptions: options } : {}) };
    const content = [reasoning, { type: "text", text: said }, ...calls.map(() => ({ type: "tool-call" }))];
    return { provider, model: foreign ? "another" : name, wire, content };
  };
  const any = fc.tuple(fc.constantFrom(...Object.values(KINDS)), fc.boolean(), fc.constantFrom("said", " \n"));
  return fc.option(
    any.map((given) => made(...given)),
    { nil: undefined },
  );
}

const message: fc.Arbitrary<Message> = fc.oneof(
  words.map((content): Message => ({ role: "user", content })),
  fc
    .tuple(fc.array(toolRequest, { maxLength: 3 }), words, fc.uuid())
    .chain(([toolRequests, content, secret]) =>
      providerData(toolRequests, secret).map(
        (data): Message => ({ role: "assistant", content, toolRequests, ...(data ? { providerData: data } : {}) }),
      ),
    ),
  fc
    .record({ toolCallId: callId, content: words, isError: fc.boolean() })
    .map((result): Message => ({ role: "tool", toolName: "view", ...result })),
);

const history: fc.Arbitrary<ContextItem<Message>[]> = fc.array(
  fc
    .tuple(message, fc.boolean())
    .map(([raw, compacted]) => item(raw, raw.role === "user" && compacted ? "compaction" : "message")),
  { maxLength: 12 },
);

describe.each(Object.entries(KINDS))("P10 %s", (_name, kind) => {
  it("P10 AI4 B59 no generated history is refused", async () => {
    await fc.assert(
      fc.asyncProperty(history, words, fc.boolean(), async (items, system, withTools) => {
        const request = requestFor(items, { system, ...(withTools ? {} : { tools: [] }) });
        const target = targetFor(kind, server.url);
        const options = { signal: new AbortController().signal, onPart: () => {}, idleMs: 30_000 };
        const outcome = await callModel(target, request, options);
        expect(outcome.type === "answer" ? "answer" : outcome).toBe("answer");
      }),
      { numRuns: 300 },
    );
  });

  it("A2.12 a longer history begins with the bytes of the shorter one, but for the cache mark at its end", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (items) => {
        const target = targetFor(kind, server.url);
        const options = { signal: new AbortController().signal, onPart: () => {}, idleMs: 30_000 };
        const whole = [item({ role: "user", content: "first" }), ...items.filter((one) => one.kind === "message")];
        const bodies: string[] = [];
        for (const given of [
          whole,
          [
            ...whole,
            item({ role: "assistant", content: "said", toolRequests: [] }),
            item({ role: "user", content: "more" }),
          ],
        ]) {
          await callModel(target, requestFor(given), options);
          bodies.push(
            JSON.stringify(messagesOf(server.requests.at(-1)?.body)).replaceAll(
              ',"cache_control":{"type":"ephemeral"}',
              "",
            ),
          );
        }
        const [short = "", long = ""] = bodies;
        // The closing brackets, and the word that stands in where a user has yet to speak.
        const common = short
          .replace(/[\]}]*$/, "")
          .replace(/\{"role":"user","(?:content|parts)":\[\{(?:"type":"text",)?"text":"\(continue\)"$/, "");
        expect(long.startsWith(common)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

function messagesOf(body: unknown): unknown {
  const { messages, input, contents } = body as Record<string, unknown>;
  return messages ?? input ?? contents;
}
