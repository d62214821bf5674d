// RE13 with a Graphiti server: a promotion is one system message to the group of its scope, and an undo says what the server keeps.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Script } from "./server.ts";
import { stage } from "./stage.ts";

const down: Script = () => ({ type: "status", status: 503, body: "later" });

describe("RE13 promotions to a server", () => {
  it("GC28 GC29 RE13 one message with its block, name and description, delivered by the command itself, else by the next process", async () => {
    const { graphiti, say } = await stage();
    graphiti.script = down;
    expect(
      await say("promote", "--scope", "user", "--kind", "decision", "We use </graphiti_episode> Postgres"),
    ).toMatchObject({ code: 0 });
    expect((await say("graph", "promotions")).stdout).toContain("user decision, queued: We use");
    graphiti.script = () => undefined;
    await say("graph", "queue", "retry");
    expect((await say("graph", "promotions")).stdout).toContain("user decision, delivered: We use");
    const posts = graphiti.calls.filter(({ path }) => path === "/messages");
    const promoted = posts.filter(({ body }) => String(body["group_id"]).startsWith("graphiti_user_"));
    expect(promoted.at(-1)?.body["messages"]).toEqual([
      {
        content: expect.stringMatching(
          /^<graphiti_episode kind="decision">\nsource: everlong\nscope: user\ntimestamp: \S+\ncontent:\nWe use &lt;\/graphiti_episode> Postgres\n<\/graphiti_episode>$/,
        ),
        name: expect.stringMatching(/^everlong\.promotion\./),
        role_type: "system",
        role: "everlong",
        timestamp: expect.stringMatching(/^20\d\d-.+Z$/),
        source_description: "everlong:promotion:user:decision",
      },
    ]);
  });

  it("GC36 RE13 a delivered one is found by name; its own facts and then the episode are deleted, and a look shows it", async () => {
    const { graphiti, say, turn } = await stage();
    await say("promote", "--kind", "preference", "I prefer tabs");
    await turn("Hello there.");
    const [episode] = graphiti.episodes.filter(({ message }) => message.name.startsWith("everlong.promotion."));
    const shared = { fact: "Shared.", episodes: [episode?.uuid, "another"] };
    graphiti.edges.set("own", { uuid: "own", fact: "I prefer tabs", episodes: [episode?.uuid] });
    graphiti.edges.set("shared", { uuid: "shared", ...shared });
    const undone = await say("graph", "undo");
    expect([undone.code, undone.stdout]).toEqual([
      0,
      expect.stringContaining("The Graphiti server deleted it, with 1 fact"),
    ]);
    expect(undone.stdout).toContain("1 pin ended");
    expect(graphiti.names().filter((name) => name.includes("promotion"))).toEqual([]);
    expect([...graphiti.edges.keys()]).toEqual(["shared"]);
    const deletes = graphiti.calls.filter(({ method }) => method === "DELETE").map(({ path }) => path);
    expect(deletes).toEqual(["/entity-edge/own", `/episode/${episode?.uuid}`]);
    expect((await say("graph", "promotions")).stdout).toContain("Nothing was promoted here yet.");
  });

  it("GC36 a server that lies about deleting, or is gone, is named with exit 1; trying again finishes it", async () => {
    const { graphiti, say, turn } = await stage();
    await say("promote", "--kind", "decision", "We use Postgres");
    await turn("Hello there.");
    graphiti.script = ({ method }) => (method === "DELETE" ? { type: "status", status: 200, body: "{}" } : undefined);
    const lied = await say("graph", "undo");
    expect([lied.code, lied.stdout]).toEqual([1, expect.stringContaining("still shows it")]);
    graphiti.script = () => ({ type: "status", status: 503, body: "later" });
    const id = /graph undo (\S+)/.exec(lied.stdout)?.[1] ?? "";
    expect((await say("graph", "promotions")).stdout).toContain("undone here; the Graphiti server may still have it");
    expect((await say("graph", "undo", id)).code).toBe(1);
    graphiti.script = () => undefined;
    expect((await say("graph", "undo", id)).code).toBe(0);
    expect(graphiti.names().filter((name) => name.includes("promotion"))).toEqual([]);
    expect((await say("graph", "undo", id)).stderr).toContain("No such promotion");
  });

  it("GC36 GC20 one that was taken and is not shown yet is not called gone", async () => {
    const { graphiti, say, turn } = await stage();
    graphiti.script = ({ path }) => (path === "/messages" ? { type: "forget" } : undefined);
    await say("promote", "--kind", "decision", "We use Postgres");
    await turn("Hello there.");
    const undone = await say("graph", "undo");
    expect([undone.code, undone.stdout]).toEqual([1, expect.stringContaining("does not show it yet")]);
  });

  it("GC36 RI12 undo opens no connection to a server whose consent was taken back", async () => {
    const { graphiti, say, turn } = await stage();
    await say("promote", "--kind", "decision", "We use Postgres");
    await turn("Hello there.");
    await say("consent", "revoke", graphiti.url);
    const before = graphiti.connections();
    expect((await say("graph", "undo")).code).toBe(1);
    expect(graphiti.connections()).toBe(before);
  });

  it("GC30 GC36 with the graph off a ready server gets it alone: listed, delivered, pinned and undone", async () => {
    const { graphiti, say } = await stage({ env: { EVERLONG_GRAPH: "0" } });
    const promoted = await say("promote", "--kind", "preference", "--scope", "user", "I prefer tabs");
    expect([promoted.code, promoted.stderr]).toEqual([0, ""]);
    expect(graphiti.names().filter((name) => name.startsWith("everlong.promotion."))).toHaveLength(1);
    expect((await say("graph", "promotions")).stdout).toMatch(/user preference, delivered: I prefer tabs/);
    expect((await say("recall", "--pins")).stdout).toContain("I prefer tabs");
    expect((await say("graph", "facts")).code).toBe(1);
    expect((await say("graph", "status")).stdout).toContain("Graphiti server: ready");
    const undone = await say("graph", "undo");
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining("1 pin ended")]);
    expect(graphiti.names().filter((name) => name.startsWith("everlong.promotion."))).toEqual([]);
    expect((await say("graph", "promotions")).stdout).toContain("Nothing was promoted");
  });

  it("GC30 with neither graph nor server nothing is stored, not even a pin: exit 1", async () => {
    const { say } = await stage({ env: { EVERLONG_GRAPH: "0" }, consent: false });
    const promoted = await say("promote", "--kind", "preference", "I prefer tabs");
    expect([promoted.code, promoted.stderr]).toEqual([1, expect.stringContaining("nowhere to promote to")]);
    expect((await say("recall", "--pins")).stdout).not.toContain("tabs");
  });

  it("GC35 GC30 directives ride the same queue with the graph off", async () => {
    const { graphiti, turn } = await stage({
      env: { EVERLONG_GRAPH: "0", EVERLONG_GRAPHITI_AUTO_PROMOTE_ENABLED: "1" },
    });
    await turn("Please fix it.\nDecision: one transaction\ndecision: `not this`\n```\ndecision: nor this\n```");
    await turn("And again.", "--continue");
    const promotions = graphiti.episodes.filter(({ message }) => message.name.startsWith("everlong.auto_promotion."));
    expect(promotions.map(({ message }) => message.content)).toEqual([
      expect.stringContaining("content:\none transaction\n"),
      expect.stringContaining("`not this`"),
    ]);
  });

  it("R56 RI6 a promotion that is forgotten does not leave any more, and its words leave the queue and the journal", async () => {
    const { place, graphiti, say, turn } = await stage();
    graphiti.script = down;
    await say("promote", "--kind", "decision", "We use zanzibarium");
    graphiti.script = () => undefined;
    graphiti.calls.length = 0;
    const id = JSON.parse((await say("graph", "promotions", "--json")).stdout).id as string;
    expect((await say("graph", "forget", id, "--yes")).code).toBe(0);
    await turn("Hello there.");
    expect(JSON.stringify(graphiti.calls)).not.toContain("zanzibarium");
    const bytes = readdirSync(place.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes("zanzibarium"));
    expect(bytes.map(({ name }) => name)).toEqual([]);
  });

  it("GC36 RI12 one that has not left is taken out of the queue; without consent none is queued", async () => {
    const { graphiti, say, turn } = await stage();
    await graphiti.pause();
    await say("promote", "--kind", "decision", "We use Postgres");
    const undone = await say("graph", "undo");
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining("Undone")]);
    await graphiti.resume();
    await say("consent", "revoke", graphiti.url);
    await say("promote", "--kind", "decision", "We use Redis");
    expect((await say("graph", "promotions")).stdout).toMatch(/workspace decision, stored: We use Redis/);
    await say("consent", "grant", graphiti.url);
    await turn("Hello there.");
    expect(JSON.stringify(graphiti.calls)).not.toMatch(/Postgres|Redis/);
  });
});
