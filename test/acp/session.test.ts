// Sessions of an editor: new, loaded with all that was said, listed; each in its own folder with its own servers.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { bash, messagesOf, offeredTools, oneCall, onlySession, scene, systemOf, writeIn } from "../agent/scene.ts";
import { program } from "../mcp-server/program.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, run } from "../tool/everlong.ts";
import { choose, type Editor, openEditor, textOf } from "./editor.ts";

const load = (editor: Editor, sessionId: string, cwd: string) =>
  editor.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });

/** What a client shows at the end: chunks of a message put together, calls as they became. */
function shown(updates: readonly { update: SessionUpdate }[]): unknown[] {
  const rows = new Map<string, Record<string, unknown>>();
  for (const { update } of updates) {
    if (update.sessionUpdate.endsWith("_chunk") && "messageId" in update && "content" in update) {
      const key = `${update.sessionUpdate} ${update.messageId}`;
      const row = rows.get(key) ?? { kind: update.sessionUpdate, text: "" };
      const content = update.content as { text?: string; uri?: string };
      rows.set(key, { ...row, text: `${row["text"]}${content.text ?? content.uri ?? ""}` });
    }
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const { sessionUpdate: _kind, ...fields } = update;
      rows.set(update.toolCallId, { ...rows.get(update.toolCallId), ...fields });
    }
  }
  return [...rows.values()];
}

describe("sessions of an editor", () => {
  it("Y2 a session begun in the terminal is loaded in order, and goes on", async () => {
    const { place, server } = await scene([
      calls([bash("echo first", {}, "c1")], { text: "I look." }),
      text("It says first."),
      text("Again."),
      text("In the editor."),
    ]);
    await run(place, ["-p", "what does it say?", "--allow-all"]);
    const id = onlySession(place);
    await run(place, ["--resume", id, "-p", "and again?"]);
    const editor = await openEditor(place);
    const loaded = await load(editor, id, place.folder);
    expect(loaded).toMatchObject({ modes: { currentModeId: "interactive" } });
    // All of it was there before the answer.
    expect(shown(editor.updates)).toMatchObject([
      { kind: "user_message_chunk", text: "what does it say?" },
      { kind: "agent_message_chunk", text: "I look." },
      { toolCallId: "c1", kind: "execute", status: "completed", rawInput: { command: "echo first" } },
      { kind: "agent_message_chunk", text: "It says first." },
      { kind: "user_message_chunk", text: "and again?" },
      { kind: "agent_message_chunk", text: "Again." },
    ]);
    expect(await editor.say(id, "and here?")).toBe("end_turn");
    expect(messagesOf(server.requests[3]).filter(({ role }) => role === "user")).toHaveLength(3);
    expect(await editor.leave()).toBe(0);
    expect(logOf(place, id).map(({ type }) => type)).toContain("session.shutdown");
  });

  it("Y2 what a client shows is the same live and loaded", async () => {
    const { place } = await scene(
      [
        calls([{ name: "view", args: { path: "a.txt" }, id: "c1" }, bash("touch x", {}, "c2")], {
          text: "Looking",
          reasoning: "hm",
          chunk: 3,
        }),
        oneCall("edit", { path: "a.txt", old_str: "one", new_str: "1" }, "c3"),
        text("All is done, at last.", { chunk: 2 }),
      ],
      { env: { EVERLONG_WIRE: "anthropic" } },
    );
    writeIn(place, "a.txt", "one\n");
    const editor = await openEditor(place, {
      permission: ({ toolCall }) => choose(toolCall.toolCallId === "c2" ? "reject" : "once"),
    });
    const id = await editor.session();
    await editor.say(id, "go");
    const live = shown(editor.updates);
    await editor.leave();
    const later = await openEditor(place);
    await load(later, id, place.folder);
    expect(shown(later.updates).slice(1)).toEqual(live);
    expect(live).toMatchObject([
      { kind: "agent_thought_chunk", text: "hm" },
      { kind: "agent_message_chunk", text: "Looking" },
      { toolCallId: "c1", status: "completed" },
      { toolCallId: "c2", status: "failed" },
      { toolCallId: "c3", status: "completed", content: [{ type: "diff" }] },
      { text: "All is done, at last." },
    ]);
  });

  it("Y2 sessions are listed by folder, newest first; one that is not there is the protocol's error", async () => {
    const { place } = await scene((_request, index) => text(`answer ${index}`));
    const other = realpathSync(mkdtempSync(join(tmpdir(), "everlong-other-")));
    const editor = await openEditor(place);
    const here = await editor.session();
    await editor.say(here, "first here");
    const there = await editor.session({ cwd: other });
    await editor.say(there, "then there");
    await editor.agent.request(methods.agent.session.close, { sessionId: here });
    await editor.agent.request(methods.agent.session.close, { sessionId: there });
    const list = async (cwd?: string) =>
      (await editor.agent.request(methods.agent.session.list, cwd === undefined ? {} : { cwd })).sessions;
    expect((await list()).map(({ sessionId }) => sessionId)).toEqual([there, here]);
    expect(await list(other)).toMatchObject([{ sessionId: there, cwd: other, title: "then there" }]);
    expect((await list(place.folder)).map(({ sessionId }) => sessionId)).toEqual([here]);
    await expect(load(editor, "01ARZ3NDEKTSV4RRFFQ69G5FAV", place.folder)).rejects.toMatchObject({ code: -32002 });
    await expect(editor.session({ cwd: "relative" })).rejects.toMatchObject({ code: -32602 });
    await expect(editor.session({ cwd: "/no/such/folder" })).rejects.toMatchObject({ code: -32602 });
  });

  it("Y2 two sessions at once work in their own folders; additional folders can be read without asking", async () => {
    const other = realpathSync(mkdtempSync(join(tmpdir(), "everlong-two-")));
    const more = realpathSync(mkdtempSync(join(tmpdir(), "everlong-more-")));
    writeFileSync(join(more, "far.txt"), "far away\n");
    const { place, server } = await scene((request) => {
      const said = JSON.stringify(messagesOf(request));
      if (said.includes('"role":"tool"')) return text("ok");
      return oneCall("bash", { command: said.includes("go there") ? "pwd" : `cat ${join(more, "far.txt")}` });
    });
    const editor = await openEditor(place);
    const [one, two] = [await editor.session({ additionalDirectories: [more] }), await editor.session({ cwd: other })];
    await Promise.all([editor.say(one, "read far"), editor.say(two, "go there")]);
    expect(editor.asked).toEqual([]);
    const results = server.requests.map((r) => JSON.stringify(messagesOf(r))).join("\n");
    expect(results).toContain("far away");
    expect(results).toContain(`${other}\\\\n`.replace("\\\\n", "\\n"));
    expect(server.requests.map(systemOf).some((system) => system.includes(other))).toBe(true);
  });

  it("Y2 MCP servers of the client are used for that session alone", async () => {
    const { place, server } = await scene([text("ok"), text("ok")]);
    const { command, args } = program("plain", "{}");
    const editor = await openEditor(place);
    const mcpServers = [{ name: "mine", command, args, env: [{ name: "A", value: "b" }] }];
    await editor.say(await editor.session({ mcpServers }), "hi");
    expect(offeredTools(server.requests[0])).toContain("mine-echo");
    await editor.say(await editor.session(), "hi");
    expect(offeredTools(server.requests[1])).not.toContain("mine-echo");
  });

  it("Y2 a session that is open in a terminal is not taken from it", async () => {
    const { place } = await scene([text("one"), text("two")]);
    mkdirSync(join(place.folder, "sub"));
    const first = await openEditor(place);
    const id = await first.session();
    await first.say(id, "mine");
    const second = await openEditor(place);
    await expect(load(second, id, place.folder)).rejects.toMatchObject({
      message: expect.stringContaining("open in another process"),
    });
    // The one who has it may load it again, as after a reload of its window.
    await load(first, id, place.folder);
    expect(textOf(first.updates, "user_message_chunk")).toBe("mine");
    expect(await first.say(id, "still mine")).toBe("end_turn");
  });
});
