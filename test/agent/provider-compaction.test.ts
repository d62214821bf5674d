// A provider that compacts by itself: recorded, sent back as it is, never prose, never our own compaction.
import { describe, expect, it } from "vitest";
import { raw, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { scene } from "./scene.ts";

const sse = (events: object[]): string =>
  events.map((e) => `event: ${(e as { type: string }).type}\ndata: ${JSON.stringify(e)}\n\n`).join("");

const usage = { input_tokens: 10, output_tokens: 5 };
const start = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
};

const compacted = sse([
  start,
  { type: "content_block_start", index: 0, content_block: { type: "compaction", content: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "compaction_delta", content: "OPAQUE-SUMMARY of before" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "the answer" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage,
    context_management: {
      applied_edits: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 3, cleared_input_tokens: 900 }],
    },
  },
  { type: "message_stop" },
]);

describe("C141 C142 C143 provider-side compaction", () => {
  it("is an event, goes back verbatim to the same provider, and is no prose", async () => {
    const { server, place } = await scene(
      [raw(200, { "content-type": "text/event-stream" }, compacted), text("second")],
      {
        strict: false,
        env: { EVERLONG_WIRE: "anthropic" },
      },
    );
    const first = await run(place, ["-p", "go"]);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toBe("the answer\n");
    const recorded = only(logOf(place), "session.provider_compaction").map((e) => e.data);
    expect(recorded).toMatchObject([
      { kind: "anthropic.compaction", opaque: "OPAQUE-SUMMARY of before" },
      { kind: "clear_tool_uses_20250919", tokensCleared: 900, itemsCleared: 3 },
    ]);
    expect(only(logOf(place), "assistant.message")[0]?.data.content).toBe("the answer");
    expect(only(logOf(place), "session.compaction_start")).toEqual([]);
    await run(place, ["--continue", "-p", "and now"]);
    const messages = (
      server.requests[1]!.body as { messages: { role: string; content: { type: string; content?: string }[] }[] }
    ).messages;
    const assistant = messages.find((m) => m.role === "assistant");
    expect(assistant?.content[0]).toMatchObject({ type: "compaction", content: "OPAQUE-SUMMARY of before" });
  });

  it("is left out for any other provider", async () => {
    const { server, place } = await scene(
      [raw(200, { "content-type": "text/event-stream" }, compacted), text("second")],
      {
        strict: false,
        env: { EVERLONG_WIRE: "anthropic" },
      },
    );
    await run(place, ["-p", "go"]);
    await run(place, ["--continue", "-p", "and now"], {
      env: { EVERLONG_WIRE: "openai-chat", EVERLONG_MODEL: "other" },
    });
    expect(server.requests[1]?.wire).toBe("openai-chat");
    expect(server.requests[1]?.rawBody).toContain("the answer");
    expect(server.requests[1]?.rawBody).not.toContain("OPAQUE-SUMMARY");
  });
});
