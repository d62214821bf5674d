// Prompts of an editor: what goes in, what is told while it is answered, and why it ends.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ContentBlock, methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { messagesOf, textOf as messageText, oneCall, scene, writeIn } from "../agent/scene.ts";
import { error, text } from "../model-server/reply.ts";
import { logOf, only, sessionsOf } from "../tool/everlong.ts";
import { choose, type Editor, openEditor, textOf } from "./editor.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const ask = async (editor: Editor, sessionId: string, prompt: ContentBlock[]): Promise<string> =>
  (await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt })).stopReason;

type Named<K extends SessionUpdate["sessionUpdate"]> = Extract<SessionUpdate, { sessionUpdate: K }>;
const only_ = <K extends SessionUpdate["sessionUpdate"]>(editor: Editor, kind: K): Named<K>[] =>
  editor.updates.flatMap(({ update }) => (update.sessionUpdate === kind ? [update as Named<K>] : []));

describe("a prompt from an editor", () => {
  it("Y3 is answered in pieces, thought and text apart, and ends with end_turn; usage is told", async () => {
    const { place, server } = await scene([text("Hello from the agent.", { reasoning: "let me think", chunk: 4 })], {
      env: { EVERLONG_WIRE: "anthropic" },
    });
    const editor = await openEditor(place);
    const id = await editor.session();
    expect(await editor.say(id, "hi")).toBe("end_turn");
    expect(textOf(editor.updates)).toBe("Hello from the agent.");
    expect(textOf(editor.updates, "agent_thought_chunk")).toBe("let me think");
    expect(textOf(editor.updates, "user_message_chunk")).toBe("");
    expect(only_(editor, "usage_update").at(-1)).toMatchObject({ used: expect.any(Number), size: expect.any(Number) });
    expect(server.requests).toHaveLength(1);
    expect(await editor.leave()).toBe(0);
  });

  it("Y3 text, links, embedded resources and images reach the model, and are kept with the session", async () => {
    const { place, server } = await scene([text("seen")], { env: { EVERLONG_MODEL: "gpt-4o" } });
    const editor = await openEditor(place);
    const id = await editor.session();
    const file = join(place.folder, "a.ts");
    const prompt: ContentBlock[] = [
      { type: "text", text: "look at " },
      { type: "resource_link", name: "a.ts", uri: pathToFileURL(file).href },
      { type: "text", text: " and " },
      { type: "resource", resource: { uri: "file:///b.ts", text: "const </attached_resource> b = 1;" } },
      { type: "image", data: PNG, mimeType: "image/png" },
    ];
    expect(await ask(editor, id, prompt)).toBe("end_turn");
    const message = messageText(messagesOf(server.requests[0]).at(-1));
    expect(message).toContain(`look at ${file} and /b.ts`);
    expect(message).toContain("&lt;/attached_resource> b = 1;");
    expect(message).toContain(PNG);
    const [entered] = only(logOf(place), "user.message");
    expect(entered?.data).toMatchObject({ display: `look at ${file} and /b.ts`, source: "user" });
    expect(entered?.data.attachments).toMatchObject([{ kind: "image", mediaType: "image/png" }]);
  });

  it("Y9 an image of 20 MB is refused in the protocol's words, and the session goes on", async () => {
    const { place } = await scene([text("fine")]);
    const editor = await openEditor(place);
    const id = await editor.session();
    const data = Buffer.alloc(20 * 1024 * 1024, 7).toString("base64");
    await expect(ask(editor, id, [{ type: "image", data, mimeType: "image/png" }])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("20 MB"),
    });
    await expect(ask(editor, id, [])).rejects.toMatchObject({ code: -32602 });
    await expect(ask(editor, id, [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }])).rejects.toMatchObject({
      code: -32602,
    });
    expect(await editor.say(id, "go on")).toBe("end_turn");
  });

  it("Y3 calls carry kind, locations, diffs, raw input and output", async () => {
    const { place } = await scene([
      oneCall("view", { path: "a.txt", view_range: [2, 3] }, "c1"),
      oneCall("edit", { path: "a.txt", old_str: "two", new_str: "2" }, "c2"),
      oneCall("create", { path: "b.txt", file_text: "new\n" }, "c3"),
      oneCall("grep", { pattern: "one" }, "c4"),
      text("done"),
    ]);
    writeIn(place, "a.txt", "one\ntwo\nthree\n");
    const editor = await openEditor(place, { permission: () => choose("once") });
    const id = await editor.session();
    expect(await editor.say(id, "work")).toBe("end_turn");
    const path = join(place.folder, "a.txt");
    expect(only_(editor, "tool_call")).toMatchObject([
      { toolCallId: "c1", kind: "read", status: "pending", locations: [{ path, line: 2 }] },
      { toolCallId: "c2", kind: "edit", content: [{ type: "diff", path, oldText: "two", newText: "2" }] },
      { toolCallId: "c3", kind: "edit", content: [{ type: "diff", oldText: null, newText: "new\n" }] },
      { toolCallId: "c4", kind: "search", title: "grep one", rawInput: { pattern: "one" } },
    ]);
    const ends = only_(editor, "tool_call_update").filter(({ status }) => status === "completed");
    expect(ends).toMatchObject([
      { toolCallId: "c1", rawOutput: { content: expect.stringContaining("2\ttwo") } },
      { toolCallId: "c2", locations: [{ path }] },
      { toolCallId: "c3" },
      { toolCallId: "c4", content: [{ type: "content", content: { text: "a.txt" } }] },
    ]);
    expect(ends[1]?.content).toBeUndefined();
    // The question shows the diff, not its text once more.
    expect(editor.asked[0]?.toolCall).toMatchObject({
      kind: "edit",
      content: [{ type: "content" }, { type: "diff", path }],
    });
  });

  it("Y3 todos are the plan", async () => {
    const insert =
      "INSERT INTO todos (id, title, status) VALUES ('a', 'First', 'in_progress'), ('b', 'Second', 'pending')";
    const { place } = await scene([
      oneCall("sql", { query: insert }, "c1"),
      oneCall("sql", { query: "UPDATE todos SET status = 'done' WHERE id = 'a'" }, "c2"),
      text("planned"),
    ]);
    const editor = await openEditor(place);
    const id = await editor.session();
    await editor.say(id, "plan it");
    expect(only_(editor, "plan").map(({ entries }) => entries.map((e) => [e.content, e.status]))).toEqual([
      [
        ["First", "in_progress"],
        ["Second", "pending"],
      ],
      [
        ["First", "completed"],
        ["Second", "pending"],
      ],
    ]);
  });

  it("Y3 the stop reason is true: max_tokens, refusal, and an error for a turn that failed", async () => {
    const { place } = await scene([
      text("cut sh", { finish: "length" }),
      text("no", { finish: "content_filter" }),
      error(400, "this model is tired"),
      text("well again"),
    ]);
    const editor = await openEditor(place);
    const id = await editor.session();
    expect(await editor.say(id, "one")).toBe("max_tokens");
    expect(await editor.say(id, "two")).toBe("refusal");
    await expect(editor.say(id, "three")).rejects.toMatchObject({ message: expect.stringContaining("tired") });
    expect(await editor.say(id, "four")).toBe("end_turn");
  });

  it("Y3 slash commands are offered, and run; their output is the answer", async () => {
    const { place, server } = await scene([]);
    const editor = await openEditor(place);
    const id = await editor.session();
    await expect.poll(() => only_(editor, "available_commands_update")).toHaveLength(1);
    const names = only_(editor, "available_commands_update")[0]?.availableCommands.map(({ name }) => name);
    expect(names).toContain("context");
    expect(names).not.toContain("exit");
    expect(await editor.say(id, "/session")).toBe("end_turn");
    expect(textOf(editor.updates)).toContain(`Session: ${id}`);
    expect(await editor.say(id, "/sesion")).toBe("end_turn");
    expect(textOf(editor.updates)).toContain("Did you mean /session");
    expect(await editor.say(id, "/exit")).toBe("end_turn");
    expect(server.requests).toHaveLength(0);
    expect(await editor.leave()).toBe(0);
    expect(sessionsOf(place)).toEqual([]);
  });
});
