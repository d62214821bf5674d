// N51: one search finds all that is remembered, marked with its kind, in the asker's own scope, and nothing that is gone.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { gitInit, oneCall, scene, toolResults } from "../agent/scene.ts";
import { overStdio } from "../mcp/client.ts";
import { add, allowMemory, memory, otherFolder, pending, repository, storeOver } from "../memory/hand-stage.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway } from "../proxy/gateway.ts";
import { chat, OPENCODE, ScriptedClient } from "../proxy/scripted-client.ts";
import { type Place, run } from "../tool/everlong.ts";

const FACT = "We deploy on Fridays after the standup";
const STEPS = "Tag first, then deploy with the quokka script.";

const recall = async (place: Place, args: string[], cwd = place.folder): Promise<string> => {
  const done = await run(place, ["recall", ...args], { cwd });
  expect(done.code, done.stderr).toBe(0);
  return done.stdout;
};
type Hit = { id: string; kind: string; role: string; scope: string; snippets: { text: string }[] };
const hits = async (place: Place, query: string, more: string[] = [], cwd = place.folder): Promise<Hit[]> =>
  (JSON.parse(await recall(place, [query, "--json", ...more], cwd)) as { results: Hit[] }).results;
const kinds = async (place: Place, query: string, more: string[] = [], cwd = place.folder): Promise<string[]> =>
  (await hits(place, query, more, cwd)).map(({ kind }) => kind).sort();

const addItem = async (place: Place, name: string, content: string, more: string[] = []): Promise<void> => {
  const done = await run(place, [
    "board",
    "add",
    name,
    "--description",
    `about ${name}`,
    "--content",
    content,
    ...more,
  ]);
  expect(done.code, done.stderr).toBe(0);
};
const off = (place: Place, env: Record<string, string>): Place => ({ ...place, env: { ...place.env, ...env } });

describe("N51 one search finds all that is remembered", () => {
  it("N51 everlong recall gives memories and board items beside turns, each with its kind, author and the way to it", async () => {
    const { place } = await scene(() => text("fine"));
    gitInit(place);
    expect((await memory(place, ["add", FACT])).code).toBe(0);
    const [found] = await hits(place, "when do we deploy");
    expect(found).toMatchObject({ kind: "record", role: "user", scope: "repository" });
    await addItem(place, "release-steps", STEPS);
    await run(place, ["-p", "please deploy the service"]);
    expect(new Set(await kinds(place, "deploy"))).toEqual(new Set(["board", "record", "turn"]));
    const shown = await recall(place, ["deploy"]);
    expect(shown).toMatch(/^memory mem_\w{26} \(from you, \d{4}-\d\d-\d\d\)\n.*We deploy on Fridays/m);
    expect(shown).toMatch(/^board item user\/release-steps \(from you, \d{4}-\d\d-\d\d\)\n/m);
    expect(shown).toMatch(/^session \S+ t1\.1 \(user, /m);
    expect(shown).toContain("Memories: everlong memory show ID, everlong memory delete ID");
    expect(shown).toContain("Board items: everlong board show NAME, everlong board remove NAME");
    expect(await kinds(place, "deploy", ["--kind", "memory"])).toEqual(["record"]);
    expect(await kinds(place, "deploy", ["--order", "time", "--kind", "board"])).toEqual(["board"]);
    expect(await recall(place, [found?.id ?? ""])).toContain(FACT);
    // Searching sessions is about sessions.
    expect((await run(place, ["sessions", "search", "deploy"])).stdout).not.toContain("Fridays");
  });

  it("N51 R37 the agent's tool and /recall find them, and give the whole text by its id", async () => {
    const { place, server } = await scene(() => text("fine"));
    gitInit(place);
    const id = await add(place, FACT);
    await addItem(place, "release-steps", STEPS);
    server.script(
      oneCall("recall", { query: "deploy quokka" }, "a"),
      oneCall("recall", { id }, "b"),
      oneCall("recall", { query: "deploy", kinds: ["board"] }, "c"),
      text("ok"),
    );
    await run(place, ["-p", "go"]);
    const answers = Object.fromEntries(toolResults(server.requests.at(-1)).map((r) => [r.id, r.text]));
    expect(answers["a"]).toMatch(new RegExp(`\\[${id}\\] memory from the user, .*\\n.*Fridays`));
    expect(answers["a"]).toMatch(/\[board:\S+:user\/release-steps\] board item from the user/);
    expect(answers["b"]).toContain(FACT);
    expect(answers["c"]).not.toContain("Fridays");
    expect(answers["c"]).toContain("quokka");
    const slash = (await run(place, ["-p", "/recall deploy"])).stdout;
    expect(slash).toContain(`memory ${id} (from you`);
    expect(slash).toContain("Memories: /memory show ID, /memory delete ID");
  });

  it("M84 a session and a memory of one repository have one name for it, however its remote is spelled", async () => {
    const place = repository();
    execFileSync("git", ["remote", "add", "origin", "git@GitLab.example.com:Acme/App.git"], { cwd: place.folder });
    await run(place, ["-p", "hello quokka"]);
    const [{ repository: ofSession }] = JSON.parse((await run(place, ["sessions", "--json"])).stdout);
    await add(place, FACT);
    const ofMemory = JSON.parse((await memory(place, ["list", "--json"])).stdout);
    expect([ofSession, ofMemory.repository]).toEqual(Array(2).fill("gitlab.example.com/acme/app"));
    const found = await run(place, ["recall", "quokka deploy", "--repo", "https://gitlab.example.com/ACME/App"]);
    expect(found.stdout).toContain("hello quokka");
    expect(found.stdout).toContain("memory mem_");
  });

  it("N51 a client of everlong mcp reads what it stored, and the board; another client too", async () => {
    const place = repository();
    await allowMemory(place);
    const served = await overStdio(place, { root: place.folder });
    expect(await storeOver(served, FACT)).toMatch(/^Stored as /);
    await addItem(place, "release-steps", STEPS);
    for (const reader of [served, await overStdio(place, { root: place.folder })]) {
      const found = await reader.call("recall", { query: "when do we deploy" });
      expect(found).toMatch(/^memory mem_\w{26} \(from mcp:tester, /m);
      expect(found).toMatch(/^board item user\/release-steps \(from the user, /m);
    }
    expect(await served.call("search_sessions", { query: "deploy" })).toMatch(/^No session was found/);
  });
});

it("N51 memories that are kept in a file of the repository are found by every door, and gone when they are deleted", async () => {
  const { place, server } = await scene(() => text("fine"), { env: { EVERLONG_MEMORY_STRATEGY: "jsonl" } });
  gitInit(place);
  await run(place, ["trust", "."]);
  const id = await add(place, FACT);
  expect(await recall(place, ["when do we deploy"])).toContain(`memory ${id} (from you`);
  expect(await kinds(place, "deploy", ["--kind", "turn"])).toEqual([]);
  server.script(oneCall("recall", { query: "deploy standup" }, "a"), text("ok"));
  await run(place, ["-p", "go"]);
  expect(toolResults(server.requests.at(-1))[0]?.text).toContain(`[${id}] memory from the user`);
  const served = await overStdio(place, { root: place.folder });
  expect(await served.call("recall", { query: "deploy standup" })).toContain(`memory ${id} (from the user`);
  expect((await memory(place, ["delete", id, "--yes"])).code).toBe(0);
  expect(await kinds(place, "Fridays")).toEqual([]);
});

it("N51 SEC11 R54 through the gateway a memory is quoted to every client of its owner in that repository, to nobody else and nowhere else", async () => {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  const gateway = await startGateway(server);
  const { place } = gateway;
  gitInit(place);
  execFileSync("git", ["remote", "add", "origin", "https://github.com/acme/app"], { cwd: place.folder });
  await add(place, FACT);
  await addItem(place, "release-steps", STEPS);
  const quoted = async (headers: Record<string, string>): Promise<boolean> => {
    const client = new ScriptedClient(gateway, chat({ headers: OPENCODE }), headers);
    const answer = await client.ask("When do we deploy, before or after the standup?");
    expect(answer.status, answer.text).toBe(200);
    const body = server.requests.at(-1)?.rawBody ?? "";
    expect(body).not.toContain("quokka");
    return body.includes("We deploy on Fridays");
  };
  const here = { "x-everlong-repo": "acme/app" };
  const owner = { ...here, "x-everlong-token": gateway.token };
  for (const key of ["sk-one-0000000000", "sk-two-0000000000"])
    expect(await quoted({ ...owner, authorization: `Bearer ${key}` })).toBe(true);
  expect(await quoted({ ...owner, "x-everlong-repo": "acme/other" })).toBe(false);
  expect(await quoted({ ...here, authorization: "Bearer sk-stranger-000000" })).toBe(false);
});

describe("N51 R52 the scopes hold", () => {
  it("N51 R52 R54 neither another repository nor another branch nor a record that waits is found", async () => {
    const place = repository();
    await allowMemory(place);
    const other = otherFolder(place);
    await add(place, FACT);
    await addItem(place, "release-steps", STEPS);
    await addItem(place, "next-steps", "Deploy from the next branch.", ["--branch", "next"]);
    await add(place, "I like to deploy with a song", ["--scope", "user"]);
    await pending(place, "Deploy nothing on Mondays.");
    expect(await kinds(place, "deploy")).toEqual(["board", "record", "record"]);
    expect(await kinds(place, "deploy", [], other)).toEqual(["record"]);
    expect(await recall(place, ["deploy"], other)).toContain("a song");
    expect(await kinds(place, "deploy", ["--scope", "user"])).toEqual(["record"]);
    expect(await kinds(place, "deploy", ["--all"], other)).toEqual(["board", "board", "record", "record"]);
    execFileSync("git", ["checkout", "-q", "-b", "next"], { cwd: place.folder });
    const onNext = await recall(place, ["deploy"]);
    expect(onNext).toContain("next-steps");
    expect(onNext).not.toContain("quokka");
    expect(await (await overStdio(place, { root: other })).call("recall", { query: "deploy" })).not.toMatch(
      /Fridays|quokka|Mondays/,
    );
    const [record] = await hits(place, "deploy Fridays standup");
    expect(await recall(place, [record?.id ?? ""], other)).not.toContain("Fridays");
  });

  it("N51 R57 what is changed or deleted is found so at once; its words are gone from the files", async () => {
    const place = repository();
    const id = await add(place, "The zanzibar port is open");
    await addItem(place, "harbour", "The marzipan crane stands there.");
    await memory(place, ["edit", id, "--fact", "The xanadu port is open"]);
    expect(await kinds(place, "zanzibar")).toEqual([]);
    expect(await kinds(place, "xanadu")).toEqual(["record"]);
    expect((await memory(place, ["delete", id, "--yes"])).code).toBe(0);
    expect((await run(place, ["board", "remove", "harbour"])).code).toBe(0);
    for (const query of ["xanadu", "marzipan"]) expect(await hits(place, query, ["--all"])).toEqual([]);
    const undone = await run(place, ["board", "changes", "--json"]);
    const change = (JSON.parse(undone.stdout.split("\n")[0] ?? "{}") as { id?: number }).id;
    expect((await run(place, ["board", "undo", String(change)])).code, undone.stdout).toBe(0);
    expect(await kinds(place, "marzipan")).toEqual(["board"]);
    const bytes = readdirSync(place.home)
      .filter((name) => name.startsWith("store.db"))
      .map((name) => readFileSync(join(place.home, name)).toString("latin1"))
      .join("");
    for (const word of ["zanzibar", "xanadu"]) expect(bytes).not.toContain(word);
  });

  it("N51 a disputed memory is not found until the vote is taken back", async () => {
    const place = repository();
    const id = await add(place, FACT);
    expect((await memory(place, ["vote", id, "down", "--reason", "wrong"])).code).toBe(0);
    expect(await kinds(place, "deploy")).toEqual([]);
    expect((await memory(place, ["vote", id, "up", "--reason", "right"])).code).toBe(0);
    expect(await kinds(place, "deploy")).toEqual(["record"]);
  });
});

describe("N51 R55 what is off is not found", () => {
  it("N51 R55 memory off: neither memories nor board nor earlier sessions for the model; the session's own turns are found", async () => {
    const { place, server } = await scene(() => text("fine"));
    gitInit(place);
    await add(place, FACT);
    await addItem(place, "release-steps", STEPS);
    await run(place, ["-p", "an earlier session about deploy"]);
    const without = off(place, { EVERLONG_MEMORY: "off" });
    server.script(
      oneCall("recall", { query: "deploy" }, "a"),
      oneCall("recall", { query: "deploy", scope: "repository" }, "b"),
      text("ok"),
    );
    await run(without, ["-p", "now deploy"]);
    const answers = Object.fromEntries(toolResults(server.requests.at(-1)).map((r) => [r.id, r.text]));
    expect(answers["a"]).toContain("now deploy");
    expect(answers["a"]).not.toMatch(/Fridays|quokka|earlier session/);
    expect(answers["b"]).toContain("memory.enabled");
    expect(await kinds(without, "Fridays quokka")).toEqual([]);
    expect((await run(without, ["recall", "deploy", "--kind", "record"])).code).toBe(2);
    expect(await kinds(off(place, { EVERLONG_SUBCONSCIOUS: "off" }), "Fridays quokka")).toEqual(["record"]);
  });

  it("N51 R55 O151 a folder that switched memory off is not searched for an MCP client", async () => {
    const place = repository();
    await add(place, FACT);
    mkdirSync(join(place.folder, ".everlong"));
    writeFileSync(join(place.folder, ".everlong", "settings.json"), '{ "memory.enabled": false }');
    const served = await overStdio({ ...place, folder: otherFolder(place) }, { root: place.folder });
    expect(await served.call("recall", { query: "deploy" })).toMatch(/^error: memory_off: /);
  });

  it("N51 R55 recall off: nothing is indexed; switched on again it is there", async () => {
    const place = repository({ EVERLONG_RECALL: "off" });
    await add(place, FACT);
    await addItem(place, "release-steps", STEPS);
    const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
    expect(db.prepare("SELECT count(*) AS n FROM recall_item").get()).toEqual({ n: 0 });
    db.close();
    expect(await kinds(off(place, { EVERLONG_RECALL: "on" }), "deploy")).toEqual(["board", "record"]);
  });
});

describe("N51 R3 the index is made again", () => {
  it("N51 R3 R57 after --reindex, with a lost store, and in a store from before, every memory is found again and no other", async () => {
    const place = repository();
    await add(place, FACT);
    const gone = await add(place, "The deploy of the walrus is off");
    await addItem(place, "release-steps", STEPS);
    await memory(place, ["delete", gone, "--yes"]);
    const before = await hits(place, "deploy");
    expect((await recall(place, ["--reindex"])).toString()).toContain("Memories and board items: 2.");
    expect(await ids(place)).toEqual(before.map(({ id }) => id).sort());
    for (const name of readdirSync(place.home).filter((one) => one.startsWith("store.db")))
      execFileSync("rm", [join(place.home, name)]);
    expect(await ids(place)).toEqual(before.map(({ id }) => id).sort());
    // A store whose rows were written by a program that did not index them.
    const db = new DatabaseSync(join(place.home, "store.db"));
    db.exec("DELETE FROM recall_note WHERE name = 'filled'; UPDATE recall_item SET key = 'x' || key");
    db.close();
    expect(await ids(place)).toEqual(before.map(({ id }) => id).sort());
  });
});

const ids = async (place: Place): Promise<string[]> => (await hits(place, "deploy")).map(({ id }) => id).sort();
