// GC13: earlier sessions go to a Graphiti server only when asked for; twice is once, and an interrupted run goes on.
import { describe, expect, it } from "vitest";
import { start } from "../tool/everlong.ts";
import { stage } from "./stage.ts";

const OFF = { EVERLONG_GRAPHITI_ENABLED: "0" };
const isPost = (path: string) => path === "/messages";

/** Sessions of before the server was connected. */
async function past(texts: readonly string[], env: Record<string, string> = {}) {
  const scene = await stage({ env: { ...env, ...OFF }, consent: false });
  for (const text of texts) await scene.turn(text);
  scene.place.env["EVERLONG_GRAPHITI_ENABLED"] = "1";
  await scene.say("consent", "grant", scene.graphiti.url);
  return scene;
}
const contents = (scene: Awaited<ReturnType<typeof past>>) =>
  scene.graphiti.episodes
    .filter(({ group }) => group.startsWith("graphiti_workspace"))
    .map(({ message }) => message.content);

describe("GC13 backfill", () => {
  it("GC13 dry run counts and connects to nobody; the run sends old sessions in order; again sends nothing", async () => {
    const scene = await past(["one", "two", "three"]);
    const { graphiti, say, turn } = scene;
    const dry = await say("graph", "backfill", "--dry-run");
    expect([dry.code, dry.stdout.trim()]).toEqual([
      0,
      `3 turns of 3 sessions (12 messages) would go to ${graphiti.url}.`,
    ]);
    expect(graphiti.connections()).toBe(0);
    await turn("four");
    expect(contents(scene)).toEqual(["four", "It is done."]);
    const done = await say("graph", "backfill", "--json");
    expect([done.code, JSON.parse(done.stdout)]).toEqual([
      0,
      { endpoint: graphiti.url, sessions: 3, turns: 3, messages: 12 },
    ]);
    expect(contents(scene).filter((text) => text !== "It is done.")).toEqual(["four", "one", "two", "three"]);
    expect((await say("graph", "backfill")).stdout).toContain("has everything of this folder already");
    expect(new Set(graphiti.episodes.map(({ group, message }) => `${group} ${message.name}`)).size).toBe(16);
    expect(graphiti.episodes).toHaveLength(16);
  });

  it("GC13 a resumed conversation's earlier turns follow by themselves, in order; other sessions do not", async () => {
    const scene = await past(["elsewhere", "one"]);
    await scene.turn("two", "--continue");
    expect(contents(scene)).toEqual(["one", "It is done.", "two", "It is done."]);
  });

  it("GC13 RB19 a small queue is no limit: what was dropped comes, the bound holds, promotions stay", async () => {
    const scene = await past([], { EVERLONG_GRAPHITI_MAX_QUEUE_SIZE: "8", EVERLONG_GRAPHITI_SCOPES: "both" });
    const { graphiti, say, turn } = scene;
    graphiti.script = ({ path }) => (isPost(path) ? { type: "status", status: 503, body: "later" } : undefined);
    await say("promote", "--kind", "decision", "We use Postgres");
    const turns = ["one", "two", "three", "four"];
    for (const text of turns) await turn(text, ...(text === "one" ? [] : ["--continue"]));
    const waiting = (await say("graph", "queue", "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(waiting.length).toBeLessThanOrEqual(8);
    expect(waiting.filter(({ kind }) => kind === "promotion")).toHaveLength(1);
    graphiti.script = () => undefined;
    await say("graph", "queue", "retry");
    expect((await say("graph", "backfill")).code).toBe(0);
    const said = contents(scene).filter((text) => turns.includes(text));
    expect([...said].sort()).toEqual([...turns].sort());
    expect(graphiti.names().filter((name) => name.startsWith("everlong.promotion."))).toHaveLength(1);
    for (const group of new Set(graphiti.episodes.map((one) => one.group)))
      expect(new Set(graphiti.names(group)).size).toBe(graphiti.names(group).length);
  });

  it("GC13 Ctrl+C keeps what went and exits with 130; the next run brings the rest, once", async () => {
    const scene = await past(["one", "two", "three", "four"], { EVERLONG_GRAPHITI_MAX_QUEUE_SIZE: "4" });
    const { graphiti, place, say } = scene;
    const run = start(place, ["graph", "backfill"]);
    let isStopped = false;
    graphiti.script = ({ path, body }) => {
      if (!isPost(path) || !JSON.stringify(body).includes('"two"')) return undefined;
      if (!isStopped) run.kill("SIGINT");
      isStopped = true;
      return { type: "late", ms: 300 };
    };
    const stopped = await run.done;
    expect([stopped.code, stopped.stdout]).toEqual([130, expect.stringContaining("Stopped.")]);
    graphiti.script = () => undefined;
    expect((await say("graph", "backfill")).code).toBe(0);
    expect(contents(scene).filter((text) => text !== "It is done.")).toEqual(["one", "two", "three", "four"]);
  });

  it("GC13 GC1 a server that is down or not agreed to stops it with exit 1, and nothing is lost", async () => {
    const scene = await past(["one"]);
    const { graphiti, say } = scene;
    await say("consent", "revoke", graphiti.url);
    const refused = await say("graph", "backfill");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("no_consent")]);
    expect(graphiti.connections()).toBe(0);
    await say("consent", "grant", graphiti.url);
    graphiti.script = () => ({ type: "status", status: 503, body: "later" });
    const down = await say("graph", "backfill");
    expect([down.code, down.stdout]).toEqual([1, expect.stringContaining("takes no messages: HTTP 503")]);
    graphiti.script = () => undefined;
    await say("graph", "queue", "retry");
    await say("graph", "backfill");
    expect(contents(scene)).toEqual(["one", "It is done."]);
  });

  it("GC13 --session and --since choose; a session of another folder is refused; without a server the graph is filled", async () => {
    const scene = await past(["The staging port is 8081.", "two"]);
    const { graphiti, say, place } = scene;
    const rows = JSON.parse((await say("sessions", "--json")).stdout) as { id: string }[];
    const oldest = rows.at(-1)?.id ?? "";
    expect((await say("graph", "backfill", "--session", oldest)).stdout).toContain("1 turn of 1 session");
    expect(contents(scene)).toEqual(["The staging port is 8081.", "It is done."]);
    expect((await say("graph", "backfill", "--since", "2999-01-01")).stdout).toContain("has everything");
    expect((await say("graph", "backfill", "--since", "gibberish")).code).toBe(2);
    expect((await say("graph", "backfill", "--session", "ffffffff")).code).not.toBe(0);
    Object.assign(place.env, { EVERLONG_GRAPHITI_ENDPOINT: "", EVERLONG_GRAPH: "1" });
    await say("graph", "forget", "--group", "x", "--yes");
    expect((await say("graph", "backfill")).stdout).toContain("the graph has everything");
    expect(graphiti.episodes).toHaveLength(4);
  });
});
