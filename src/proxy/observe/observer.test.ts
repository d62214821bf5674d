// What the observer reads out of answers of all four wires, in any pieces, and what it leaves alone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireName } from "../../schema/model.ts";
import { EventReader } from "./event-reader.ts";
import { type Observation, Observer } from "./observer.ts";

async function observe(
  wire: WireName,
  body: string,
  type = "text/event-stream",
  collect = false,
): Promise<Observation> {
  const observer = new Observer({ wire, status: 200, headers: ["Content-Type", type], collect });
  for (const byte of Buffer.from(body)) observer.write(Buffer.of(byte));
  await observer.end();
  return await observer.seen();
}
const sse = (...events: (object | string)[]) =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

describe("event streams (X4)", () => {
  it.each<[string, WireName, string, Partial<Observation>]>([
    [
      "chat with usage last",
      "openai-chat",
      sse(
        { choices: [{ delta: { content: "é" }, finish_reason: null }], usage: null },
        { choices: [{ finish_reason: "stop" }] },
        {
          choices: [],
          usage: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 80 }, completion_tokens: 5 },
        },
        "[DONE]",
      ),
      { terminal: true, usage: { input: 100, cached: 80, output: 5 } },
    ],
    ["chat with [DONE] alone", "openai-chat", sse({ choices: [] }, "[DONE]"), { terminal: true }],
    ["chat cut short", "openai-chat", sse({ choices: [{ finish_reason: null }] }), { terminal: false }],
    [
      "chat with an error of the provider",
      "openai-chat",
      sse({ error: { message: "down", type: "server_error", code: null } }),
      { terminal: true, errorCode: "server_error" },
    ],
    [
      "responses",
      "openai-responses",
      `event: response.created\n${sse({ type: "response.created" })}${sse({
        type: "response.completed",
        response: { usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 } },
      })}`,
      { terminal: true, usage: { input: 9, cached: 4, output: 3 } },
    ],
    [
      "responses that failed",
      "openai-responses",
      sse({ type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "m" } } }),
      { terminal: true, errorCode: "rate_limit_exceeded" },
    ],
    [
      "responses incomplete",
      "openai-responses",
      sse({ type: "response.incomplete", response: {} }),
      { terminal: true },
    ],
    ["responses in progress", "openai-responses", sse({ type: "response.in_progress" }), { terminal: false }],
    [
      "claude",
      "anthropic",
      sse(
        {
          type: "message_start",
          message: {
            usage: {
              input_tokens: 10,
              cache_read_input_tokens: 70,
              cache_creation_input_tokens: 20,
              output_tokens: 1,
            },
          },
        },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 15 } },
        { type: "message_stop" },
      ),
      { terminal: true, usage: { input: 100, cached: 70, output: 15 } },
    ],
    [
      "claude before its stop",
      "anthropic",
      sse({ type: "message_delta", usage: { output_tokens: 15 } }),
      { terminal: false, usage: { output: 15 } },
    ],
    [
      "claude with an error",
      "anthropic",
      sse({ type: "error", error: { type: "overloaded_error", message: "m" } }),
      { terminal: true, errorCode: "overloaded_error" },
    ],
    [
      "gemini",
      "gemini",
      sse(
        { candidates: [{ content: {} }] },
        {
          candidates: [{ finishReason: "STOP" }],
          usageMetadata: {
            promptTokenCount: 50,
            cachedContentTokenCount: 30,
            candidatesTokenCount: 4,
            thoughtsTokenCount: 6,
          },
        },
      ),
      { terminal: true, usage: { input: 50, cached: 30, output: 10 } },
    ],
    ["gemini with a blocked prompt", "gemini", sse({ promptFeedback: { blockReason: "SAFETY" } }), { terminal: true }],
    [
      "wrong shapes",
      "gemini",
      sse("[1]", "nonsense", { candidates: 7, usageMetadata: [], error: "x" }),
      { terminal: false },
    ],
  ])("%s", async (_name, wire, body, expected) => {
    expect(await observe(wire, body)).toEqual({ records: [], ...expected });
  });

  it("records are kept on demand", async () => {
    const events = [{ type: "message_start" }, { type: "message_stop" }];
    expect((await observe("anthropic", sse(...events), undefined, true)).records).toEqual(events);
  });

  it("an unknown encoding cannot be judged", async () => {
    const headers = ["content-type", "text/event-stream", "Content-Encoding", "snappy"];
    const observer = new Observer({ wire: "anthropic", status: 200, headers, collect: true });
    observer.write(Buffer.from("x"));
    await observer.end();
    expect(await observer.seen()).toEqual({ terminal: undefined, records: [] });
  });
});

describe("whole bodies", () => {
  it.each<[WireName, object, Observation["usage"]]>([
    ["openai-responses", { object: "response", usage: { input_tokens: 3, output_tokens: 1 } }, { input: 3, output: 1 }],
    ["anthropic", { type: "message", usage: { input_tokens: 3, output_tokens: 1 } }, { input: 3, output: 1 }],
    ["gemini", [{ candidates: [] }, { usageMetadata: { promptTokenCount: 8 } }], { input: 8 }],
  ])("%s", async (wire, body, usage) => {
    const seen = await observe(wire, JSON.stringify(body), "application/json; charset=utf-8", true);
    expect(seen).toMatchObject({ terminal: undefined, usage });
    expect(seen.records).toEqual([body].flat());
  });

  it("what is neither events nor JSON is not read", async () => {
    expect(await observe("openai-chat", '{"usage":{"prompt_tokens":1}}', "audio/mpeg")).toEqual({
      terminal: undefined,
      records: [],
    });
  });
});

describe("splitting events", () => {
  const line = fc.stringMatching(/^[a-zé :{}"]{0,12}$/);
  it("gives the same events in whatever pieces the text comes, with any line end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(7), { minLength: 1 }),
        (events, eol, sizes) => {
          const text = events
            .map((lines) => `: note${eol}${lines.map((one) => `data: ${one}${eol}`).join("")}${eol}`)
            .join("");
          const got: string[] = [];
          const reader = new EventReader((data) => got.push(data));
          for (let at = 0, n = 0; at < text.length; n++) {
            const size = (sizes[n % sizes.length] ?? 0) + 1;
            reader.write(text.slice(at, at + size));
            at += size;
          }
          reader.end();
          expect(got).toEqual(events.map((lines) => lines.join("\n")));
        },
      ),
    );
  });

  it("leaves out an event that is too large, and goes on with the next", () => {
    const got: string[] = [];
    const reader = new EventReader((data) => got.push(data), 50);
    for (const piece of [
      "data: a\n\n",
      "data: ",
      "b".repeat(30),
      "b".repeat(30),
      "\ndata: b\n",
      "\n",
      "event: n\ndata:c",
    ]) {
      reader.write(piece);
    }
    reader.end();
    expect([got, reader.skipped]).toEqual([["a", "c"], true]);
  });
});
