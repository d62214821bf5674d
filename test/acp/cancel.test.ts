// Cancelling from an editor: the turn, its children, its open questions; and a prompt right after.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { bash, scene } from "../agent/scene.ts";
import { calls, hang, text } from "../model-server/reply.ts";
import { logOf, only } from "../tool/everlong.ts";
import { choose, type Editor, openEditor, textOf } from "./editor.ts";

const cancel = (editor: Editor, sessionId: string) => editor.agent.notify(methods.agent.session.cancel, { sessionId });

const isAlive = (pid: string): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid.trim()}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("cancel", () => {
  it("Y5 ends a turn with its children, and says cancelled; the next prompt is answered", async () => {
    const { place } = await scene([calls([bash("sleep 600 & echo $! > pid; wait", {}, "c1")]), text("here again")]);
    const editor = await openEditor(place, { permission: () => choose("once") });
    const id = await editor.session();
    const answer = editor.say(id, "wait long");
    const pidFile = join(place.folder, "pid");
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/\d+\n/);
    await cancel(editor, id);
    expect(await answer).toBe("cancelled");
    await expect.poll(() => isAlive(readFileSync(pidFile, "utf8"))).toBe(false);
    const ends = editor.updates.filter(({ update }) => "status" in update && update.status === "failed");
    expect(ends).toMatchObject([{ update: { toolCallId: "c1" } }]);
    expect(await editor.say(id, "and now?")).toBe("end_turn");
    expect(textOf(editor.updates)).toBe("here again");
    expect(only(logOf(place), "turn.end").map(({ data }) => data.status)).toEqual(["aborted", "done"]);
  });

  it("Y5 a model that does not answer, and a prompt that was sent at once after the cancel", async () => {
    const { place, server } = await scene([hang(), text("second")]);
    const editor = await openEditor(place);
    const id = await editor.session();
    const first = editor.say(id, "one");
    await expect.poll(() => server.requests).toHaveLength(1);
    await cancel(editor, id);
    const second = editor.say(id, "two");
    expect(await first).toBe("cancelled");
    expect(await second).toBe("end_turn");
  });

  it("Y5 a cancel that comes before the turn has begun is not lost", async () => {
    const { place } = await scene(() => hang());
    const editor = await openEditor(place);
    const id = await editor.session();
    const answer = editor.say(id, "one");
    await cancel(editor, id);
    expect(await answer).toBe("cancelled");
    // One for nothing, and one for a session that is not there, do no harm.
    await cancel(editor, id);
    await cancel(editor, "nobody");
    expect(await editor.leave()).toBe(0);
  });

  it("Y5 an open question is withdrawn", async () => {
    const { place } = await scene([calls([bash("touch never")]), text("unused")]);
    const withdrawn: string[] = [];
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const editor = await openEditor(place, {
      permission: async () => {
        ask();
        return new Promise(() => undefined);
      },
      more: (app) =>
        app.onNotification("*", ({ method }) => {
          withdrawn.push(method);
        }),
    });
    const id = await editor.session();
    const answer = editor.say(id, "touch it");
    await asked;
    await cancel(editor, id);
    expect(await answer).toBe("cancelled");
    await expect.poll(() => withdrawn).toContain("$/cancel_request");
    expect(existsSync(join(place.folder, "never"))).toBe(false);
  });

  it("Y9 two prompts at once: the second is the protocol's error, the first is answered", async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { place, server } = await scene([text("the first", { hold }), text("the third")]);
    const editor = await openEditor(place);
    const id = await editor.session();
    const first = editor.say(id, "one");
    await expect.poll(() => server.requests).toHaveLength(1);
    await expect(editor.say(id, "two")).rejects.toMatchObject({ code: -32600 });
    release();
    expect(await first).toBe("end_turn");
    expect(await editor.say(id, "three")).toBe("end_turn");
    expect(textOf(editor.updates)).toBe("the firstthe third");
  });
});
