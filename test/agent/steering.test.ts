// Messages sent while the agent works: admitted at once, entering at the next step or after the turn, kept over a kill.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Opened, openClient } from "../../src/runtime/client.ts";
import { calls, text } from "../model-server/reply.ts";
import { setEnvironment } from "../tool/environment.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { bash, messagesOf, onlySession, scene, until, userTexts } from "./scene.ts";
import { openTerminal } from "./terminal.ts";

/** A command that runs until the test lets it end. */
const waiting = "touch begun; while [ ! -e go-on ]; do sleep 0.05; done; echo ended";
const begun = (place: Place) => until("the command", () => existsSync(join(place.folder, "begun")));
const letGo = (place: Place) => writeFileSync(join(place.folder, "go-on"), "");
const queued = (place: Place, n: number) => until("the queue", () => only(logOf(place), "message.queued").length >= n);

describe("A5.2 a message typed while the agent works", () => {
  it("A5.2 AE16 arrives at the next step, after the results, first in first out", async () => {
    const { server, place } = await scene([calls([bash(waiting)]), text("both seen"), text("and more")]);
    const terminal = openTerminal(place, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("work");
    await begun(place);
    terminal.type("use tabs");
    await queued(place, 1);
    terminal.type("and no semicolons");
    await queued(place, 2);
    letGo(place);
    await terminal.see("both seen");
    const roles = messagesOf(server.requests[1]).slice(-3);
    expect(roles.map((m) => m.role)).toEqual(["tool", "user", "user"]);
    expect(userTexts(server.requests[1]).slice(-2)).toEqual(["use tabs", "and no semicolons"]);
    // A4.1 the request that first carries the person's words counts as theirs.
    expect(server.requests[1]?.headers["x-initiator"]).toBe("user");
    terminal.type("/exit");
    await terminal.exit;

    const log = logOf(place);
    const types = log.map((e) => e.type);
    expect(only(log, "message.queued").map((e) => e.data.delivery)).toEqual(["steer", "steer"]);
    // Admitted before it enters, under one id.
    for (const q of only(log, "message.queued")) {
      const entered = only(log, "user.message").filter((m) => m.data.messageId === q.data.messageId);
      expect(entered).toHaveLength(1);
      expect(log.indexOf(q)).toBeLessThan(log.indexOf(entered[0]!));
    }
    expect(types.filter((t) => t === "turn.start")).toHaveLength(1);
  });

  it("A5.2 a steer that comes with the last answer gets a step of its own", async () => {
    const hold = Promise.withResolvers<void>();
    const { server, place } = await scene([text("first answer", { hold: hold.promise }), text("second answer")]);
    const terminal = openTerminal(place);
    await terminal.see("Type a message");
    terminal.type("work");
    await server.waitFor(1);
    terminal.type("wait, also this");
    await queued(place, 1);
    hold.resolve();
    await terminal.see("second answer");
    expect(userTexts(server.requests[1]).at(-1)).toBe("wait, also this");
    terminal.type("/exit");
    await terminal.exit;
  });

  it("A5.9 an interrupt hands queued messages back", async () => {
    const { place } = await scene([calls([bash(waiting)])]);
    const terminal = openTerminal(place, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("work");
    await begun(place);
    terminal.type("never mind");
    await queued(place, 1);
    terminal.press("ctrl+c");
    await terminal.see('Not sent: "never mind"');
    await until("the withdrawal", () => only(logOf(place), "message.dequeued").length === 1);
    terminal.type("/exit");
    await terminal.exit;
    expect(only(logOf(place), "user.message").map((m) => m.data.content)).toEqual(["work"]);
  });

  it("AE16 A8.9 a steer admitted before a kill is delivered after the resume, ahead of the new message", async () => {
    const { server, place } = await scene([calls([bash(waiting)]), text("caught up"), text("all seen")]);
    const terminal = openTerminal(place, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("work");
    await begun(place);
    terminal.type("the steer");
    await queued(place, 1);
    process.kill(terminal.pid, "SIGKILL");
    await terminal.exit;
    const done = await run(place, ["--resume", onlySession(place), "-p", "the new one"]);
    expect(done.code, done.stderr).toBe(0);
    const last = userTexts(server.requests.at(-1));
    expect(last).toContain("the steer");
    expect(last.indexOf("the steer")).toBeLessThan(last.indexOf("the new one"));
    expect(last.filter((t) => t === "the steer")).toHaveLength(1);
  });

  it("AE16 A5.2 a queued message waits for the end of the turn, a steer sent after it does not", async () => {
    const { server, place } = await scene([calls([bash(waiting)]), text("turn one"), text("turn two")]);
    const { client } = await openHere(place);
    await client.send("work");
    await begun(place);
    await client.send("for later", { delivery: "queue" });
    await client.send("for now");
    expect(client.view().queue).toEqual(["for later", "for now"]);
    letGo(place);
    await client.untilIdle();
    await client.close({ type: "routine" });
    expect(userTexts(server.requests[1])).toEqual(["work", "for now"]);
    expect(userTexts(server.requests[2])).toEqual(["work", "for now", "for later"]);
    const log = logOf(place);
    expect(only(log, "turn.start")).toHaveLength(2);
    expect(only(log, "user.message").map((m) => m.data.ref)).toEqual(["t1", "t2", "t3"]);
  });

  it("AE16 A8.9 a queued message survives the death of the process between its admission and its turn", async () => {
    const { server, place } = await scene([text("hello"), text("caught up"), text("all seen")]);
    await run(place, ["-p", "begin"]);
    const id = onlySession(place);
    const log = logOf(place, id);
    const queued = {
      id: "0196c000-0000-7000-8000-000000000001",
      type: "message.queued",
      timestamp: new Date().toISOString(),
      parentId: log.at(-1)?.id,
      data: { messageId: "0196c000-0000-7000-8000-000000000002", content: "left behind", delivery: "queue" },
    };
    appendFileSync(join(place.home, "sessions", id, "events.jsonl"), `${JSON.stringify(queued)}\n`);
    const done = await run(place, ["--resume", id, "-p", "the new one"]);
    expect(done.code, done.stderr).toBe(0);
    expect(userTexts(server.requests.at(-1)).slice(-2)).toEqual(["left behind", "the new one"]);
  });
});

/** The runtime in this process: the terminal of line mode has no key for "after this turn" yet. */
async function openHere(place: Place): Promise<Opened> {
  setEnvironment({ ...place.env, EVERLONG_HOME: place.home }, place.folder);
  const opened = await openClient({
    flags: { "permissions.allowAll": true },
    session: { type: "new" },
    prompts: {},
    trustFolder: false,
    mode: "interactive",
    interactive: false,
  });
  if (!opened.ok) throw new Error(opened.error.what);
  opened.value.client.on(() => undefined);
  return opened.value;
}
