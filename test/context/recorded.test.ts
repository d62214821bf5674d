// N37 N38: what a compaction records and carries, what is asked of a provider, and what /context counts under which name.

import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { describe, expect, it } from "vitest";
import { messagesOf, scene, textOf } from "../agent/scene.ts";
import { server as mcpServer, name } from "../mcp/stage.ts";
import { raw, text } from "../model-server/reply.ts";
import { definition, put } from "../orchestration/definitions.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { prose, SUMMARY, stage } from "./stage.ts";

describe("N37 what a compaction records", () => {
  it("N37 C91 C95 C71 C133 the active agent is in the message; request id and absolute path are in the event", async () => {
    const { place, mains } = await stage(() => text("answer"), {
      summary: () => text(SUMMARY, { headers: { "x-request-id": "req-77" } }),
    });
    put(place.home, "agents/clerk.md", definition({ description: "files papers" }, "You are the clerk. File by date."));
    const first = await run(place, ["-p", "hello", "--agent", "clerk"]);
    expect(first.code, first.stderr).toBe(0);
    const [id = ""] = sessionsOf(place);
    const compacted = await run(place, ["--resume", id, "-p", "/compact"]);
    expect(compacted.code, compacted.stderr).toBe(0);
    await run(place, ["--resume", id, "-p", "go on"]);
    const message = textOf(messagesOf(mains().at(-1))[1]);
    expect(message).toMatch(
      /<active_agent>\nYou are clerk: files papers\nYou are the clerk\. File by date\.\n<\/active_agent>/,
    );
    const [done] = only(logOf(place, id), "session.compaction_complete").map((e) => e.data);
    expect(done?.requestId).toBe("req-77");
    const path = done?.checkpointPath ?? "";
    expect([isAbsolute(path), path.startsWith(place.home)]).toEqual([true, true]);
    expect(readFileSync(path, "utf8")).toContain("## Overview");
  });

  it("N37 C141 C142 a remote agent that compacted its thread is recorded, and its answer still counts", async () => {
    const created = {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "scripted",
      status: "in_progress",
      output: [],
    };
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [] };
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const events = [
      { type: "response.created", response: created },
      { type: "agent.thread_context_compacted", thread_id: "th_1", removed_items: 12 },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "the answer" },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...created, status: "completed", usage } },
    ];
    const body = events.map((e) => `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`).join("");
    const { place } = await scene([raw(200, { "content-type": "text/event-stream", "x-request-id": "req-9" }, body)], {
      strict: false,
      env: { EVERLONG_WIRE: "openai-responses" },
    });
    const done = await run(place, ["-p", "go"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "the answer\n"]);
    expect(only(logOf(place), "session.provider_compaction").map((e) => e.data)).toMatchObject([
      { kind: "agent.thread_context_compacted", opaque: { thread_id: "th_1" }, requestId: "req-9" },
    ]);
  });

  it("N37 C144 a provider is asked to compact only when the setting says so", async () => {
    const ask = async (wire: string, setting: string): Promise<Record<string, unknown>> => {
      const env = { EVERLONG_WIRE: wire, EVERLONG_PROVIDER_COMPACTION: setting };
      const { place, server } = await scene([text("answer")], { strict: false, env });
      expect((await run(place, ["-p", "go"])).code).toBe(0);
      return server.requests[0]?.body as Record<string, unknown>;
    };
    expect((await ask("anthropic", "on"))["context_management"]).toMatchObject({
      edits: [{ type: "compact_20260112" }],
    });
    expect((await ask("openai-responses", "on"))["context_management"]).toMatchObject([{ type: "compaction" }]);
    expect(await ask("anthropic", "off")).not.toHaveProperty("context_management");
  });
});

describe("N38 /context", () => {
  it("N38 C9 C22 memory, its tools, the inbox and MCP servers are counted under their own names", async () => {
    const { place } = await stage(() => text("answer"), { limit: 60_000, env: { EVERLONG_TOOL_EXCLUDE: "" } });
    name(place, { library: mcpServer("plain") });
    const fact = [
      "--subject",
      "build",
      "--fact",
      "The release train leaves on Thursday",
      "--reason",
      "it was said",
      "--cite",
      "a.ts",
    ];
    const stored = await run(place, ["memory", "add", "--scope", "user", ...fact]);
    expect(stored.code, stored.stderr).toBe(0);
    const told = await run(place, ["-p", prose(50, "hello"), "--trust-folder", "--output-format", "stream-json"]);
    expect(told.code, told.stderr).toBe(0);
    const usage = only(told.events, "session.usage_info").at(-1)?.data;
    expect(usage?.memoryTokens).toBeGreaterThan(20);
    const [id = ""] = sessionsOf(place);
    const { stdout } = await run(place, ["--resume", id, "-p", "/context", "--trust-folder"]);
    expect(stdout).toMatch(/^M memory +[1-9]\d*/m);
    expect(stdout).toMatch(/^ {4}memories +[1-9]\d*/m);
    for (const source of ["built in", "memory", "MCP server library"])
      expect(stdout, stdout).toMatch(new RegExp(`^ {4}${source} +[1-9]`, "m"));
  });
});
