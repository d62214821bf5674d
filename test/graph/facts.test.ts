// Facts over time through the command line: what sessions say is learned, changes are kept, and everything can be taken back.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { gitInit, scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";

const graph = async (place: Place, ...args: string[]): Promise<string> => {
  const ended = await run(place, ["graph", ...args]);
  expect(ended.code, ended.stderr).toBe(0);
  return ended.stdout;
};
type FactLine = {
  uuid: string;
  fact: string;
  state: string;
  object: string;
  sources: { session?: string; turn?: number }[];
};
const lines = async (place: Place, ...args: string[]): Promise<FactLine[]> =>
  (await graph(place, ...args, "--json"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FactLine);

describe("facts over time", () => {
  it("G6 G16 G21 G22 what two sessions say is learned; the newer value holds, the older one has ended, both say where from", async () => {
    const { place } = await scene(() => text("noted"));
    gitInit(place);
    await run(place, ["-p", "The staging port is now 8080."]);
    await run(place, ["-p", "The staging port is now 9090."]);
    const now = await lines(place, "search", "staging port");
    expect(now).toMatchObject([{ fact: "The staging port is now 9090.", state: "current", sources: [{ turn: 1 }] }]);
    expect((await lines(place, "facts", "--expired")).map(({ object, state }) => [object, state])).toEqual([
      ["8080", "ended"],
      ["9090", "current"],
    ]);
    const timeline = await graph(place, "timeline", "staging port");
    expect(timeline).toMatch(
      /\+ The staging port is now 8080\..*\n.*- The staging port is now 8080\..*\n.*\+ The staging port is now 9090\./,
    );
    expect(timeline).toMatch(/\(session [0-9a-f]{8}, t1\)/);
    expect(await graph(place, "entity", "staging port")).toMatch(/Now:\n.*9090[\s\S]*Before:\n.*8080/);
  });

  it("G18 the offline model answers with a promoted fact, and says which", async () => {
    const { place } = await scene(() => text("unused"));
    gitInit(place);
    const offline = { ...place, env: { ...place.env, EVERLONG_MODEL: "offline" } };
    await run(offline, ["promote", "--scope", "workspace", "--kind", "decision", "We use Postgres for billing"]);
    const answer = await run(offline, ["-p", "what database do we use for billing?"]);
    expect(answer.stdout).toMatch(/fact [0-9a-f]{8}[\s\S]*We use Postgres for billing/);
    expect(await graph(offline, "search", "billing")).toMatch(/billing {2}since .* \(promotion [0-9a-f]{8}\)$/m);
    expect((await graph(offline, "timeline")).match(/We use Postgres for billing/g)).toHaveLength(1);
    // The notice under its answers is no part of the conversation.
    expect((await run(offline, ["graph", "entity", "OPENAI_API_KEY"])).stdout).toBe("");
    const found = await run(offline, ["recall", "billing"]);
    expect(found.stdout.match(/^fact .* \(since/gm)).toHaveLength(1);
    expect(found.stdout).toMatch(/^fact [0-9a-f]{8} \(since \d{4}-\d\d-\d\d\)\nWe use Postgres for billing$/m);
  });

  it("G5 G22 what belongs together is listed, and everything can be exported", async () => {
    const { place } = await scene(() => text("unused"));
    gitInit(place);
    for (const line of ["api USES redis", "worker USES redis", "api DEPENDS_ON worker"])
      await graph(place, "add", ...line.split(" "));
    expect(await graph(place, "communities")).toMatch(/^api, redis, worker\n {2}\S/);
    const shown = { ...place, env: { ...place.env, EVERLONG_GRAPH_COMMUNITIES: "1" } };
    expect(await graph(shown, "entity", "worker")).toContain("Together with: api, redis, worker");
    const rows = (await graph(place, "export")).trim().split("\n");
    expect(rows.map((row) => (JSON.parse(row) as FactLine).fact).sort()).toEqual([
      "api depends on worker",
      "api uses redis",
      "worker uses redis",
    ]);
  });

  it("G22 G23 a fact is added, ended and forgotten by hand; recall says from when to when it held; its words are gone from the store", async () => {
    const { place } = await scene(() => text("fine"));
    gitInit(place);
    const [added] = await lines(place, "add", "billing", "USES", "zanzibar", "--valid-at", "2026-01-05");
    expect(added).toMatchObject({ fact: "billing uses zanzibar", state: "current" });
    expect(await graph(place, "facts")).toContain("since 2026-01-05 00:00  (added by hand)");
    const tooEarly = await run(place, ["graph", "edit", added?.uuid ?? "", "--invalid-at", "2026-01-04"]);
    expect([tooEarly.code, tooEarly.stderr]).toEqual([2, expect.stringContaining("Give a later time, or now.")]);
    const [ended] = await lines(place, "edit", added?.uuid.slice(0, 8) ?? "", "--invalid-at", "2026-02-01");
    expect(ended?.state).toBe("ended");
    const recalled = await run(place, ["recall", "zanzibar", "--kind", "fact"]);
    expect(recalled.stdout).toMatch(/^fact [0-9a-f]{8} \(since 2026-01-05, until 2026-02-01\)$/m);
    expect(await lines(place, "facts", "--as-of", "2026-01-20")).toHaveLength(1);
    expect(await lines(place, "facts")).toEqual([]);
    expect(await graph(place, "facts", "--as-of", "2020-01-01")).toBe("No facts match that.\n");
    const [other] = await lines(place, "add", "billing", "USES", "nginx", "--valid-at", "yesterday");
    expect((await lines(place, "edit", other?.uuid ?? "", "--invalid-at", "now"))[0]?.state).toBe("ended");
    expect(await graph(place, "forget", added?.uuid ?? "", "--yes")).toContain("Erased 1 fact");
    const db = new DatabaseSync(join(place.home, "store.db"));
    expect(db.prepare("SELECT count(*) AS n FROM graph_fact WHERE text LIKE '%zanzibar%'").get()).toEqual({ n: 0 });
    db.close();
  });

  it("G12 two names that were taken for one thing are two again", async () => {
    const { place } = await scene(() => text("fine"));
    gitInit(place);
    await graph(place, "add", "deployment pipeline", "USES", "redis");
    await graph(place, "add", "deployment pipelines", "USES", "kafka");
    expect(await graph(place, "entity", "deployment pipeline")).toMatch(/also deployment pipelines[\s\S]*kafka/);
    expect(await graph(place, "undo", "--merge", "deployment pipelines")).toBe(
      "deployment pipelines is separate from deployment pipeline again, with 1 fact.\n",
    );
    expect(await graph(place, "entity", "deployment pipeline")).not.toContain("kafka");
    expect(await graph(place, "entity", "deployment pipelines")).toContain("kafka");
    const again = await run(place, ["graph", "undo", "--merge", "deployment pipelines"]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("was not merged")]);
  });

  it("G22 an id that is too short, unknown or no date is refused with what to do", async () => {
    const { place } = await scene(() => text("fine"));
    gitInit(place);
    for (const [args, code, says] of [
      [["edit", "abc", "--invalid-at", "2026-01-01"], 2, "at least six characters"],
      [["edit", "abcdef", "--invalid-at", "2026-01-01"], 1, "everlong graph facts"],
      [["facts", "--as-of", "someday"], 2, "2026-01-31"],
      [["facts", "--scope", "moon"], 2, "workspace"],
      [["add", "api", "USES", "API"], 2, "two different things"],
      [["forget", "abcdef"], 2, "--yes"],
      [["facts", "--as-of", "2026-02-30"], 2, "not a date"],
      [["timeline", "--since", "2025-02-29T10:00"], 2, "not a date"],
      [["add", "api", "USES", "redis", "--valid-at", "2026-06-31"], 2, "not a date"],
      [["add", "x".repeat(1025), "USES", "redis"], 2, "1,024 characters"],
      [["add", "api", "x".repeat(129), "redis"], 2, "128 characters"],
      [["add", "api", "USES", "redis", "--fact", "x".repeat(10_001)], 2, "10,000 characters"],
      [["forget", "--group", "a b", "--yes"], 2, "not a group id"],
      [["forget", "--group", "nowhere", "--yes"], 1, "no group nowhere"],
      [["forget", "--turn", "nobody:t3", "--yes"], 1, "learned from nobody:t3"],
      [["forget", "%%%%%%", "--yes"], 1, "has the id %%%%%%"],
    ] as const) {
      const ended = await run(place, ["graph", ...args]);
      expect([args, ended.code]).toEqual([args, code]);
      expect(ended.stderr).toContain(says);
    }
    expect(await graph(place, "export", "--scope", "all")).toBe("");
  });

  it("RB21 G22 a fact that speaks to the terminal or has many lines is listed on one line of its own", async () => {
    const { place } = await scene(() => text("fine"));
    gitInit(place);
    const name = "red\u001b[31m lamp\u0007\u202e";
    const said = `The ${name} is\nbroken.\n64ef0a50  A fact that nobody said. ${"x".repeat(2000)}`;
    await graph(place, "add", name, "HAS_STATUS", "broken\nglass", "--fact", said);
    for (const verb of [["facts"], ["timeline"], ["entity", "broken glass"], ["search", "lamp"]]) {
      const shown = (await graph(place, ...verb)).trimEnd();
      // The entity's own line and "Now:" come first.
      expect(shown.split("\n").length, shown).toBe(verb[0] === "entity" ? 3 : 1);
      expect(shown).toContain("The red\\x1b[31m lamp\\x07\\x202e is broken. 64ef0a50 A fact that nobody said.");
      expect(shown.length).toBeLessThan(800);
    }
    expect((await lines(place))[0]?.fact).toBe(said);
  });

  it("G6 with graph.enabled off nothing is learned, and the command says how to switch it on", async () => {
    const { place } = await scene(() => text("noted"));
    gitInit(place);
    const off = { ...place, env: { ...place.env, EVERLONG_GRAPH: "0" } };
    await run(off, ["-p", "The staging port is now 8080."]);
    const refused = await run(off, ["graph", "facts"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("graph.enabled true")]);
    expect(await lines(place, "facts")).toEqual([]);
  });
});
