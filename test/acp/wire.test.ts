// The wire: nothing but protocol on stdout whatever comes in, versions, unknown things, a reader that stops, kills.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { bash, onlySession, scene } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only } from "../tool/everlong.ts";
import { choose, expectOnlyProtocol, openEditor, startAcp, textOf } from "./editor.ts";

type Raw = { id?: number | null; method?: string; result?: Record<string, unknown>; error?: { code: number } };

/** The protocol by hand. */
function byHand(child: ReturnType<typeof startAcp>) {
  let out = "";
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes;
  });
  const messages = (): Raw[] =>
    out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    write: (line: string | Buffer) => void child.stdin.write(line),
    send: (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    messages,
    answer: async (id: number | null): Promise<Raw> => {
      const find = () => messages().find((m) => m.id === id && m.method === undefined);
      await expect.poll(find).toBeDefined();
      return find()!;
    },
    out: () => out,
  };
}

const INITIALIZE = { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };

describe("the wire to an editor", () => {
  it("Y1 a newer client is answered with version 1, an older one with the SDK's error; nobody has to sign in", async () => {
    const { place } = await scene([]);
    const newer = await openEditor(place, { protocolVersion: 7 });
    expect(newer.initialised).toMatchObject({
      protocolVersion: 1,
      authMethods: [],
      agentInfo: { name: "everlong" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, close: {}, resume: {} } },
    });
    await expect(openEditor(place, { protocolVersion: 0 })).rejects.toMatchObject({
      code: -32022,
      data: { requested: 0, supported: [1] },
    });
  });

  it("Y7 Y9 broken lines, unknown methods and wrong arguments are answered, and the session goes on", async () => {
    const { place } = await scene([text("still here")]);
    const child = startAcp(place);
    const hand = byHand(child);
    hand.send({ id: 0, method: "session/new", params: { cwd: place.folder, mcpServers: [] } });
    expect((await hand.answer(0)).error?.code).toBe(-32600);
    hand.send(INITIALIZE);
    await hand.answer(1);
    hand.write("this is no JSON\n");
    hand.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    hand.write("[1, 2]\n42\n\n\r\n");
    hand.write(`{"jsonrpc":"2.0","id":2,"method":"session/pro`);
    await wait(1);
    hand.write(`mpt","params":{"sessionId":"nobody","prompt":[]}}\n`);
    expect((await hand.answer(2)).error?.code).toBe(-32002);
    hand.send({ id: 3, method: "no/such/method", params: {} });
    expect((await hand.answer(3)).error?.code).toBe(-32601);
    hand.send({ id: 4, method: "session/new", params: { cwd: 4 } });
    expect((await hand.answer(4)).error?.code).toBe(-32602);
    hand.send({ method: "no/such/notification" });
    hand.send({ id: 99, result: {} });
    // A line that is longer than anything may be is left out, whatever it is.
    const much = Buffer.alloc(1024 * 1024, "x");
    hand.write('{"jsonrpc":"2.0","id":5,"method":"');
    for (let i = 0; i < 70; i++) if (!child.stdin.write(much)) await once(child.stdin, "drain");
    hand.write('"}\n');
    hand.send({ id: 6, method: "session/new", params: { cwd: place.folder, mcpServers: [] } });
    const sessionId = (await hand.answer(6)).result?.["sessionId"];
    const errors = hand.messages().filter((m) => m.id === null);
    expect(errors.map((m) => m.error?.code)).toEqual([-32700, -32700, -32600, -32600, -32700]);
    hand.send({ id: 7, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "hi" }] } });
    expect((await hand.answer(7)).result).toEqual({ stopReason: "end_turn" });
    hand.send({ id: 8, method: "session/close", params: { sessionId } });
    await hand.answer(8);
    hand.send({ id: 9, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "hi" }] } });
    expect((await hand.answer(9)).error?.code).toBe(-32002);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    expectOnlyProtocol(hand.out());
  });

  it("Y7 kill -9 loses nothing that was acknowledged: the next one loads it", async () => {
    const { place } = await scene([
      calls([bash("touch made", {}, "c1")], { text: "First I make it." }),
      calls([bash("sleep 600", {}, "c2")], { text: "Then I wait." }),
      text("going on"),
    ]);
    const editor = await openEditor(place, { permission: () => choose("once") });
    const id = await editor.session();
    void editor.say(id, "do both").catch(() => undefined);
    await expect.poll(() => textOf(editor.updates)).toContain("Then I wait.");
    await expect.poll(() => only(logOf(place, id), "tool.execution_start")).toHaveLength(2);
    editor.child.kill("SIGKILL");
    await once(editor.child, "exit");
    const later = await openEditor(place);
    await later.agent.request(methods.agent.session.load, { sessionId: id, cwd: place.folder, mcpServers: [] });
    expect(textOf(later.updates, "user_message_chunk")).toBe("do both");
    expect(textOf(later.updates)).toBe("First I make it.Then I wait.");
    const states = later.updates.flatMap(({ update }) =>
      update.sessionUpdate === "tool_call_update" && update.status !== "in_progress"
        ? [[update.toolCallId, update.status]]
        : [],
    );
    expect(states).toEqual([
      ["c1", "completed"],
      ["c2", "failed"],
    ]);
    expect(await later.say(id, "go on")).toBe("end_turn");
  });

  it("Y7 the end of stdin saves and ends, in the middle of a turn too; a signal ends with 130", async () => {
    const { place } = await scene([calls([bash("sleep 600", {}, "c1")])]);
    const editor = await openEditor(place, { permission: () => choose("once") });
    const id = await editor.session();
    void editor.say(id, "wait").catch(() => undefined);
    await expect.poll(() => only(logOf(place, id), "tool.execution_start")).toHaveLength(1);
    expect(await editor.leave()).toBe(0);
    expect(only(logOf(place, id), "turn.end").map(({ data }) => data.status)).toEqual(["aborted"]);
    expect(only(logOf(place, id), "session.shutdown")).toHaveLength(1);
    const other = await openEditor(place);
    other.child.kill("SIGTERM");
    expect(await once(other.child, "exit")).toEqual([130, null]);
  });

  it("Y9 a client that stops reading costs no memory, loses nothing, and the program ends with it", async () => {
    const long = "0123456789abcdef".repeat(64 * 1024); // 1 MiB
    const answer = `${long.repeat(32)}the end`;
    const { place } = await scene([text(answer, { chunk: 16 * 1024 })]);
    const child = startAcp(place);
    let out = "";
    const read = (bytes: Buffer) => {
      out += bytes;
    };
    child.stdout.on("data", read);
    const say = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    say(INITIALIZE);
    say({ id: 2, method: "session/new", params: { cwd: place.folder, mcpServers: [] } });
    await expect.poll(() => /"sessionId":"([^"]+)"/.test(out)).toBe(true);
    const id = onlySession(place);
    child.stdout.off("data", read).pause();
    say({ id: 3, method: "session/prompt", params: { sessionId: id, prompt: [{ type: "text", text: "write much" }] } });
    const isOver = () => only(logOf(place, id), "turn.end").length === 1;
    await expect.poll(isOver).toBe(true);
    const rss =
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(join("/proc", String(child.pid), "status"), "utf8"))?.[1]) / 1024;
    expect(rss).toBeLessThan(500);
    // It reads again: everything comes, once and in order.
    child.stdout.on("data", read).resume();
    await expect.poll(() => /"id":3,"(?:result|error)/.test(out.slice(-3000))).toBe(true);
    expect(out.slice(-3000)).toContain('"stopReason":"end_turn"');
    const words = out
      .split("\n")
      .filter((line) => line.includes('"agent_message_chunk"'))
      .map((line) => JSON.parse(line).params.update.content.text as string)
      .join("");
    expect(words.length).toBe(answer.length);
    expect(words === answer).toBe(true);
    child.stdout.off("data", read).pause();
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
