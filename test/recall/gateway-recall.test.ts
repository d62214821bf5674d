// R44 X46: what went through the gateway and what was said to the agent, over HTTP and from the command line.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../agent/scene.ts";
import { blocksOf } from "../proxy/client.ts";
import { run, sessionsOf } from "../tool/everlong.ts";
import { converse, found, get, type Json, LONG, post, stage, stored } from "./gateway-stage.ts";

describe("R44 recall over HTTP", () => {
  it("R44 R34 R37 finds the agent's and other agents' words, gives originals by ref and id, the turns around, and figures", async () => {
    const [gateway, server] = await stage();
    const agent = await run(gateway.place, ["-p", "the lighthouse keeper is called Oswin"]);
    expect(agent.code, agent.stderr).toBe(0);
    const [own = ""] = sessionsOf(gateway.place);
    await converse(gateway, server, "over-http", 3);
    await stored(gateway, "zebra2");

    // The agent's log grew while the gateway ran; its folder is where the gateway stands.
    const [oswin] = await found(gateway, { query: "lighthouse keeper" });
    expect([oswin?.source.session, oswin?.ref, oswin?.snippets[0]?.text]).toEqual([
      own,
      "t1.1",
      expect.stringContaining("Oswin"),
    ]);
    await run(gateway.place, ["--continue", "-p", "and her dog is Fenn"]);
    expect((await found(gateway, { query: "dog Fenn" }))[0]?.ref).toBe("t2.1");

    const [zebra] = await found(gateway, {
      query: "zebra1",
      session: "over-http",
      kind: "tool",
      limit: 1,
      explain: true,
    });
    expect([zebra?.source.session, zebra?.snippets[0]?.text]).toEqual([
      "over-http",
      expect.stringContaining("zebra1 is 7001"),
    ]);
    const full = await found(gateway, { query: "zebra1", scope: "all", full: true });
    expect(full[0]?.snippets[0]?.text).toBe(`the port of zebra1 is 7001\n${LONG}`);

    const ref = `over-http:${zebra?.ref}`;
    const [, original] = await post(gateway, { query: ref });
    expect(original).toEqual({
      session: "over-http",
      items: [
        {
          ref: zebra?.ref,
          sourceType: "tool",
          text: `the port of zebra1 is 7001\n${LONG}`,
          timestamp: expect.any(String),
        },
      ],
    });
    for (const id of [zebra?.id ?? "", ref]) {
      const [status, { item, around }] = await get(gateway, `/items/${encodeURIComponent(id)}?around=1`);
      expect([status, (item as Json)["text"]]).toEqual([200, `the port of zebra1 is 7001\n${LONG}`]);
      const texts = (around as Json[]).map((one) => String(one["text"]));
      for (const n of [0, 1, 2]) expect(texts.some((one) => one.includes(`zebra${n} is`))).toBe(true);
    }
    expect((await get(gateway, `/items/${own}:t1.1`))[1]["item"]).toMatchObject({
      session: own,
      text: expect.stringContaining("Oswin"),
    });
    expect(
      ((await post(gateway, { around: 1, session: own, window: 1 }))[1]["items"] as Json[]).map((i) => i["ref"]),
    ).toContain("t2.1");
    const inOrder = await found(gateway, { query: "zebra0 zebra1", order: "time", scope: "all", role: ["tool"] });
    expect(inOrder.map((hit) => /zebra(\d)/.exec(hit.snippets[0]?.text ?? "")?.[1])).toEqual(["0", "1"]);

    const [, stats] = await get(gateway, "/stats");
    expect(stats).toMatchObject({
      enabled: true,
      embedder: "none",
      sessions: 2,
      waiting: 0,
      kinds: { turn: expect.any(Number) },
    });
    expect(stats["items"]).toBe(Object.values(stats["kinds"] as Json).reduce((sum: number, n) => sum + Number(n), 0));
  });

  it("R44 R56 an item is forgotten over HTTP, with what was learned from it", async () => {
    const [gateway] = await stage();
    expect((await run(gateway.place, ["-p", "The lighthouse uses Redis."])).code).toBe(0);
    const query = { query: "lighthouse", kind: "turn", role: "user" };
    const [hit] = await found(gateway, query);
    const answer = await gateway.api("/api/recall/forget", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ids: [hit?.id] }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { items: 1, episodes: 2, facts: expect.any(Number), entities: expect.any(Number) },
    ]);
    expect(await found(gateway, query)).toEqual([]);
    expect(await found(gateway, { query: "lighthouse", kind: "fact" })).toEqual([]);
  });

  it("R44 a search is told as an event without its text", async () => {
    const [gateway] = await stage();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const stream = await gateway.api("/api/events", { signal: stop.signal });
    await post(gateway, { query: "nothing of that kind", scope: "all" });
    let seen = "";
    for await (const chunk of stream.body ?? []) {
      seen += Buffer.from(chunk).toString();
      if (seen.includes("recall.completed") && seen.endsWith("\n\n")) break;
    }
    const data = /event: recall\.completed\ndata: (.*)/.exec(seen)?.[1] ?? "{}";
    expect(JSON.parse(data)).toEqual({
      caller: "api",
      scope: "all",
      results: 0,
      partial: false,
      durationMs: expect.any(Number),
    });
    expect(seen).not.toContain("that kind");
  });

  it("R44 M144 RB6 what cannot be asked is refused with its code; strange names match nothing", async () => {
    const [gateway] = await stage();
    const refused = async (body: Json): Promise<[number, unknown]> => {
      const [status, answer] = await post(gateway, body);
      expect(Object.keys(answer["error"] as Json)).toEqual(["code", "message", "hint"]);
      return [status, (answer["error"] as Json)["code"]];
    };
    expect(await refused({})).toEqual([400, "invalid_inputs"]);
    expect(await refused({ query: "x", colour: "red" })).toEqual([400, "invalid_inputs"]);
    expect(await refused({ query: "x", limit: 0 })).toEqual([400, "invalid_inputs"]);
    expect(await refused({ query: "x", kind: ["poem"] })).toEqual([400, "invalid_inputs"]);
    expect(await refused({ query: "x", before: "whenever" })).toEqual([400, "invalid_inputs"]);
    expect(await refused({ query: "x", scope: "moon" })).toEqual([400, "invalid_scope"]);
    expect(await refused({ query: "x", scope: "session" })).toEqual([400, "invalid_scope"]);
    expect(await refused({ query: "x", session: "nobody" })).toEqual([404, "session_not_found"]);
    expect(await found(gateway, { query: "x", repo: "a') OR 1=1--" })).toEqual([]);
    expect((await get(gateway, "/items/nothing"))[0]).toBe(404);
    expect((await get(gateway, "/items/nothing?around=-1"))[0]).toBe(400);
    const forget = async (body: Json) =>
      (
        await gateway.api("/api/recall/forget", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        })
      ).status;
    expect(await forget({})).toBe(400);
    expect(await forget({ ids: ["nothing"] })).toBe(404);
    const bare = await fetch(`${gateway.url}/api/recall/stats`);
    expect(bare.status).toBe(401);
  });

  it("R55 recall.enabled=false: nothing is indexed, no block is added, no search; stored originals stay reachable", async () => {
    const [gateway, server] = await stage({ EVERLONG_RECALL: "off" });
    const client = await converse(gateway, server, "quiet", 14);
    const last = await client.say("Which port has zebra1?");
    expect(last.headers.get("x-everlong-action")).toBe("trim");
    expect(blocksOf(last.sent, "everlong_recall")).toEqual([]);
    const [status, answer] = await post(gateway, { query: "zebra1", scope: "all" });
    expect([status, (answer["error"] as Json)["code"]]).toEqual([409, "recall_off"]);
    expect((await get(gateway, "/stats"))[1]).toMatchObject({ enabled: false, items: 0, passages: 0 });
    const [drop] = gateway.events("quiet").filter((event) => String(event["text"]).includes("zebra1 is 7001"));
    expect(drop).toBeDefined();
    const { items } = (await post(gateway, { query: "quiet:t2" }))[1] as { items: Json[] };
    expect(items.some((item) => String(item["text"]).includes("zebra1 is 7001"))).toBe(true);
  });
});

it("X63 the store is opened before the first request; with memory off there is none", async () => {
  const [gateway] = await stage();
  const store = (home: string): boolean => existsSync(join(home, "store.db"));
  await until("the store", () => store(gateway.place.home));
  const [off] = await stage({ CLIPROXY_MEMORY_ENABLED: "0" });
  await wait(1000);
  expect(store(off.place.home)).toBe(false);
});

describe("X46 from the command line", () => {
  it("X46 a ref of a proxied session prints the whole text, with and without the gateway; --session searches it", async () => {
    const [gateway, server] = await stage();
    await converse(gateway, server, "My.Session of_X46", 3);
    const hit = await stored(gateway, "zebra1");
    const { session } = hit.source;
    expect(session).toMatch(/^my\.session_of_x46~[0-9a-f]{12}$/);
    const whole = `the port of zebra1 is 7001\n${LONG}`;
    const printed = await gateway.cli(["recall", `${session}:${hit.ref}`]);
    expect([printed.code, printed.stdout.trim(), printed.stderr]).toEqual([0, whole, ""]);
    expect((await gateway.cli(["recall", hit.ref, "--session", session])).stdout.trim()).toBe(whole);
    expect((await gateway.cli(["recall", hit.id, "--all"])).stdout.trim()).toBe(whole);
    const turn = (await gateway.cli(["recall", `${session}:t2`])).stdout;
    expect(turn).toMatch(/\[t2\.1 user\]\nRead part 1\.[\s\S]*zebra1 is 7001/);
    expect((await gateway.cli(["recall", "--around", `${session}:t2`, "--window", "1"])).stdout).toMatch(
      /zebra0[\s\S]*zebra2/,
    );
    const searched = await gateway.cli(["recall", "zebra1", "--session", session.slice(0, 10)]);
    expect(searched.stdout).toContain(`session ${session} ${hit.ref}`);
    const missing = await gateway.cli(["recall", `${session}:t99.1`]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("Nothing is stored")]);
    // Words that only look like a ref are looked for.
    expect((await gateway.cli(["recall", "nobody:t2.1", "--all"])).code).toBe(0);
    await gateway.stop();
    expect((await gateway.cli(["recall", `${session}:${hit.ref}`])).stdout.trim()).toBe(whole);
  });
});
