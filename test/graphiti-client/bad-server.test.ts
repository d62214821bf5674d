// RE11: a Graphiti server that is dead, slow, wrong or forgetful delays no turn, and nothing is lost or sent twice.
import { describe, expect, it } from "vitest";
import { start } from "../tool/everlong.ts";
import { type Misbehaviour, startGraphiti } from "./server.ts";
import { stage } from "./stage.ts";

const isPost = (path: string) => path === "/messages";
const once = (trick: Misbehaviour) => {
  let used = false;
  return ({ path }: { path: string }) => {
    if (used || !isPost(path)) return undefined;
    used = true;
    return trick;
  };
};

describe("RE11 bad server", () => {
  it("RE11 RB14 GC14 GC17 what a dead server did not get is sent by the next process, in order and once", async () => {
    const { graphiti, turn, say } = await stage();
    graphiti.script = ({ path }) =>
      isPost(path) ? { type: "status", status: 500, body: "Internal Server Error" } : undefined;
    const first = await turn("first words");
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("It is done.")]);
    expect(first.stderr).toContain("Internal Server Error");
    expect(graphiti.names()).toEqual([]);
    expect((await say("graph", "queue")).stdout.match(/^g\d+ {2}\w+ {2}everlong\.turn/gm)).toHaveLength(4);
    graphiti.script = () => undefined;
    await say("graph", "queue", "retry");
    await turn("second words", "--continue");
    const names = graphiti.names();
    expect(names).toHaveLength(8);
    expect(new Set(graphiti.episodes.map(({ group, message }) => `${group} ${message.name}`)).size).toBe(8);
    for (const group of new Set(graphiti.episodes.map((one) => one.group)))
      expect(graphiti.episodes.filter((one) => one.group === group).map(({ message }) => message.content)).toEqual([
        "first words",
        "It is done.",
        "second words",
        "It is done.",
      ]);
  });

  it("GC17 GC18 a wrong token blames no message: all of them wait, and arrive once it is right", async () => {
    const { graphiti, turn, say } = await stage({ env: { EVERLONG_GRAPHITI_SCOPES: "session" } });
    graphiti.script = ({ path }) =>
      isPost(path) ? { type: "status", status: 401, body: '{"detail":"Not authenticated"}' } : undefined;
    await turn("first words");
    expect((await say("graph", "queue")).stdout).not.toContain("parked");
    graphiti.script = () => undefined;
    await say("graph", "queue", "retry");
    await turn("second words", "--continue");
    expect(graphiti.episodes.map(({ message }) => message.content)).toEqual([
      "first words",
      "It is done.",
      "second words",
      "It is done.",
    ]);
  });

  it("RE11 RB18 GC19 a connection that breaks after the body went out: names are looked up, one episode each", async () => {
    const { graphiti, turn, say } = await stage({ env: { EVERLONG_GRAPHITI_SCOPES: "session" } });
    graphiti.script = once({ type: "reset", stores: true });
    await turn("one message");
    await say("graph", "queue", "retry");
    await turn("another", "--continue");
    const names = graphiti.names();
    expect(names).toHaveLength(4);
    expect(new Set(names).size).toBe(4);
    expect(graphiti.calls.some(({ path }) => path.startsWith("/episodes/"))).toBe(true);
  });

  it("RE11 RB18 GC19 GC14 kill -9 between the sending and its acknowledgement: the next process looks first, one episode each", async () => {
    const { graphiti, place, turn, say } = await stage({ env: { EVERLONG_GRAPHITI_SCOPES: "session" } });
    const killed = start(place, ["-p", "one message"]);
    graphiti.script = ({ path }) => {
      if (!isPost(path)) return undefined;
      killed.kill("SIGKILL");
      return { type: "reset", stores: true };
    };
    expect((await killed.done).signal).toBe("SIGKILL");
    graphiti.script = () => undefined;
    expect((await say("graph", "queue")).stdout).toMatch(/sending/);
    await turn("another", "--continue");
    expect(graphiti.episodes.map(({ message }) => message.content)).toEqual([
      "one message",
      "It is done.",
      "another",
      "It is done.",
    ]);
  });

  it("RE11 RB16 GC18 one of the messages is refused: it is set aside with the reason, the others arrive, retry sends it", async () => {
    const { graphiti, turn, say } = await stage({ env: { EVERLONG_GRAPHITI_SCOPES: "session" } });
    graphiti.script = ({ path, body }) =>
      isPost(path) && JSON.stringify(body).includes("poison")
        ? { type: "status", status: 422, body: '{"detail":\n   "no poison"}' }
        : undefined;
    await turn("this is poison");
    expect(graphiti.episodes.map(({ message }) => message.content)).toEqual(["It is done."]);
    const queue = await say("graph", "queue");
    expect(queue.stdout).toMatch(
      /^g\d+ {2}parked {2}everlong\.turn\..+\.user {2}\(HTTP 422: \{"detail": "no poison"\}\)$/m,
    );
    graphiti.script = () => undefined;
    expect((await say("graph", "queue", "retry")).stdout).toContain("Trying again: 1");
    expect(graphiti.episodes.map(({ message }) => message.content)).toEqual(["It is done.", "this is poison"]);
  });

  it("RB20 GC14 what waits for one endpoint never goes to another, and revoked consent stops it", async () => {
    const { place, graphiti, turn, say } = await stage();
    graphiti.script = () => ({ type: "status", status: 503, body: "later" });
    await turn("for the first server");
    const other = await startGraphiti();
    place.env["EVERLONG_GRAPHITI_ENDPOINT"] = other.url;
    await say("consent", "grant", other.url);
    await turn("for the second server");
    expect(JSON.stringify(other.calls)).not.toContain("for the first server");
    expect(JSON.stringify(other.calls)).toContain("for the second server");
    place.env["EVERLONG_GRAPHITI_ENDPOINT"] = graphiti.url;
    await say("consent", "revoke", graphiti.url);
    const before = graphiti.connections();
    await say("graph", "queue", "retry");
    await turn("nobody hears this");
    expect(graphiti.connections()).toBe(before);
    expect((await say("graph", "status")).stdout).toContain("Graphiti server: no_consent");
  });
});
