// FE11 and FE13, the server's side: sessions of other processes seen live, read by cursor, renamed, exported and erased.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { deletedAnswer } from "../../src/schema/api/list.ts";
import { overview } from "../../src/schema/api/overview.ts";
import { sessionEventList, sessionList, sessionRow, sessionView } from "../../src/schema/api/session.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { placeFor, run, start } from "../tool/everlong.ts";
import { ask, refused, sending } from "./ask.ts";

const SECRET = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

async function stage(): Promise<{ gateway: TestGateway; say(prompt: string): Promise<string> }> {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  const gateway = await startGateway(server, { place: placeFor(server, { EVERLONG_EMBEDDER: "none" }) });
  return {
    gateway,
    async say(prompt) {
      const done = await run(gateway.place, ["-p", prompt, "--output-format", "json"]);
      expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
      return String(done.json["sessionId"]);
    },
  };
}

/** Reads the stream until somebody has seen enough. */
function listen(gateway: TestGateway, lastEventId?: string) {
  const events: { id: string; type: string; data: Record<string, unknown> }[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const open = gateway.api("/api/events", {
    signal: stop.signal,
    headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
  });
  void open
    .then(async (answer) => {
      let rest = "";
      for await (const chunk of answer.body ?? []) {
        const blocks = (rest + Buffer.from(chunk as Uint8Array).toString()).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
          if (field("event") !== "")
            events.push({
              id: field("id"),
              type: field("event"),
              data: JSON.parse(field("data")) as Record<string, unknown>,
            });
        }
      }
    })
    .catch(() => undefined);
  return { events, opened: open, stop: () => stop.abort() };
}

describe("sessions of other processes", () => {
  it("F91 F123 are listed, shown with their figures, and read by cursor without a secret", async () => {
    const { gateway, say } = await stage();
    const id = await say(`Remember the key ${SECRET} and nothing else.`);
    const [row] = (await ask(gateway, sessionList, "/api/sessions")).items;
    expect(row).toMatchObject({ id, source: "agent", client: "everlong", turns: 1, pid: null });
    const view = await ask(gateway, sessionView, `/api/sessions/${id}`);
    expect(view.usage).toHaveLength(1);
    expect(view.window.at(-1)?.tokens).toBeGreaterThan(0);
    expect(view.window.at(-1)?.limit).toBeGreaterThan(1000);
    expect(view.thresholds).toEqual({ background: 0.8, blocking: 0.95 });
    expect(view.timeline.map(({ kind }) => kind)).toContain("prompt");
    expect(view.proxied).toBeNull();

    const log = readFileSync(join(gateway.place.home, "sessions", id, "events.jsonl"), "utf8");
    expect(log).toContain(SECRET);
    const whole = log
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id);
    const forward: string[] = [];
    let after = "";
    let end = "";
    for (;;) {
      const page = await ask(gateway, sessionEventList, `/api/sessions/${id}/events?limit=3${after}`);
      expect(JSON.stringify(page)).not.toContain(SECRET);
      forward.push(...page.items.map(({ event }) => event.id));
      end = page.end;
      if (!page.next) break;
      after = `&after=${page.next}`;
    }
    expect(forward).toEqual(whole);
    expect(Number(end)).toBe(Buffer.byteLength(log));
    const backward: string[] = [];
    for (let before = "end"; ; ) {
      const page = await ask(gateway, sessionEventList, `/api/sessions/${id}/events?limit=4&before=${before}`);
      backward.unshift(...page.items.map(({ event }) => event.id));
      if (!page.previous) break;
      before = page.previous;
    }
    expect(backward).toEqual(whole);
    const prompts = await ask(gateway, sessionEventList, `/api/sessions/${id}/events?type=user.message`);
    expect(prompts.items.map(({ event }) => event.type)).toEqual(["user.message"]);
    const moment = view.timeline.find(({ kind }) => kind === "prompt");
    const there = await ask(gateway, sessionEventList, `/api/sessions/${id}/events?limit=1&after=${moment?.cursor}`);
    expect(there.items[0]?.event.id).toBe(moment?.event);
    expect((await ask(gateway, overview, "/api/overview")).totals.turns).toBe(1);
  });

  it("F91 FI8 FB9 what their logs gain is told on the stream, read from the cursor on, unknown types too", async () => {
    const { gateway, say } = await stage();
    const id = await say("Hello.");
    const first = await ask(gateway, sessionEventList, `/api/sessions/${id}/events?limit=500`);
    const stream = listen(gateway);
    await stream.opened;
    const odd = {
      id: "odd",
      type: "session.from_the_future",
      timestamp: new Date().toISOString(),
      parentId: null,
      data: { a: 1 },
    };
    const path = join(gateway.place.home, "sessions", id, "events.jsonl");
    // Half a line is not an event yet.
    await expect
      .poll(() => {
        appendFileSync(path, "");
        return stream.opened.then(({ status }) => status);
      })
      .toBe(200);
    const line = JSON.stringify(odd);
    appendFileSync(path, line.slice(0, 20));
    const half = await ask(gateway, sessionEventList, `/api/sessions/${id}/events?after=${first.end}`);
    expect([half.items, half.end]).toEqual([[], first.end]);
    appendFileSync(path, `${line.slice(20)}\n`);
    await expect
      .poll(() => stream.events.some(({ type, data }) => type === "session.grown" && data["session"] === id))
      .toBe(true);
    const rest = await ask(gateway, sessionEventList, `/api/sessions/${id}/events?after=${half.end}`);
    expect(rest.items.map(({ event }) => event)).toEqual([odd]);
    const other = await say("Another one.");
    await expect
      .poll(() => stream.events.flatMap(({ type, data }) => (type === "sessions.changed" ? data["sessions"] : [])))
      .toContain(other);

    // Whoever comes back with the last id gets what was missed, once and in order; one from another run is told of the gap.
    const [seen] = stream.events;
    stream.stop();
    const again = listen(gateway, seen?.id);
    const ids = stream.events.slice(1).map((event) => event.id);
    await expect.poll(() => again.events.slice(0, ids.length).map((event) => event.id)).toEqual(ids);
    const stranger = listen(gateway, "older-7");
    await expect.poll(() => stranger.events[0]?.type).toBe("gateway.gap");
  });

  it("F91 a session in its first turn is there already, with the process that has it open", async () => {
    const held = Promise.withResolvers<void>();
    const server = await startModelServer({
      script: async () => {
        await held.promise;
        return text("Late.");
      },
    });
    onTestFinished(() => server.close());
    onTestFinished(() => held.resolve());
    const gateway = await startGateway(server, { place: placeFor(server, { EVERLONG_EMBEDDER: "none" }) });
    const stream = listen(gateway);
    await stream.opened;
    const child = start(gateway.place, ["-p", "Take your time.", "--output-format", "json"]);
    const rows = async () => (await ask(gateway, sessionList, "/api/sessions")).items;
    await expect
      .poll(async () => (await rows()).map(({ pid, title }) => ({ pid, title })))
      .toEqual([{ pid: child.pid, title: "Take your time." }]);
    held.resolve();
    expect((await child.done).code).toBe(0);
    await expect.poll(async () => (await rows())[0]?.pid).toBe(null);
  });

  it("F123 can be renamed, exported and erased by their title only", async () => {
    const { gateway, say } = await stage();
    const id = await say("Hello.");
    const renamed = await ask(gateway, sessionRow, `/api/sessions/${id}`, sending("PATCH", { title: "<b>Mine</b>" }));
    expect(renamed.title).toBe("<b>Mine</b>");
    const html = await gateway.api(`/api/sessions/${id}/export?format=html`);
    expect(html.headers.get("content-disposition")).toContain("attachment");
    expect(await html.text()).not.toContain("<b>Mine</b>");
    expect(await refused(gateway, `/api/sessions/${id}/export?format=exe`)).toEqual([400, "command_usage"]);
    expect(await refused(gateway, `/api/sessions/${id}`, sending("DELETE", { title: "Mine" }))).toEqual([
      400,
      "confirm_needed",
    ]);
    const gone = await ask(gateway, deletedAnswer, `/api/sessions/${id}`, sending("DELETE", { title: "<b>Mine</b>" }));
    expect(gone.deleted).toBe(1);
    expect(await refused(gateway, `/api/sessions/${id}`)).toEqual([404, "session_not_found"]);
    expect((await ask(gateway, sessionList, "/api/sessions")).items).toEqual([]);
  });

  it("B63 F90 an id is only ever looked up, and a wrong query is refused by name", async () => {
    const { gateway } = await stage();
    for (const id of ["none", "%2e%2e%2fx", "0".repeat(36), "a'b", "__proto__"])
      expect((await refused(gateway, `/api/sessions/${id}`))[0], id).toBeGreaterThanOrEqual(400);
    for (const query of ["limit=0", "after=forged", "since=yesterday", "source=elsewhere"])
      expect(await refused(gateway, `/api/sessions?${query}`), query).toEqual([400, "invalid_inputs"]);
    expect(await refused(gateway, "/api/overview?range=1y")).toEqual([400, "invalid_inputs"]);
    expect(await refused(gateway, "/api/tasks?session=none")).toEqual([404, "session_not_found"]);
    expect(await refused(gateway, "/api/sessions/none", sending("PATCH", { title: 1 }))).toEqual([
      400,
      "invalid_inputs",
    ]);
  });
});
