// The outbox and its delivery against a real HTTP server, with a clock in the test's hand: bounds, batches, stalls, lies, two processes.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { must, openGraph } from "../../src/memory/graph/graph-fixture.ts";
import { GraphitiClient } from "../../src/memory/graphiti/client.ts";
import { type DeliveryNotice, OutboxDelivery } from "../../src/memory/graphiti/deliver.ts";
import { changeHealth, readHealth } from "../../src/memory/graphiti/health.ts";
import type { OutboxDraft, OutboxKind } from "../../src/memory/graphiti/outbox-row.ts";
import { enqueueUnit, moveRows, readRows } from "../../src/memory/graphiti/queue.ts";
import { GraphitiRecall } from "../../src/memory/graphiti/recall.ts";
import { type Database, write } from "../../src/store/sqlite.ts";
import { startGraphiti } from "./server.ts";

const ROOT = "/work";
const SECOND = 1000;
const MINUTE = 60 * SECOND;

function clockFrom(start: number): Clock & { at: number; slept: number[] } {
  const clock = {
    at: start,
    slept: [] as number[],
    now: () => new Date(clock.at).toISOString(),
    monotonic: () => clock.at,
    async sleep(ms: number, signal?: AbortSignal) {
      clock.slept.push(ms);
      await new Promise((resolve) => setImmediate(resolve));
      return !signal?.aborted;
    },
  };
  return clock;
}

async function outbox({ endpoint }: { endpoint?: string } = {}) {
  const graphiti = await startGraphiti();
  const { db, dir } = await openGraph();
  const url = endpoint ?? graphiti.url;
  const clock = clockFrom(Date.UTC(2026, 0, 1));
  const notices: DeliveryNotice[] = [];
  const limits = { maxBatchSize: 20, maxAttempts: 8, timeoutMs: 2000, token: undefined as string | undefined };
  const client = new GraphitiClient({ endpoint: url, settings: () => limits, mayConnect: async () => true });
  const deliveryOn = (own: Database) =>
    new OutboxDelivery({
      db: own,
      place: { endpoint: url, root: ROOT },
      client,
      limits: () => limits,
      mayConnect: async () => true,
      clock,
      onNotice: (notice) => notices.push(notice),
    });
  const states = () => readRows(db, { endpoint: url }).map(({ message, state }) => `${message.name} ${state}`);
  return { graphiti, db, dir, url, clock, notices, limits, client, delivery: deliveryOn(db), deliveryOn, states };
}

const draft = (
  name: string,
  more: { group?: string; kind?: OutboxKind; unit?: string; at?: string } = {},
): OutboxDraft => ({
  group: more.group ?? "g",
  scope: "workspace",
  kind: more.kind ?? "turn",
  unit: more.unit ?? name,
  message: {
    content: `text of ${name}`,
    name,
    role_type: "user",
    role: "user",
    timestamp: more.at ?? "2026-01-01T00:00:00Z",
    source_description: "",
  },
});
const rules = (maxQueueSize = 200, more: object = {}) => ({
  maxQueueSize,
  mayEvict: true,
  now: "2026-01-01T00:00:00Z",
  ...more,
});
const queue = async (db: Database, endpoint: string, drafts: OutboxDraft[], max = 200, more: object = {}) =>
  must(await enqueueUnit(db, { endpoint, root: ROOT }, drafts, rules(max, more)));

describe("GC15 the bound of the queue", () => {
  it("GC15 RI14 RB19 the oldest turns go whole, promotions and ownership stay; what went can be queued again", async () => {
    const { db, url, states } = await outbox();
    const turn = (n: number) => ["user", "assistant"].map((role) => draft(`t${n}.${role}`, { unit: `t${n}` }));
    await queue(db, url, [draft("ownership", { kind: "ownership" })], 6);
    await queue(db, url, [draft("promotion", { kind: "promotion" })], 6);
    for (const n of [1, 2]) await queue(db, url, turn(n), 6);
    expect(await queue(db, url, turn(3), 6)).toEqual({ added: 2, dropped: 2, left: 0 });
    expect(states().filter((one) => one.endsWith("queued"))).toEqual([
      "ownership queued",
      "promotion queued",
      "t2.user queued",
      "t2.assistant queued",
      "t3.user queued",
      "t3.assistant queued",
    ]);
    // The text of what was dropped is gone; the same again is a no, unless a backfill asks.
    expect(readRows(db, { unit: "t1" }).map(({ message }) => message.content)).toEqual(["", ""]);
    expect(await queue(db, url, turn(1), 6)).toEqual({ added: 0, dropped: 0, left: 0 });
    expect(await queue(db, url, turn(1), 8, { again: true })).toEqual({ added: 2, dropped: 0, left: 0 });
    // Older ones that follow late push out nobody.
    expect(await queue(db, url, turn(4), 8, { mayEvict: false })).toEqual({ added: 0, dropped: 0, left: 2 });
    // A queue of promotions does not give way to a turn.
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) await queue(db, url, [draft(`p${n}`, { kind: "promotion" })], 8);
    expect(await queue(db, url, turn(5), 8)).toEqual({ added: 0, dropped: 2, left: 0 });
    expect(readRows(db, { states: ["queued"] }).length).toBeLessThanOrEqual(8);
  });
});

describe("GC16 batches", () => {
  it("GC16 they go to one group each, in order, no larger than the setting says, which may change in between", async () => {
    const { db, url, graphiti, delivery, limits, clock } = await outbox();
    limits.maxBatchSize = 2;
    for (const n of [1, 2, 3]) for (const group of ["a", "b"]) await queue(db, url, [draft(`${group}${n}`, { group })]);
    graphiti.script = ({ path }) => {
      if (path === "/messages") limits.maxBatchSize = 20;
      return undefined;
    };
    delivery.wake();
    delivery.wake();
    await expect.poll(() => graphiti.episodes.length).toBe(6);
    const posts = graphiti.calls.filter(({ path }) => path === "/messages");
    const sizes = posts.map(({ body }) => [body["group_id"], (body["messages"] as unknown[]).length]);
    expect(sizes).toEqual([
      ["a", 2],
      ["b", 3],
      ["a", 1],
    ]);
    expect([graphiti.names("a"), graphiti.names("b")]).toEqual([
      ["a1", "a2", "a3"],
      ["b1", "b2", "b3"],
    ]);
    expect(clock.slept[0]).toBe(250);
    await delivery.close(0);
  });

  it("GC16 GC19 two processes with one outbox: one flush at a time, and no name twice", async () => {
    const { db, dir, url, graphiti, deliveryOn } = await outbox();
    const other = await openGraph(dir);
    for (let n = 0; n < 40; n++) await queue(db, url, [draft(`m${n}`)]);
    let together = 0;
    let most = 0;
    graphiti.script = ({ path }) => {
      if (path !== "/messages") return undefined;
      together += 1;
      most = Math.max(most, together);
      setTimeout(() => (together -= 1), 20);
      return { type: "late", ms: 20 };
    };
    const both = [deliveryOn(db), deliveryOn(other.db)];
    await expect
      .poll(async () => {
        await Promise.all(both.map((one) => one.round()));
        return graphiti.episodes.length;
      })
      .toBe(40);
    expect(most).toBe(1);
    expect(graphiti.names()).toEqual(Array.from({ length: 40 }, (_, n) => `m${n}`));
  });

  it("GC16 RB18 a process that died in the middle of sending holds nobody up", async () => {
    const { db, url, graphiti, delivery, clock } = await outbox();
    await queue(db, url, [draft("m")]);
    // As kill -9 leaves it: the message is on its way and the lease is taken.
    must(
      await write(db, () => {
        moveRows(db, "send", { unit: "m" });
        changeHealth(db, url, {});
        db.prepare("UPDATE graph_endpoint SET worker = ?, lease_until = ?").run(
          "gone.999999999.1.0",
          clock.at + MINUTE,
        );
      }),
    );
    graphiti.episodes.push({ uuid: "e0", group: "g", message: { ...draft("m").message } });
    await delivery.round();
    expect(graphiti.names()).toEqual(["m"]);
    expect(readRows(db, {}).map(({ state }) => state)).toEqual(["confirmed"]);
  });
});

describe("GC20 a 202 is no proof", () => {
  it("GC20 RB17 looks every 30 s, after 10 minutes says once that it is stalled, stops, probes, and sends again after", async () => {
    const { db, url, graphiti, delivery, clock, notices, states } = await outbox();
    graphiti.script = ({ path }) => (path === "/messages" ? { type: "forget" } : undefined);
    for (const n of [1, 2]) await queue(db, url, [draft(`m${n}`)]);
    const looks = () => graphiti.calls.filter(({ path }) => path.startsWith("/episodes/g?")).length;
    await delivery.round();
    expect([states(), looks()]).toEqual([["m1 accepted", "m2 accepted"], 0]);
    clock.at += 29 * SECOND;
    await delivery.round();
    expect(looks()).toBe(0);
    clock.at += 2 * SECOND;
    await delivery.round();
    await delivery.round();
    expect(looks()).toBe(1);
    for (let i = 0; i < 25; i++) {
      clock.at += 31 * SECOND;
      await delivery.round();
    }
    expect(notices.map(({ code }) => code)).toEqual(["graphiti_stalled"]);
    expect(notices[0]?.message).toContain("accepts messages but does not store them; restart it");
    const posts = () => graphiti.calls.filter(({ body }) => body["group_id"] === "g").length;
    const before = posts();
    await queue(db, url, [draft("m3")]);
    const probes = () =>
      graphiti.calls.filter(({ body }) => String(body["group_id"]).startsWith("everlong_probe_")).length;
    const first = probes();
    for (let i = 0; i < 60; i++) {
      clock.at += MINUTE;
      await delivery.round();
    }
    expect(posts()).toBe(before);
    // 30 s doubling to 10 minutes: a handful in an hour, and no text of a conversation in them.
    expect(probes() - first).toBeGreaterThanOrEqual(4);
    expect(probes() - first).toBeLessThanOrEqual(12);
    expect(notices).toHaveLength(1);
    graphiti.script = () => undefined;
    for (let i = 0; i < 25; i++) {
      clock.at += MINUTE;
      await delivery.round();
    }
    expect(notices.map(({ code }) => code)).toEqual(["graphiti_stalled", "graphiti_recovered"]);
    expect(graphiti.names("g").sort()).toEqual(["m1", "m2", "m3"]);
    clock.at += MINUTE;
    await delivery.round();
    expect(states()).toEqual(["m1 confirmed", "m2 confirmed", "m3 confirmed"]);
    expect(graphiti.names().filter((name) => name === "everlong.probe")).toEqual([]);
  });

  it("GC20 a server that answers /episodes with an error is taken at its word", async () => {
    const { db, url, graphiti, delivery, clock, states, notices } = await outbox();
    graphiti.script = ({ path }) =>
      path.startsWith("/episodes") ? { type: "status", status: 500, body: "Internal Server Error" } : undefined;
    await queue(db, url, [draft("m1")]);
    await delivery.round();
    clock.at += 31 * SECOND;
    await delivery.round();
    expect([states(), notices]).toEqual([["m1 confirmed"], []]);
  });
});

describe("GC21 answers that nobody asked for", () => {
  it("GC21 RB15 HTML, an answer of 5 MB, a lie of JSON and a text of 500 are failures: the message stays and is short in the log", async () => {
    const { db, url, graphiti, delivery, clock, states } = await outbox();
    await queue(db, url, [draft("m1")]);
    for (const [body, status] of [
      ["<html><body>Please log in</body></html>", 200],
      ["x".repeat(5 * 1024 * 1024), 200],
      [`Internal Server Error ${"very long ".repeat(100)}`, 500],
    ] as const) {
      graphiti.script = () => ({ type: "status", status, body });
      await delivery.round();
      clock.at += 31 * SECOND;
      expect(states()).toEqual(["m1 sending"]);
      expect(readHealth(db, url).error?.length).toBeLessThan(260);
    }
    graphiti.script = () => undefined;
    await delivery.round();
    expect(graphiti.names()).toEqual(["m1"]);
  });

  it("GC21 RB15 a redirect to another host is not followed, and the token stays where the person allowed it", async () => {
    const seen: string[] = [];
    const evil = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.end("{}");
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void evil.close());
    const { db, url, graphiti, delivery, limits, clock } = await outbox();
    limits.token = "token-of-the-server";
    const location = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/messages`;
    for (const status of [301, 302, 307, 308]) {
      await queue(db, url, [draft(`m${status}`)]);
      graphiti.script = () => ({ type: "status", status, body: "", headers: { location } });
      await delivery.round();
      clock.at += 31 * SECOND;
    }
    expect(seen).toEqual([]);
    expect(graphiti.calls.at(-1)?.headers.authorization).toBe("Bearer token-of-the-server");
    expect(readHealth(db, url).error).toContain("redirects are not followed");
  });

  it("GC17 GC21 Retry-After is honoured up to 30 s; every request has a limit of time", async () => {
    const { db, url, graphiti, delivery, clock, limits } = await outbox();
    await queue(db, url, [draft("m1")]);
    const headers = { "retry-after": "3600" };
    graphiti.script = () => ({ type: "status", status: 429, body: "slow down", headers });
    expect(await delivery.round()).toBe(30 * SECOND);
    clock.at += 31 * SECOND;
    limits.timeoutMs = 250;
    graphiti.script = () => ({ type: "hang" });
    expect(await delivery.round()).toBeGreaterThan(0);
    expect(readHealth(db, url).error).toContain("no answer within 250 ms");
  });
});

describe("GC17 and GC27 giving up for a while", () => {
  it("GC17 backs off 500 ms doubling to 30 s; after the last attempt it is parked, and the next one goes on", async () => {
    const { db, url, graphiti, delivery, clock, limits, states } = await outbox();
    limits.maxAttempts = 9;
    await queue(db, url, [draft("m1")]);
    graphiti.script = () => ({ type: "status", status: 503, body: "later" });
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 9; i++) {
      waits.push(await delivery.round());
      clock.at += 31 * SECOND;
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(states()).toEqual(["m1 parked"]);
    await queue(db, url, [draft("m2")]);
    graphiti.script = () => undefined;
    await delivery.round();
    expect(graphiti.names()).toEqual(["m2"]);
    expect(readHealth(db, url).failures).toBe(0);
    must(await write(db, () => moveRows(db, "retry", { unit: "m1" })));
    await delivery.round();
    expect(graphiti.names()).toEqual(["m2", "m1"]);
  });

  it("GC27 after three failures in a row facts are not asked for during 30 s, and a turn never fails", async () => {
    const { graphiti, client, clock } = await outbox();
    const recall = new GraphitiRecall(clock);
    const limits = { timeoutMs: 2000, maxFacts: 10, maxChars: 4000, includeExpired: false };
    const groups = [{ scope: "session" as const, id: "g" }];
    const ask = () => recall.ask(client, { groups, query: "port", limits }, new AbortController().signal);
    graphiti.script = () => ({ type: "status", status: 200, body: "<html>no JSON</html>" });
    for (let i = 0; i < 3; i++) expect((await ask())?.scopes[0]?.outcome).toBe("failed");
    const before = graphiti.calls.length;
    expect(await ask()).toBeUndefined();
    clock.at += 29 * SECOND;
    expect(await ask()).toBeUndefined();
    expect(graphiti.calls.length).toBe(before);
    clock.at += 2 * SECOND;
    graphiti.script = () => undefined;
    graphiti.facts.set("g", [{ fact: "The port is 9090." }]);
    expect((await ask())?.block).toContain("The port is 9090.");
  });
});

describe("a clock that jumps back", () => {
  it("GC17 RB10 neither a rest nor a lease nor the next look lasts longer than ever; turns keep their order", async () => {
    const { db, url, graphiti, delivery, clock } = await outbox();
    await queue(db, url, [draft("t1", { at: "2026-01-02T00:00:00Z" })]);
    graphiti.script = () => ({ type: "status", status: 503, body: "later" });
    await delivery.round();
    must(
      await write(db, () =>
        db.prepare("UPDATE graph_endpoint SET worker = ?, lease_until = ?").run(`${process.pid}:other`, clock.at),
      ),
    );
    clock.at -= 24 * 60 * MINUTE;
    await queue(db, url, [draft("t2", { at: "2026-01-01T00:00:00Z" })]);
    graphiti.script = () => undefined;
    await delivery.round();
    expect(graphiti.names()).toEqual(["t1", "t2"]);
    clock.at -= 24 * 60 * MINUTE;
    await delivery.round();
    expect(readRows(db, {}).map(({ state }) => state)).toEqual(["confirmed", "confirmed"]);
  });
});
