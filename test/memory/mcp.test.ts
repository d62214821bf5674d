// Memories and the board over our own MCP server: one write path, the folder's permission, nobody to ask, only to read the board.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { overHttp, overStdio } from "../mcp/client.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { type Place, run } from "../tool/everlong.ts";
import { allowMemory, list, memory, otherFolder, repository, storeOver } from "./hand-stage.ts";

const gatewayOf = (place: Place, env: Record<string, string> = {}): Promise<TestGateway> =>
  startGateway({ url: "" }, { place: { ...place, env: { ...place.env, ...env } } });

const FIVE = ["recall", "search_sessions", "store_memory", "vote_memory", "context_board"];

async function addItem(place: Place, name: string, content: string, cwd = place.folder): Promise<void> {
  const done = await run(place, ["board", "add", name, "--description", `about ${name}`, "--content", content], {
    cwd,
  });
  expect(done.code, done.stderr).toBe(0);
}

describe("memories over MCP", () => {
  it("M20 a client stores as many facts as one session may; another one has its own count", async () => {
    const place = repository({ EVERLONG_MEMORY_MAX_STORES: "2" });
    await allowMemory(place);
    const gateway = await gatewayOf(place);
    const first = await overHttp(gateway, { root: place.folder });
    for (const n of ["one", "two"]) expect(await storeOver(first, `The ${n} port is open.`)).toMatch(/^Stored as /);
    expect(await storeOver(first, "The one port is open.")).toMatch(/^already_stored: /);
    expect(await storeOver(first, "The third port is open.")).toMatch(/^error: limit_reached: .*stored 2 facts/);
    const second = await overHttp(gateway, { root: place.folder });
    expect(await storeOver(second, "The third port is open.")).toMatch(/^Stored as /);
  });

  it("OE15 O150 O151 on stdio and on /mcp: a fact is stored, voted on and read; the board is read and cannot be changed", async () => {
    const place = repository();
    await allowMemory(place);
    const other = otherFolder(place);
    await addItem(place, "release-steps", "Tag first, then publish.");
    await addItem(place, "secret-plans", "Of the other repository.", other);
    const gateway = await gatewayOf(place);
    const clients = {
      stdio: await overStdio(place, { root: place.folder }),
      http: await overHttp(gateway, { root: place.folder }),
    };
    for (const [name, served] of Object.entries(clients)) {
      expect((await served.tools()).sort()).toEqual([...FIVE].sort());
      const fact = `The ${name} port of the zebra service is 7411.`;
      expect(await storeOver(served, fact)).toMatch(
        /^Stored as mem_\w{26} \(scope repository\)\. Not found: README\.md\.$/,
      );
      expect(await storeOver(served, fact)).toMatch(/^already_stored: /);
      const recalled = await served.call("recall", { query: `${name} zebra` });
      expect(recalled).toMatch(/^memory mem_\w{26} \(from mcp:tester, \S+\)\nbuild: /);
      expect(recalled).toContain(fact);
      expect(await served.call("vote_memory", { fact, direction: "upvote", reason: "seen" })).toMatch(/^The vote was/);
      expect(await served.call("vote_memory", { fact: "The zebra port", direction: "upvote", reason: "seen" })).toMatch(
        /^error: fact_not_found: /,
      );
      const board = await served.call("context_board", { command: "get_board" });
      expect(board).toContain("release-steps");
      expect(board).not.toContain("secret-plans");
      expect(await served.call("context_board", { command: "get", src: "user", name: "release-steps" })).toBe(
        "Tag first, then publish.",
      );
      expect(await served.call("context_board", { command: "get", src: "user", name: "secret-plans" })).toMatch(
        /^error: not_found: /,
      );
      // Neither may the board be changed, nor another repository be named.
      for (const args of [
        { command: "prune", name: "release-steps" },
        { command: "add", name: "x", description: "x", context: "x" },
        { command: "get_board", repository: other },
      ])
        expect(await served.call("context_board", args)).toMatch(/^error: Wrong arguments/);
      const stored = { subject: "a", fact: "b", citations: "c", reason: "d" };
      expect(await served.call("store_memory", { ...stored, repository: other })).toMatch(/^error: Wrong arguments/);
    }
    const rows = await list(place);
    expect(rows.map((r) => r.source.client)).toEqual(["mcp:tester", "mcp:tester"]);
    expect(rows.map((r) => [r.author.kind, r.source.origins, r.votes.up])).toEqual([
      ["agent", [{ kind: "assistant" }], 1],
      ["agent", [{ kind: "assistant" }], 1],
    ]);
    expect(await list(place, ["--scope", "repository"], { cwd: other })).toEqual([]);
  });

  it("O151 the first root decides, not the process's folder; without one only the user's own is reached over HTTP", async () => {
    const place = repository();
    await allowMemory(place);
    const other = otherFolder(place);
    await storeOver(await overStdio(place, { root: other }), "There the port is 9000.");
    expect(await list(place)).toEqual([]);
    expect(await list(place, [], { cwd: other })).toMatchObject([{ fact: "There the port is 9000." }]);
    const http = await overHttp(await gatewayOf(place));
    expect(await storeOver(http, "Here the port is 7411.")).toMatch(/^error: invalid_scope: /);
    expect(await http.call("context_board", { command: "get_board" })).toMatch(/^error: no_repository: /);
    expect(await storeOver(http, "I like short names.", "user")).toMatch(/^pending_review: /);
  });

  it("M138 SEC9 O152 nobody can be asked: without a rule denied, with one stored; for every project it only waits", async () => {
    const place = repository();
    const served = await overStdio(place);
    const refused = await storeOver(served, "The build needs Node 24.");
    expect(refused).toMatch(/^error: permission_denied: \[by: user_not_available\]/);
    expect(await storeOver(served, "I like tabs.", "user")).toMatch(/user_not_available/);
    expect(await list(place)).toEqual([]);
    await allowMemory(place);
    const allowed = await overStdio(place);
    expect(await storeOver(allowed, "The build needs Node 24.")).toMatch(/^Stored as/);
    expect(await storeOver(allowed, "I like tabs.", "user")).toMatch(/^pending_review: /);
    expect((await list(place)).map((r) => [r.fact, r.status.type]).sort()).toEqual([
      ["I like tabs.", "pending"],
      ["The build needs Node 24.", "active"],
    ]);
    expect((await memory(place, ["review"])).stdout).toContain("mcp:tester");
  });

  it("M62 M63 M138 deny rules hold, whatever is allowed beside them", async () => {
    const place = repository({ EVERLONG_ALLOW_ALL: "1" });
    await run(place, ["settings", "set", "permissions.deny", "store_memory"]);
    const served = await overStdio(place);
    expect(await storeOver(served, "The build needs Node 24.")).toMatch(/^error: permission_denied: \[by: rule\]/);
    expect(await list(place)).toEqual([]);
  });

  it("M20 O150 secrets and wrong inputs are refused with the codes of the tools; nothing is stored", async () => {
    const place = repository();
    await allowMemory(place);
    const served = await overStdio(place);
    const secret = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7h8`;
    expect(await storeOver(served, `The API token is ${secret}`)).toMatch(/^error: memory_secret: /);
    expect(await storeOver(served, "x".repeat(501))).toMatch(/^error: invalid_inputs: .*"fact"/);
    expect(await storeOver(served, "A fact of the world.", "global")).toMatch(/^error: invalid_scope: /);
    expect(await list(place)).toEqual([]);
  });

  it("M20 M27 a service that is not named or not there is said so, and never replaced by another store", async () => {
    const place = repository();
    await allowMemory(place);
    const over = async (env: Record<string, string>) =>
      storeOver(await overStdio(place, { env }), "The build needs Node 24.");
    expect(await over({ EVERLONG_MEMORY_STRATEGY: "service" })).toMatch(
      /^error: missing_client: .*memory\.service\.url/,
    );
    expect(await over({ EVERLONG_MEMORY_URL: "https://memory.example" })).toMatch(/^error: missing_client: /);
    expect(await over({ EVERLONG_MEMORY_IN_REPO: "on" })).toMatch(/^error: missing_client: .*not trusted/);
    expect(await list(place, ["--all"])).toEqual([]);
  });

  it("O152 M5 M66 what is off is not listed: memory, recall, the board, writing, a denied board", async () => {
    const place = repository();
    const tools = async (env: Record<string, string>, args: string[] = []) =>
      (await overStdio(place, { env, args })).tools();
    expect(await tools({ EVERLONG_MEMORY: "off" })).toEqual([]);
    expect(await tools({ EVERLONG_RECALL: "off" })).toEqual(["store_memory", "vote_memory", "context_board"]);
    expect(await tools({ EVERLONG_SUBCONSCIOUS: "off" })).not.toContain("context_board");
    expect(await tools({}, ["--read-only"])).toEqual(["recall", "search_sessions", "context_board"]);
    await run(place, ["settings", "set", "permissions.deny", "context_board"]);
    expect(await tools({})).not.toContain("context_board");
  });

  it("M5 O151 a folder that has switched memory off is not written for, whoever serves", async () => {
    const place = repository();
    await allowMemory(place);
    const other = otherFolder(place);
    mkdirSync(join(other, ".everlong"));
    writeFileSync(join(other, ".everlong", "settings.json"), '{ "memory.enabled": false }');
    const served = await overStdio(place, { root: other });
    expect(await storeOver(served, "There the port is 9000.")).toMatch(/^error: missing_client: .*memory\.enabled/);
    expect(await list(place, ["--all"])).toEqual([]);
  });

  it.each([
    ["switched off", { "features.subconscious": false }],
    ["denied", { permissions: { deny: ["context_board"] } }],
  ])("M5 M66 O151 a folder whose board is %s is not read for, whoever serves", async (_how, settings) => {
    const place = repository();
    const other = otherFolder(place);
    await addItem(place, "plans", "Of the other repository.", other);
    const served = await overStdio(place, { root: other });
    expect(await served.call("context_board", { command: "get_board" })).toContain("plans");
    mkdirSync(join(other, ".everlong"));
    writeFileSync(join(other, ".everlong", "settings.json"), JSON.stringify(settings));
    expect(await served.call("context_board", { command: "get_board" })).toMatch(/^error: board_off: /);
  });
});
