// RE6: what is forgotten is in no answer, no graph, no prompt and no byte of the store; nothing brings it back.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitInit, scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { type Place, run, sessionsOf } from "../tool/everlong.ts";

type Hits = { results: { id: string; kind: string; role: string }[] };

/** Names of files of the store and the journal that hold the word, whole or as it was tokenised. */
function filesWith(place: Place, word: string): string[] {
  const files = [
    ...readdirSync(place.home).filter((name) => name.startsWith("store.db")),
    ...readdirSync(join(place.home, "journal")).map((name) => join("journal", name)),
  ];
  return files.filter((name) => readFileSync(join(place.home, name)).toString("latin1").toLowerCase().includes(word));
}

async function say(place: Place, ...args: string[]): Promise<string> {
  const done = await run(place, args);
  expect(done.code, `${args.join(" ")}: ${done.stderr}`).toBe(0);
  return done.stdout;
}

const hits = async (place: Place, word: string): Promise<Hits["results"]> =>
  (JSON.parse(await say(place, "recall", word, "--all", "--json")) as Hits).results;

describe("R56 RE6 everlong recall --forget", () => {
  it("R56 R57 RI6 RE6 a marker in a turn, a memory, a fact and the graph is gone everywhere, and stays gone", async () => {
    const { place, server } = await scene((_request, index) =>
      text(index === 0 ? "The zephyrquark port is 8123." : "Good."),
    );
    gitInit(place);
    await say(place, "-p", "The zephyrquark server uses Redis. The staging port is 9090.");
    await say(place, "-p", "Our linter is biome.");
    const [session = ""] = sessionsOf(place);
    await say(place, "memory", "add", "Deploys run zephyrquark first", "--subject", "deploy");
    await say(place, "graph", "add", "zephyrquark", "USES", "postgres");
    await say(place, "board", "add", "deploy-notes", "--description", "notes", "--content", "about zephyrquark");
    expect(filesWith(place, "zephyrquark").length).toBeGreaterThan(0);
    expect(await say(place, "graph", "search", "zephyrquark")).toContain("zephyrquark");

    // The turn goes by its ref; the rest by the ids that a search shows.
    const turn = await say(place, "recall", "--forget", `${session}:t1`, "--yes");
    expect(turn).toContain("Session logs keep what was said; everlong sessions delete removes them.");
    const ids = (await hits(place, "zephyrquark")).map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(3);
    await say(place, "recall", "--forget", ...ids, "--yes");

    const isGone = async () => {
      expect(await hits(place, "zephyrquark")).toEqual([]);
      expect(await say(place, "graph", "facts", "--scope", "all", "--expired")).not.toContain("zephyrquark");
      expect(await say(place, "memory", "list")).not.toContain("zephyrquark");
      expect(await say(place, "sessions")).not.toContain("zephyrquark");
      expect(filesWith(place, "zephyrquark")).toEqual([]);
    };
    await isGone();
    // What stood beside it is still there.
    expect((await hits(place, "biome")).length).toBeGreaterThan(0);
    await say(place, "recall", "--reindex");
    await isGone();
    // The next turn of the session feeds the graph again, and a new session's prompt holds nothing of it.
    await say(place, "-p", "And what about the linter?", "--resume", session);
    await say(place, "-p", "What do you know about deploys?");
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain("zephyrquark");
    expect(await say(place, "graph", "facts", "--scope", "all", "--expired")).not.toContain("Redis");
  });

  it("RB8 an unknown id changes nothing; without --yes nobody is taken to agree; a date forgets what is older", async () => {
    const { place } = await scene(() => text("Good."));
    gitInit(place);
    await say(place, "-p", "The zephyrquark server uses Redis.");
    const [session = ""] = sessionsOf(place);
    const refused = async (...args: string[]) => {
      const { code, stderr } = await run(place, ["recall", "--forget", ...args]);
      return [code, stderr.split("\n")[0]];
    };
    const before = (await hits(place, "zephyrquark")).map(({ id }) => id);
    expect(await refused(`${session}:t1`, "nothing-of-that-id", "--yes")).toEqual([
      1,
      expect.stringContaining("Nothing is stored under nothing-of-that-id."),
    ]);
    expect(await refused("t1", "--yes")).toEqual([2, expect.stringContaining("does not say which session")]);
    expect(await refused()).toEqual([2, expect.stringContaining("Nothing to forget.")]);
    expect(await refused(`${session}:t1`)).toEqual([
      2,
      expect.stringContaining("Forgetting cannot be undone, so it needs your confirmation."),
    ]);
    expect(await refused("--older-than", "whenever", "--yes")).toEqual([2, expect.stringContaining("not a date")]);
    await say(place, "recall", "--forget", "--older-than", "2020-01-01", "--yes");
    expect((await hits(place, "zephyrquark")).map(({ id }) => id)).toEqual(before);
    await say(place, "recall", "--forget", "--older-than", "2100-01-01", "--yes");
    expect(await hits(place, "zephyrquark")).toEqual([]);
    expect(filesWith(place, "zephyrquark")).toEqual([]);
  });

  it("G23 R57 a turn forgotten in the graph is not fed again; deleting its session takes what was learned from it", async () => {
    const { place } = await scene(() => text("Good."));
    gitInit(place);
    const known = () => say(place, "graph", "facts", "--scope", "all", "--expired");
    await say(place, "-p", "The zephyrquark server uses Redis.");
    const [session = ""] = sessionsOf(place);
    await say(place, "graph", "forget", "--turn", `${session}:t1`, "--yes");
    await say(place, "-p", "The gateway uses Kafka.", "--resume", session);
    const learned = await known();
    expect(learned).toContain("Kafka");
    expect(learned).not.toContain("Redis");
    await say(place, "sessions", "delete", session, "--yes");
    expect(await known()).toContain("No facts are known here yet.");
    for (const word of ["kafka", "zephyrquark"]) expect(filesWith(place, word)).toEqual([]);
  });
});
