// W4, W6, W7, W12: agents through two nodes of a team as through one; the database away, and back.
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { startServer } from "../../src/store/postgres/server-fixture.ts";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import type { TestGateway } from "../proxy/gateway.ts";
import { bodyOf, extendsLast, lastSent, marker } from "../proxy/growing.ts";
import { addMember, ask, type TestMember } from "./nodes.ts";
import { lostOrDoubled, sendStored, sendTurns, startProxiedNode, storedLines } from "./proxied.ts";

const newUrl = async (): Promise<string> => sharedServer().newUrl();
const onDatabase = async (url: string, sql: string) => sharedServer().ask(sql, new URL(url).pathname.slice(1));
const ANN = "ann --tenant acme --user ann --scope read,write";

async function upstream(): Promise<ModelServer> {
  return startModelServer({ script: () => text("ok") });
}

/** Quotes say when something was said, to the minute: two plays may be on both sides of one. */
const timeless = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME");

describe("W6", { timeout: 120_000 }, () => {
  it("W6 X25 X64 X79 requests of one session over two nodes give the bytes, cuts, blocks and lanes of one node", async () => {
    const model = await upstream();
    const played: { bodies: string[]; epochs: (string | undefined)[]; lanes: unknown }[] = [];
    for (const count of [1, 2]) {
      const url = await newUrl();
      const ann = await addMember(url, ANN);
      // Links are keyed hashes: with one key they can be compared, too.
      await onDatabase(url, "UPDATE everlong.node_secret SET key = 'the same for both'");
      const nodes: TestGateway[] = [];
      for (let i = 0; i < count; i++) nodes.push(await startProxiedNode(url, model));
      const bodies: string[] = [];
      const epochs: (string | undefined)[] = [];
      for (let turns = 24; turns < 46; turns++) {
        const node = nodes[turns === 24 ? 0 : (turns * 7 + (turns >> 2)) % count] as TestGateway;
        const headers = turns === 24 ? { "X-Everlong-Todo": "- [ ] keep me" } : {};
        const answer = await sendStored(node, ann, "s", turns, headers);
        expect([answer.status, answer.header("x-everlong-action")?.startsWith("skip")]).toEqual([200, false]);
        epochs.push(answer.header("x-everlong-epoch"));
        bodies.push(lastSent(model));
      }
      expect(model.rejected).toEqual([]);
      for (const [i, body] of bodies.entries())
        if (i > 0 && epochs[i] === epochs[i - 1])
          expect(extendsLast(body, bodies[i - 1] ?? ""), `turn ${i}`).toBe(true);
      const lanes = await sharedServer().ask(
        "SELECT length, version, state::text, plan FROM everlong.proxy_lane ORDER BY id",
        new URL(url).pathname.slice(1),
      );
      expect(lostOrDoubled(await storedLines(sharedServer(), url), bodies.at(-1) ?? "", 45)).toEqual([]);
      played.push({ bodies, epochs, lanes });
      for (const node of nodes) await node.stop("SIGTERM");
    }
    const [one, two] = played;
    expect(new Set(one?.epochs).size).toBeGreaterThan(2);
    expect(one?.bodies.at(-1)?.includes("keep me")).toBe(true);
    expect(two?.bodies.map((body, i) => timeless(body) === timeless(one?.bodies[i] ?? ""))).toEqual(
      two?.bodies.map(() => true),
    );
    expect(two?.epochs).toEqual(one?.epochs);
    expect(timeless(JSON.stringify(two?.lanes))).toBe(timeless(JSON.stringify(one?.lanes)));
    await model.close();
  });

  it("W6 XB23 two requests of a lane at once on two nodes: both are valid, one wins, nothing is stored twice", async () => {
    const model = await upstream();
    const url = await newUrl();
    const ann = await addMember(url, ANN);
    const nodes = [await startProxiedNode(url, model), await startProxiedNode(url, model)];
    await sendStored(nodes[0] as TestGateway, ann, "s", 10);
    for (const turns of [26, 34, 48]) {
      const arrived = model.requests.length;
      const answers = await Promise.all(nodes.map((node) => sendTurns(node, ann, "s", turns)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(model.rejected).toEqual([]);
      const sent = model.requests.slice(arrived).map(({ rawBody }) => rawBody);
      expect(sent).toHaveLength(2);
      // Afterwards both nodes go on from one and the same lane.
      const next: string[] = [];
      for (const node of nodes) {
        await sendStored(node, ann, "s", turns + 1);
        next.push(lastSent(model));
      }
      expect(next[0] === next[1]).toBe(true);
      expect(lostOrDoubled(await storedLines(sharedServer(), url), next[0] ?? "", turns + 1)).toEqual([]);
    }
    const lanes = await sharedServer().ask(
      "SELECT count(*)::int AS n FROM everlong.proxy_lane",
      new URL(url).pathname.slice(1),
    );
    expect(lanes).toEqual([{ n: 1 }]);
    await model.close();
  });

  it("W12 X17 XI9 sessions are apart by member and tenant, whatever their keys; a TODO of one is in no other's request", async () => {
    const model = await upstream();
    const url = await newUrl();
    const members = [
      await addMember(url, ANN),
      await addMember(url, "bob --tenant acme --user bob --scope read,write"),
      await addMember(url, "eve --tenant globex --user ann --scope read,write"),
    ];
    const nodes = [await startProxiedNode(url, model), await startProxiedNode(url, model)];
    for (const [i, who] of members.entries()) {
      await sendStored(nodes[i % 2] as TestGateway, who, "same", 3, { "X-Everlong-Todo": `- todo of ${i}` });
      expect(lastSent(model).includes(`todo of ${i}`)).toBe(true);
    }
    for (const [i, who] of members.entries()) {
      await sendStored(nodes[(i + 1) % 2] as TestGateway, who, "same", 30);
      for (const other of [0, 1, 2]) expect(lastSent(model).includes(`todo of ${other}`)).toBe(other === i);
    }
    // Of a second token of the same person it is the same session.
    const laptop = await addMember(url, "ann-laptop --tenant acme --user ann --scope read,write");
    await sendStored(nodes[0] as TestGateway, laptop, "same", 31);
    expect(lastSent(model).includes("todo of 0")).toBe(true);
    const lines = await storedLines(sharedServer(), url);
    const owners = new Set(lines.map(({ tenant, identity }) => `${tenant}: ${identity}`));
    expect([...owners].sort()).toEqual(["acme: acme/ann", "acme: acme/bob", "globex: globex/ann"]);
    // Nothing of it is in a node's own home.
    for (const node of nodes) expect(node.events("same")).toEqual([]);
    await model.close();
  });
});

describe("W12", { timeout: 120_000 }, () => {
  it("W12 WB4 X100 a member lists, reads, searches and erases their own proxied sessions; another's are as absent", async () => {
    const model = await upstream();
    const url = await newUrl();
    const ann = await addMember(url, ANN);
    const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write");
    const eve = await addMember(url, "eve --tenant globex --user ann --scope read,write,admin");
    const rita = await addMember(url, "ann-phone --tenant acme --user ann --scope read");
    const node = await startProxiedNode(url, model);
    await sendStored(node, ann, "anns", 30, { "X-Everlong-Todo": "- feed the heron" });
    await sendStored(node, bob, "bobs", 30);
    const sessions = async (who: TestMember): Promise<string[]> => {
      const { body } = await ask(node, who, "GET /api/proxy/sessions");
      return (body["items"] as { id: string }[]).map(({ id }) => id);
    };
    expect(await Promise.all([ann, rita, bob, eve].map(sessions))).toEqual([["anns"], ["anns"], ["bobs"], []]);
    const own = await ask(node, ann, "GET /api/proxy/requests");
    const [record] = own.body["items"] as { id: string; session: string }[];
    expect([record?.session, (own.body["items"] as unknown[]).length]).toEqual(["anns", 1]);
    const question = { query: marker(2, "user") };
    const reads = ["", "/spec", "/todo", "/events", "/requests"].map((part) => `GET /api/proxy/sessions/anns${part}`);
    reads.push(
      `GET /api/proxy/requests/${record?.id}`,
      "GET /api/proxy/requests?session=anns",
      "GET /api/proxy/stats?session=anns",
    );
    for (const line of reads) {
      expect([line, (await ask(node, ann, line)).status]).toEqual([line, 200]);
      for (const other of [bob, eve]) expect([line, (await ask(node, other, line)).status]).toEqual([line, 404]);
    }
    const hits = async (who: TestMember, more: object = {}) => {
      const { status, body } = await ask(node, who, "POST /api/proxy/search", { ...question, ...more });
      return [status, ((body["items"] ?? []) as { ref: string }[]).map(({ ref }) => ref.split(":")[0])];
    };
    expect(await hits(rita)).toEqual([200, expect.arrayContaining(["anns"])]);
    expect((await hits(bob))[1]).not.toContain("anns");
    expect(await hits(bob, { session: "anns" })).toEqual([404, []]);
    expect(await hits(ann, { query: "anns:t3.1" })).toEqual([200, ["anns"]]);
    expect(await hits(bob, { query: "anns:t3.1" })).toEqual([404, []]);
    expect((await ask(node, bob, "GET /api/proxy/stats")).body["requests"]).toBe(1);
    expect((await ask(node, eve, "GET /api/proxy/stats")).body["requests"]).toBe(0);
    // Changes, too.
    const write = { text: "mine now" };
    for (const other of [bob, eve]) {
      expect((await ask(node, other, "PUT /api/proxy/sessions/anns/pinned", write)).status).toBe(404);
      expect((await ask(node, other, "POST /api/proxy/sessions/anns/spec", { approved: true })).status).toBe(404);
      expect((await ask(node, other, "DELETE /api/proxy/sessions/anns")).status).toBe(404);
    }
    expect((await ask(node, rita, "DELETE /api/proxy/sessions/anns")).status).toBe(403);
    expect((await ask(node, eve, "DELETE /api/proxy/sessions?confirm=true")).body).toEqual({ deleted: 0 });
    expect((await ask(node, bob, "DELETE /api/proxy/sessions?confirm=true")).body).toEqual({ deleted: 1 });
    expect(await sessions(ann)).toEqual(["anns"]);
    expect((await ask(node, ann, "PUT /api/proxy/sessions/anns/pinned", write)).status).toBe(200);
    expect((await ask(node, ann, "DELETE /api/proxy/sessions/anns")).status).toBe(200);
    expect(await sessions(ann)).toEqual([]);
    await model.close();
  });
});

describe("W4", { timeout: 120_000 }, () => {
  it("W4 X55 WB1 the database away: a lane that the node knows keeps its cut, all else passes unchanged; back without a restart", async () => {
    const model = await upstream();
    const server = await startServer();
    try {
      const url = await server.newUrl();
      const ann = await addMember(url, ANN);
      const node = await startProxiedNode(url, model, { EVERLONG_UPSTREAM_OPENAI_KEY: "sk-of-the-node" });
      for (const turns of [10, 30]) await sendStored(node, ann, "known", turns);
      const cut = lastSent(model);
      expect(cut.includes(marker(4, "user"))).toBe(false);
      await server.stop("SIGKILL");
      const held = await sendTurns(node, ann, "known", 31);
      expect([held.status, held.header("x-everlong-action")]).toEqual([200, "skip:store"]);
      expect(extendsLast(lastSent(model), cut)).toBe(true);
      expect(lastSent(model).includes(marker(4, "user"))).toBe(false);
      const passed = await sendTurns(node, ann, "unknown", 25);
      expect([passed.status, lastSent(model) === bodyOf(25)]).toEqual([200, true]);
      const stranger = await sendTurns(node, { token: `evl.acme.${"x".repeat(43)}` }, "known", 25);
      expect(stranger.status).toBe(503);
      // W11: longer than a look-up counts. Her own requests pass, and nothing of the team's is used for them.
      await systemClock.sleep(5000);
      const later = await sendTurns(node, ann, "known", 31);
      expect([later.status, later.header("x-everlong-action")]).toEqual([200, "skip:store"]);
      expect(extendsLast(lastSent(model), cut)).toBe(true);
      const keyless = await sendTurns(node, ann, "known", 31, { Authorization: `Bearer ${ann.token}` });
      expect([keyless.status, keyless.header("x-everlong-error")]).toEqual([503, "store_unavailable"]);
      await server.start();
      await vi.waitUntil(async () => (await fetch(`${node.url}/readyz`)).status === 200, {
        timeout: 30_000,
        interval: 100,
      });
      const back = await sendStored(node, ann, "known", 32);
      expect([back.status, back.header("x-everlong-action")]).toEqual([200, "trim"]);
      expect(extendsLast(lastSent(model), cut)).toBe(true);
      expect(lostOrDoubled(await storedLines(server, url), lastSent(model), 32)).toEqual([]);
      expect(await node.stop("SIGTERM")).toMatchObject({ code: 0 });
    } finally {
      await server.close();
      await model.close();
    }
  });

  it("W7 X66 XE5 a TODO that the database could not take is not acknowledged: the request says so, and the same one again is kept", async () => {
    const model = await upstream();
    const url = await newUrl();
    const ann = await addMember(url, ANN);
    const node = await startProxiedNode(url, model);
    await sendStored(node, ann, "s", 2, { "X-Everlong-Todo": "the first one" });
    // As if somebody else had the row, and everything else were free.
    await onDatabase(
      url,
      `CREATE FUNCTION everlong.busy() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'somebody else has it' USING ERRCODE = 'lock_not_available'; END $$;
       CREATE TRIGGER busy BEFORE INSERT OR UPDATE ON everlong.proxy_text FOR EACH ROW EXECUTE FUNCTION everlong.busy()`,
    );
    const refused = await sendTurns(node, ann, "s", 3, { "X-Everlong-Todo": "the second one" });
    expect([refused.status, refused.header("x-everlong-action")]).toEqual([200, "skip:store"]);
    expect(["first", "second"].map((word) => lastSent(model).includes(`the ${word} one`))).toEqual([true, false]);
    await onDatabase(url, "DROP TRIGGER busy ON everlong.proxy_text");
    await sendStored(node, ann, "s", 3, { "X-Everlong-Todo": "the second one" });
    expect(lastSent(model).includes("the second one")).toBe(true);
    await model.close();
  });
});
