// Prompts of an editor: what goes in, what is told while it is answered, and why it ends.
import { describe, expect, it } from "vitest";
import { bash, messagesOf, textOf as messageText, oneCall, scene, writeIn } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { choose, openEditor, textOf } from "./editor.ts";

describe("a prompt from an editor", () => {
  it("Y1 Y3 is answered in pieces and ends with end_turn", async () => {
    const { place, server } = await scene([text("Hello from the agent.", { reasoning: "let me think", chunk: 4 })]);
    const editor = await openEditor(place);
    expect(editor.initialised).toMatchObject({
      protocolVersion: 1,
      authMethods: [],
      agentCapabilities: { loadSession: true, promptCapabilities: { image: true, embeddedContext: true } },
    });
    const id = await editor.session();
    expect(await editor.say(id, "hi")).toBe("end_turn");
    expect(textOf(editor.updates)).toBe("Hello from the agent.");
    expect(messageText(messagesOf(server.requests[0]).at(-1))).toContain("hi");
    expect(await editor.leave()).toBe(0);
  });

  it("Y3 Y4 a tool call is announced, asked for, run and told with its result", async () => {
    const { place } = await scene([oneCall("bash", bash("touch made").args!, "c1"), text("done")]);
    const editor = await openEditor(place, { permission: () => choose("once") });
    const id = await editor.session();
    expect(await editor.say(id, "make it")).toBe("end_turn");
    const calls = editor.updates.flatMap(({ update }) =>
      update.sessionUpdate.startsWith("tool_call") ? [update] : [],
    );
    expect(calls).toMatchObject([
      {
        sessionUpdate: "tool_call",
        kind: "execute",
        status: "pending",
        title: "bash touch made",
        rawInput: { command: "touch made" },
      },
      { sessionUpdate: "tool_call_update", status: "in_progress" },
      {
        sessionUpdate: "tool_call_update",
        status: "completed",
        rawOutput: { content: expect.stringContaining("exit code 0") },
      },
    ]);
    expect(editor.asked).toMatchObject([
      {
        sessionId: id,
        toolCall: { kind: "execute", status: "pending" },
        options: [{ optionId: "once" }, { optionId: "session" }, { optionId: "reject" }],
      },
    ]);
    writeIn(place, "x", "");
  });
});
