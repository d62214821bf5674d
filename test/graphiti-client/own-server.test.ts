// RE10 to RE14 with our own /graphiti as the Graphiti server: both sides fit, field by field and fault by fault.
import { describe, expect, it } from "vitest";
import { until, userTexts } from "../agent/scene.ts";
import { run } from "../tool/everlong.ts";
import type { Misbehaviour } from "./server.ts";
import { ownGraphiti, type Stage, stage } from "./stage.ts";

const isPost = (path: string) => path === "/messages";

async function ownStage(env: Record<string, string> = {}): Promise<Stage & Awaited<ReturnType<typeof ownGraphiti>>> {
  const own = await ownGraphiti();
  const scene = await stage({
    graphiti: own.graphiti,
    env: { EVERLONG_GRAPHITI_TOKEN: own.token, EVERLONG_GRAPH: "0", ...env },
  });
  return { ...own, ...scene };
}
const texts = ({ graphiti }: Stage, scope: string) =>
  graphiti.episodes.filter(({ group }) => group.startsWith(`graphiti_${scope}_`)).map(({ message }) => message.content);

describe("our own server as the Graphiti server", () => {
  it("RE10 RE14 GC9 GC10 GC21 a turn is two messages a group with names, roles and times; without the token nothing arrives", async () => {
    const scene = await ownStage({ EVERLONG_GRAPHITI_INCLUDE_SYSTEM_MESSAGES: "1" });
    const { graphiti, turn, place } = scene;
    await turn("The port is 9090 now.");
    await turn("And the host is earth.", "--continue");
    for (const scope of ["session", "workspace"])
      expect(texts(scene, scope)).toEqual([
        expect.stringContaining('<graphiti_episode kind="ownership_context">'),
        "The port is 9090 now.",
        "It is done.",
        "And the host is earth.",
        "It is done.",
      ]);
    expect(graphiti.episodes.map(({ message }) => [message.role_type, message.role])).toContainEqual([
      "assistant",
      "assistant",
    ]);
    place.env["EVERLONG_GRAPHITI_TOKEN"] = "wrong-token-0123456789";
    const refused = await turn("Nobody hears this.");
    expect([refused.code, refused.stderr]).toEqual([0, expect.stringContaining("HTTP 401")]);
    expect(JSON.stringify(graphiti.episodes)).not.toContain("Nobody hears this.");
  });

  it("RE11 RE14 GC17 GC18 GC19 faults on the way: order kept, no name twice, nothing lost", async () => {
    const scene = await ownStage();
    const { graphiti, turn, say } = scene;
    const tricks: Misbehaviour[] = [
      { type: "reset", stores: true },
      { type: "status", status: 500, body: "Internal Server Error" },
      { type: "status", status: 502, body: "<html>Bad gateway</html>" },
      { type: "status", status: 200, body: "<html>Log in</html>" },
      { type: "status", status: 307, body: "", headers: { location: "http://127.0.0.1:9/messages" } },
    ];
    const said: string[] = [];
    for (const [i, trick] of tricks.entries()) {
      let used = false;
      graphiti.script = ({ path }) => {
        if (used || !isPost(path)) return undefined;
        used = true;
        return trick;
      };
      said.push(`message ${i}`, "It is done.");
      await turn(`message ${i}`, ...(i === 0 ? [] : ["--continue"]));
      await say("graph", "queue", "retry");
    }
    graphiti.script = () => undefined;
    await say("graph", "queue", "retry");
    for (const scope of ["session", "workspace"]) expect(texts(scene, scope)).toEqual(said);
    expect((await say("graph", "queue", "--json")).stdout).not.toMatch(/"(?:queued|sending|parked)"/);
  });

  it("RE11 RB17 GC20 what a server took and forgot is not called stored, and later turns go on", async () => {
    const scene = await ownStage({ EVERLONG_GRAPHITI_SCOPES: "session" });
    const { graphiti, turn, say } = scene;
    graphiti.script = ({ path }) => (isPost(path) ? { type: "forget" } : undefined);
    await turn("taken and forgotten");
    expect(graphiti.episodes).toEqual([]);
    graphiti.script = () => undefined;
    await turn("stored", "--continue");
    expect(texts(scene, "session")).toEqual(["stored", "It is done."]);
    expect((await say("graph", "status")).stdout).toContain("4 not confirmed yet");
  });

  it("RE12 RE14 GC23 GC24 GC25 facts that our server learned stand before the request, current ones only", async () => {
    const scene = await ownStage({ EVERLONG_GRAPHITI_RECALL_ENABLED: "1", EVERLONG_OUTPUT_FORMAT: "stream-json" });
    const { gateway, place, turn, model } = scene;
    await turn("The staging port is 8081.");
    await turn("The staging port is now 9090.");
    await until("the fact", async () => {
      const answer = await gateway.api("/graphiti/search", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "staging port" }),
      });
      return JSON.stringify(await answer.json()).includes("9090");
    });
    const done = await run(place, ["-p", "Which staging port do we use?"]);
    const request = userTexts(model.requests.at(-1)).join("\n");
    const block = /<graphiti_memory>[\s\S]*?<\/graphiti_memory>/.exec(request)?.[0] ?? "";
    expect(block.split("\n").filter((line) => line.startsWith("- "))).toEqual([
      expect.stringMatching(/^- \[workspace\] The staging port is now 9090\. \(since 20\d\d-\d\d-\d\d\)$/),
    ]);
    expect(done.events.find(({ type }) => type === "graphiti.recall")?.data).toMatchObject({ shown: 1 });
  });

  it("RE13 RE14 GC36 a promotion is delivered and undone: its episode and its facts are gone there", async () => {
    const { gateway, graphiti, say } = await ownStage({ EVERLONG_GRAPH: "1" });
    expect((await say("promote", "--kind", "decision", "We use Postgres")).code).toBe(0);
    const search = async () => {
      const answer = await gateway.api("/graphiti/search", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "Postgres" }),
      });
      return ((await answer.json()) as { facts: unknown[] }).facts;
    };
    await until("the facts", async () => (await search()).length > 0);
    const undone = await say("graph", "undo");
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining("The Graphiti server deleted it")]);
    expect(await search()).toEqual([]);
    expect(graphiti.names().filter((name) => name.includes("promotion"))).toEqual([]);
  });

  it("RE14 GC37 GC38 the test command is content with it and leaves nothing", async () => {
    const { say, graphiti } = await ownStage();
    const done = await say("graph", "test", "--smoke");
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("nothing remains")]);
    expect(done.stdout).toMatch(/^ok {2}groups\/resolve/m);
    expect(graphiti.episodes).toEqual([]);
  });
});
