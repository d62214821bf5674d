// Modes and models as an editor chooses them, and a folder that nobody trusts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { bash, messagesOf, textOf as messageText, oneCall, scene, writeIn } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { choose, openEditor, textOf } from "./editor.ts";

describe("modes and models", () => {
  it("Y8 the three modes can be chosen, by either way, and their changes are told", async () => {
    const { place } = await scene([]);
    const editor = await openEditor(place);
    const made = await editor.agent.request(methods.agent.session.new, { cwd: place.folder, mcpServers: [] });
    const { sessionId } = made;
    expect(made.modes?.availableModes.map(({ id }) => id)).toEqual(["interactive", "plan", "autopilot"]);
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    const told = () =>
      editor.updates.flatMap(({ update }) =>
        update.sessionUpdate === "current_mode_update" ? [update.currentModeId] : [],
      );
    await expect.poll(told).toEqual(["plan"]);
    const set = (value: string) =>
      editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: "mode", value });
    expect((await set("autopilot")).configOptions[0]).toMatchObject({ id: "mode", currentValue: "autopilot" });
    await expect.poll(told).toEqual(["plan", "autopilot"]);
    for (const modeId of ["research", "fast", ""])
      await expect(editor.agent.request(methods.agent.session.setMode, { sessionId, modeId })).rejects.toMatchObject({
        code: -32602,
      });
  });

  it("Y8 models are those that /model lists; one that is not there is refused", async () => {
    const { place, server } = await scene([text("from the other")]);
    const editor = await openEditor(place);
    const made = await editor.agent.request(methods.agent.session.new, { cwd: place.folder, mcpServers: [] });
    const { sessionId } = made;
    const model = made.configOptions?.find(({ id }) => id === "model");
    expect(model).toMatchObject({ category: "model", type: "select" });
    const values =
      model?.type === "select" ? model.options.map((option) => ("value" in option ? option.value : "")) : [];
    await editor.say(sessionId, "/model");
    for (const value of values) expect(textOf(editor.updates)).toContain(value);
    const set = (value: string) =>
      editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: "model", value });
    expect((await set("offline")).configOptions[1]).toMatchObject({ currentValue: "offline" });
    await expect(set("no such model")).rejects.toMatchObject({ message: expect.stringContaining("no such model") });
    expect(server.requests).toHaveLength(0);
  });

  it("Y8 a plan is shown and accepted; the mode follows", async () => {
    const { place } = await scene([oneCall("exit_plan_mode", { summary: "Write it, test it." }), text("off I go")]);
    const editor = await openEditor(place, { permission: () => choose("interactive") });
    const sessionId = await editor.session();
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    expect(await editor.say(sessionId, "plan it")).toBe("end_turn");
    expect(editor.asked[0]?.toolCall).toMatchObject({
      kind: "switch_mode",
      content: [{ content: { text: "Write it, test it." } }],
    });
    expect(editor.asked[0]?.options.map(({ optionId }) => optionId)).toEqual([
      "interactive",
      "autopilot",
      "autopilot_fleet",
      "exit_only",
      "reject",
    ]);
    const modes = editor.updates.flatMap(({ update }) => ("currentModeId" in update ? [update.currentModeId] : []));
    expect(modes).toEqual(["plan", "interactive"]);
  });

  it("Y8 a folder that is not trusted loads nothing of its own, and says so once", async () => {
    const { place, server } = await scene((_request, index) =>
      index === 0 ? calls([bash("touch mark")]) : text("ok"),
    );
    mkdirSync(join(place.folder, ".everlong"));
    writeIn(place, ".everlong/settings.json", JSON.stringify({ permissions: { allow: ["shell(touch:*)"] } }));
    const editor = await openEditor(place);
    const id = await editor.session();
    await editor.say(id, "one");
    await editor.say(id, "two");
    expect(editor.asked).toHaveLength(1);
    expect(textOf(editor.updates).match(/not trusted/g)).toHaveLength(1);
    expect(editor.stderr().match(/not trusted/g)).toHaveLength(1);
    expect(messagesOf(server.requests.at(-1)).map(messageText).join("\n")).not.toContain("This folder is not trusted");
    const notices = await openEditor(place, { capabilities: { session: { notices: {} } } });
    await notices.say(await notices.session(), "three");
    expect(textOf(notices.updates)).not.toContain("not trusted");
    expect(notices.updates.flatMap(({ update }) => ("severity" in update ? [update.title] : []))).toEqual([
      expect.stringContaining("not trusted"),
    ]);
  });
});
