// Calls of one step: each gets one result, in call order, whatever becomes of it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { only, placeFor, run } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

describe("AE2 a step with a slow command, a view, an unknown tool and broken JSON", () => {
  it("gives four results in call order and goes on", async () => {
    server = await startModelServer();
    server.script(
      calls([
        { id: "c1", name: "bash", args: { command: "sleep 0.5; echo slow-done", description: "wait" } },
        { id: "c2", name: "view", args: { path: "note.txt" } },
        { id: "c3", name: "no_such_tool", args: {} },
        { id: "c4", name: "view", args: '{"path": "note' },
      ]),
      text("all done"),
    );
    const place = placeFor(server);
    writeFileSync(join(place.folder, "note.txt"), "the note\n");
    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    expect(done.stderr).not.toContain("    at ");
    expect(done.code, done.stderr).toBe(0);
    expect(server.rejected).toEqual([]);
    const body = server.requests[1]?.body as { messages: { role: string; tool_call_id?: string; content: string }[] };
    const results = body.messages.filter((m) => m.role === "tool");
    expect(results.map((r) => r.tool_call_id)).toEqual(["c1", "c2", "c3", "c4"]);
    expect(results[0]?.content).toContain("slow-done");
    expect(results[1]?.content).toContain("the note");
    expect(results[2]?.content).toContain("no_such_tool");
    expect(results[3]?.content).toContain("not a JSON object");
    const { events } = done;
    const started = only(events, "tool.execution_start").map((e) => e.data.toolCallId);
    const completed = only(events, "tool.execution_complete").map((e) => e.data.toolCallId);
    expect([...started].sort()).toEqual(["c1", "c2", "c3", "c4"]);
    expect([...completed].sort()).toEqual(["c1", "c2", "c3", "c4"]);
    expect(events[0]?.type).toBe("session.start");
    expect(events.at(-1)?.type).toBe("session.shutdown");
    expect(only(events, "session.error")).toEqual([]);
  });
});
