// The memory service: `everlong serve` and its /api/memory, as any program would use it.
import { createHash, createHmac } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FilteredEntry } from "../../src/agent/inbox/entry.ts";
import { inboxStore } from "../../src/agent/inbox/store.ts";
import { canonicalJson } from "../../src/base/json.ts";
import { fail } from "../../src/base/result.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { openStage } from "../../src/server/server-fixture.ts";
import { faultAt } from "../../src/store/fault.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { openMemoryStage, ready } from "./service-fixture.ts";

type Json = Record<string, unknown>;
const REPO = "acme/widgets";

const stage = (env: Record<string, string> = {}): Promise<TestGateway> =>
  startGateway({ url: "http://127.0.0.1:9" }, { env });
const send = (
  gateway: TestGateway,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  gateway.api(`/api/memory${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
const read = async (response: Response): Promise<[number, Json]> => [response.status, (await response.json()) as Json];
const code = async (response: Response): Promise<[number, unknown]> => {
  const { error } = (await response.json()) as { error: Json };
  expect(Object.keys(error)).toEqual(expect.arrayContaining(["code", "message", "hint"]));
  expect(response.headers.get("x-everlong-error")).toBe(error["code"]);
  return [response.status, error["code"]];
};
const record = (fact: string, more: Json = {}): Json => ({
  subject: "build",
  fact,
  citations: ["src/a.ts:3"],
  reason: "it will be needed",
  repository: REPO,
  ...more,
});
const rows = (gateway: TestGateway, sql: string): Json[] => {
  const db = new DatabaseSync(join(gateway.place.home, "store.db"), { readOnly: true });
  try {
    return db.prepare(sql).all() as Json[];
  } finally {
    db.close();
  }
};
const put = async (gateway: TestGateway, fact: string, more: Json = {}): Promise<Json> => {
  const [, body] = await read(await send(gateway, "POST", "/records", record(fact, more)));
  return body["record"] as Json;
};

describe("M135 the routes", () => {
  it("M135 M138 M143 store, read, edit, delete; provenance is the token's, origin assistant", async () => {
    const gateway = await stage();
    const [status, body] = await read(await send(gateway, "POST", "/records", record("The build needs Node 24")));
    expect([status, body["outcome"]]).toEqual([201, "stored"]);
    const made = body["record"] as Json;
    expect(made).toMatchObject({
      version: 1,
      scope: "repository",
      repository: REPO,
      source: { client: "rest:local", origins: [{ kind: "assistant" }], trust: 0.9 },
      author: { kind: "agent", id: "rest:local" },
    });
    const id = String(made["id"]);
    const again = await send(gateway, "POST", "/records", record("The build  needs Node 24"));
    expect(await read(again)).toMatchObject([200, { outcome: "already_stored", id }]);

    const got = await send(gateway, "GET", `/records/${id}`);
    expect(got.headers.get("etag")).toBe('"v1"');
    const change = { fact: "The build needs Node 26" };
    expect(await code(await send(gateway, "PATCH", `/records/${id}`, change))).toEqual([428, "precondition_required"]);
    const edited = await send(gateway, "PATCH", `/records/${id}`, change, { "if-match": '"v1"' });
    expect([edited.status, edited.headers.get("etag")]).toEqual([200, '"v2"']);
    const old = await send(gateway, "PATCH", `/records/${id}`, { fact: "Never written" }, { "if-match": '"v1"' });
    expect(old.headers.get("etag")).toBe('"v2"');
    expect(await read(old)).toMatchObject([
      412,
      { error: { code: "stale", details: { fact: "The build needs Node 26", version: 2 } } },
    ]);

    expect(await code(await send(gateway, "DELETE", `/records/${id}`))).toEqual([428, "precondition_required"]);
    expect(await code(await send(gateway, "DELETE", `/records/${id}`, undefined, { "if-match": '"v1"' }))).toEqual([
      412,
      "stale",
    ]);
    expect((await send(gateway, "DELETE", `/records/${id}`, undefined, { "if-match": "*" })).status).toBe(204);
    expect((await send(gateway, "DELETE", `/records/${id}`, undefined, { "if-match": "*" })).status).toBe(204);
    expect(
      await code(await send(gateway, "DELETE", `/records/${newMemoryId()}`, undefined, { "if-match": "*" })),
    ).toEqual([404, "not_found"]);
    expect(await code(await send(gateway, "GET", `/records/${id}`))).toEqual([404, "not_found"]);
    expect(await code(await send(gateway, "POST", "/records", record("The build needs Node 26")))).toEqual([
      409,
      "deleted_before",
    ]);
    expect(JSON.stringify(rows(gateway, "SELECT * FROM memories"))).not.toContain("Node");
  });

  it("M141 pages have every row once, newest first; a forged `after` or limit is 400", async () => {
    const gateway = await stage();
    for (let i = 0; i < 7; i++) await put(gateway, `Fact number ${i}`);
    const seen: unknown[] = [];
    for (let after = ""; ; ) {
      const [status, page] = await read(await send(gateway, "GET", `/records?repository=${REPO}&limit=3${after}`));
      expect(status).toBe(200);
      seen.push(...(page["items"] as Json[]).map(({ fact }) => fact));
      if (page["next"] === null) break;
      after = `&after=${encodeURIComponent(String(page["next"]))}`;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `Fact number ${i}`));
    for (const bad of ["limit=0", "limit=501", "limit=x", "after=forged", "scope=global", "status=odd", "author=me"])
      expect(await code(await send(gateway, "GET", `/records?repository=${REPO}&${bad}`)), bad).toEqual([
        400,
        "invalid_inputs",
      ]);
  });

  it("M13 M150 F90 a list without a repository is everything of this identity; another repository's are not there", async () => {
    const gateway = await stage();
    await put(gateway, "Of widgets");
    await put(gateway, "I write British English", { scope: "user", approved: true });
    const facts = async (query: string) =>
      ((await read(await send(gateway, "GET", `/records${query}`)))[1]["items"] as Json[]).map(({ fact }) => fact);
    expect((await facts("")).sort()).toEqual(["I write British English", "Of widgets"]);
    expect(await facts("?repository=acme/other")).toEqual(["I write British English"]);
    expect((await facts("?all=true")).sort()).toEqual(["I write British English", "Of widgets"]);
    expect(await facts(`?repository=${REPO}&scope=repository`)).toEqual(["Of widgets"]);
    expect(await facts(`?repository=${REPO}&q=widgets`)).toEqual(["Of widgets"]);
    const [, { items }] = await read(await send(gateway, "GET", `/records?repository=${REPO}`));
    const widgets = (items as Json[]).find(({ fact }) => fact === "Of widgets");
    expect((await send(gateway, "GET", `/records/${widgets?.["id"]}?repository=acme/other`)).status).toBe(404);
  });

  it("M68 M138 a user-scope store without the user's approval waits; resolution decides", async () => {
    const gateway = await stage();
    const [status, body] = await read(
      await send(gateway, "POST", "/records", record("I like tabs", { scope: "user" })),
    );
    expect([status, body["outcome"]]).toEqual([202, "pending_review"]);
    const id = String(body["id"]);
    const prompt = async () => (await read(await send(gateway, "GET", `/prompt?repository=${REPO}`)))[1];
    expect(await prompt()).toMatchObject({ enabled: true, prompt: null });
    expect(await code(await send(gateway, "POST", `/records/${id}/resolution`, { how: "maybe" }))).toEqual([
      400,
      "invalid_inputs",
    ]);
    expect((await send(gateway, "POST", `/records/${id}/resolution`, { how: "accept" })).status).toBe(200);
    expect(await code(await send(gateway, "POST", `/records/${id}/resolution`, { how: "accept" }))).toEqual([
      409,
      "not_pending",
    ]);
    expect(await prompt()).toMatchObject({ prompt: expect.stringContaining("I like tabs") });
  });

  it("M30 the prompt has definitions, counts and a tag; unchanged is 304", async () => {
    const gateway = await stage();
    await put(gateway, "The build needs Node 24");
    const first = await send(gateway, "GET", `/prompt?repository=${REPO}&scopes=repository&budget=500`);
    const etag = first.headers.get("etag") ?? "";
    expect(await first.json()).toMatchObject({
      enabled: true,
      prompt: expect.stringContaining("Node 24"),
      counts: { repository: 1, user: 0, total: 1, shown: 1 },
      tools: { store: { name: "store_memory" }, vote: { name: "vote_memory" } },
    });
    const path = `/prompt?repository=${REPO}&scopes=repository&budget=500`;
    expect((await send(gateway, "GET", path, undefined, { "if-none-match": etag })).status).toBe(304);
    await put(gateway, "Tests run with vitest");
    expect((await send(gateway, "GET", path, undefined, { "if-none-match": etag })).status).toBe(200);
    expect(await code(await send(gateway, "GET", "/prompt?scopes=global"))).toEqual([400, "invalid_scope"]);
    expect(await code(await send(gateway, "GET", "/prompt?budget=0"))).toEqual([400, "invalid_inputs"]);
  });

  it("M23 votes by id and by exact fact; one for the user, one for each agent's session", async () => {
    const gateway = await stage();
    const { id } = await put(gateway, "Votes count once");
    const vote = (path: string, more: Json) =>
      send(gateway, "POST", path, { direction: "downvote", reason: "wrong", ...more });
    await vote(`/records/${id}/votes`, {});
    await vote("/votes", { fact: "Votes count once", repository: REPO });
    await vote("/votes", { fact: "Votes count once", repository: REPO, actor: "agent:s1" });
    const [, body] = await read(
      await vote("/votes", { fact: "Votes count once", repository: REPO, actor: "agent:s2" }),
    );
    expect(body).toMatchObject({
      outcome: "voted",
      record: { votes: { up: 0, down: 3, mine: "downvote", disputed: true } },
    });
    expect(await code(await vote("/votes", { fact: "Votes count once" }))).toEqual([404, "fact_not_found"]);
    expect(await code(await vote("/votes", { fact: "x", direction: "sideways" }))).toEqual([400, "invalid_inputs"]);
    const [, { prompt }] = await read(await send(gateway, "GET", `/prompt?repository=${REPO}`));
    expect(prompt).toBeNull();
  });

  it("M142 D5 the same key does its work once, also at the same time; another body is a conflict", async () => {
    const gateway = await stage();
    const key = newMemoryId();
    const post = (fact: string, as = key) => send(gateway, "POST", "/records", record(fact), { "idempotency-key": as });
    const first = await post("Sent with a key");
    const body = await first.json();
    expect(body).toMatchObject({ id: key });
    const again = await post("Sent with a key");
    expect([again.status, again.headers.get("x-everlong-replayed")]).toEqual([201, "1"]);
    expect(await again.json()).toEqual(body);
    expect(await code(await post("Another fact"))).toEqual([409, "idempotency_conflict"]);
    expect(await code(await post("Bad key", "k".repeat(129)))).toEqual([400, "invalid_inputs"]);
    const burst = await Promise.all(Array.from({ length: 8 }, () => post("Eight at once", "same-key")));
    for (const { status } of burst) expect([201, 409]).toContain(status);
    expect(burst.some(({ status }) => status === 201)).toBe(true);
    expect(rows(gateway, "SELECT count(*) AS n FROM memories")).toEqual([{ n: 2 }]);
    expect(rows(gateway, "SELECT count(*) AS n FROM memory_idempotency")).toEqual([{ n: 2 }]);
  });

  it("M142 the key is written with the record or not at all", async () => {
    const memory = await openMemoryStage();
    onTestFinished(() => memory.end());
    memory.db.exec("CREATE TRIGGER no_keys BEFORE INSERT ON memory_idempotency BEGIN SELECT RAISE(IGNORE); END");
    const strategy = await ready(memory.gateway.address, { token: memory.token });
    const { draft } = await import("./strategy.conformance.ts");
    const stored = await strategy.store(
      draft({ repository: REPO, user: "local" }, "Not without its key"),
      new AbortController().signal,
    );
    expect(stored.type).toBe("failed");
    expect(memory.db.prepare("SELECT count(*) AS n FROM memories").get()).toEqual({ n: 0 });
  });

  it("MB4 M18 the filter comes first: marks in row, index and answer; a fact that is only a secret is refused", async () => {
    const gateway = await stage();
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    const made = await put(gateway, `The deploy job reads ${token} from the vault`);
    expect(made["fact"]).toContain("[redacted:github-token:");
    expect(await code(await send(gateway, "POST", "/records", record(`token ${token}`)))).toEqual([
      400,
      "memory_secret",
    ]);
    await gateway.stop();
    for (const name of ["store.db", "store.db-wal"]) {
      try {
        expect(readFileSync(join(gateway.place.home, name)).includes(token), name).toBe(false);
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe("ENOENT");
      }
    }
  });

  it("M135 the board: rows without content, one item, only the user's made here, versions held", async () => {
    const gateway = await stage();
    const where = `?repository=${REPO}&branch=main`;
    const at = `/board/items/user/release-steps${where}`;
    const made = await send(gateway, "PUT", at, { description: "How to release", content: "Run npm publish." });
    expect([made.status, made.headers.get("etag")]).toEqual([201, '"v1"']);
    const [, board] = await read(await send(gateway, "GET", `/board${where}`));
    expect(board["items"]).toMatchObject([{ src: "user", name: "release-steps", version: 1 }]);
    expect(JSON.stringify(board)).not.toContain("npm publish");
    expect(await read(await send(gateway, "GET", at))).toMatchObject([
      200,
      { content: "Run npm publish.", readCount: 0 },
    ]);
    const text = { description: "How to release", content: "Run npm run release." };
    expect(await code(await send(gateway, "PUT", at, text))).toEqual([428, "precondition_required"]);
    expect((await send(gateway, "PUT", at, text, { "if-match": '"v1"' })).headers.get("etag")).toBe('"v2"');
    expect(await code(await send(gateway, "PUT", at, text, { "if-match": '"v1"' }))).toEqual([412, "stale"]);
    expect((await code(await send(gateway, "PUT", at.replace("/user/", "/agent/"), text)))[0]).toBe(403);
    expect(await code(await send(gateway, "PUT", at.replace("release-steps", "Bad_Name"), text))).toEqual([
      400,
      "invalid_inputs",
    ]);
    expect(await code(await send(gateway, "DELETE", at, undefined, { "if-match": '"v1"' }))).toEqual([412, "stale"]);
    expect((await send(gateway, "DELETE", at, undefined, { "if-match": '"v2"' })).status).toBe(204);
    expect(await code(await send(gateway, "GET", at))).toEqual([404, "not_found"]);
    expect(await code(await send(gateway, "GET", "/board"))).toEqual([400, "invalid_inputs"]);
    const [, { items }] = await read(await send(gateway, "GET", `/board/changes${where}`));
    expect(items).toMatchObject([{ action: "remove", actor: "rest:local" }, { action: "edit" }, { action: "add" }]);
    const change = (items as Json[])[0]?.["id"];
    const elsewhere = `/board/changes/${change}/undo?repository=${REPO}&branch=other`;
    expect(await code(await send(gateway, "POST", elsewhere, {}))).toEqual([404, "not_found"]);
    expect((await send(gateway, "POST", `/board/changes/${change}/undo${where}`, {})).status).toBe(200);
    expect(await read(await send(gateway, "GET", at))).toMatchObject([200, { content: "Run npm run release." }]);
    expect(await code(await send(gateway, "POST", `/board/changes/999/undo${where}`, {}))).toEqual([404, "not_found"]);
  });

  it("M125 a repository or branch with a credential is refused and not stored; an address becomes its key", async () => {
    const gateway = await stage();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const refused = [400, "invalid_inputs"];
    const text = { description: "d", content: "c" };
    const item = (where: string) => send(gateway, "PUT", `/board/items/user/a?${where}`, text);
    expect(await code(await item(`repository=${REPO}&branch=${secret}`))).toEqual(refused);
    expect(await code(await item(`repository=acme/${secret}&branch=main`))).toEqual(refused);
    const misplaced = { repository: `https://${secret}@host.example/app` };
    expect(await code(await send(gateway, "POST", "/records", record("Misplaced", misplaced)))).toEqual(refused);
    expect(rows(gateway, "SELECT * FROM memories")).toEqual([]);
    expect(rows(gateway, "SELECT * FROM dynamic_context_items")).toEqual([]);
    const repository = `https://me:${secret}@github.com/Acme/Widgets.git`;
    expect(await put(gateway, "By its address", { repository })).toMatchObject({ repository: REPO });
  });

  it("M13 M135 a record of another repository is not deleted, and the answer says so; deleted is 204 again and again", async () => {
    const gateway = await stage();
    const { id } = await put(gateway, "Only of widgets");
    const erase = (repository: string) =>
      send(gateway, "DELETE", `/records/${id}?repository=${repository}`, undefined, { "if-match": "*" });
    expect(await code(await erase("acme/other"))).toEqual([404, "not_found"]);
    expect((await send(gateway, "GET", `/records/${id}`)).status).toBe(200);
    for (let i = 0; i < 2; i++) expect((await erase(REPO)).status).toBe(204);
    // The user stores the same again: the tombstone is gone, the deletion is not.
    await put(gateway, "Only of widgets", { author: "user", approved: true });
    expect(rows(gateway, "SELECT status FROM memories")).toEqual([{ status: "active" }]);
    expect((await erase(REPO)).status).toBe(204);
  });

  it("M141 M134 all changes come in pages, each once, filtered; a forged `after` is 400", async () => {
    const gateway = await stage();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const board = `repository=${REPO}&branch=main`;
    for (let i = 0; i < 7; i++) {
      await put(gateway, `Fact number ${i}`);
      const item = `/board/items/user/item-${i}?${board}`;
      await send(gateway, "PUT", item, { description: `Fact number ${i}`, content: "c" });
    }
    const db = new DatabaseSync(join(gateway.place.home, "store.db"));
    for (const table of ["memory_changes", "board_changes"])
      db.exec(`UPDATE ${table} SET after = replace(after, 'Fact number 3', 'token ${secret}')`);
    db.close();
    for (const path of [`/changes?repository=${REPO}`, `/board/changes?${board}`]) {
      const seen: string[] = [];
      for (let after = ""; ; ) {
        const [, page] = await read(await send(gateway, "GET", `${path}&limit=3${after}`));
        const items = page["items"] as { after: Json }[];
        seen.push(...items.map((one) => String(one.after["fact"] ?? one.after["description"])));
        if (page["next"] === null) break;
        after = `&after=${page["next"]}`;
      }
      const expected = [6, 5, 4, 3, 2, 1, 0].map((i) => `Fact number ${i}`);
      expect(seen.with(3, "Fact number 3"), path).toEqual(expected);
      expect(seen[3]).toMatch(/^token \[redacted:github-token:/);
      expect(await code(await send(gateway, "GET", `${path}&after=forged`))).toEqual([400, "invalid_inputs"]);
    }
  });

  it("M126 no unkeyed hash of a request is kept with its Idempotency-Key", async () => {
    const gateway = await stage();
    const body = record("The build needs Node 24");
    const headers = { "idempotency-key": "key-1" };
    expect((await send(gateway, "POST", "/records", body, headers)).status).toBe(201);
    const request = { method: "POST", path: "/api/memory/records", query: {}, body };
    const text = canonicalJson(request);
    const [kept] = rows(gateway, "SELECT body_hash FROM memory_idempotency");
    const key = readFileSync(join(gateway.place.home, "secret.key"), "utf8");
    expect(kept?.["body_hash"]).not.toBe(createHash("sha256").update(text).digest("hex"));
    expect(kept?.["body_hash"]).toBe(createHmac("sha256", key).update(text).digest("hex"));
  });

  it("M135 status has no path; changes and export are there; what is not says so", async () => {
    const gateway = await stage();
    await put(gateway, "One fact");
    await put(gateway, "Other repository", { repository: "acme/other" });
    await send(gateway, "POST", "/records", record("x".repeat(600)));
    const [, status] = await read(await send(gateway, "GET", "/status"));
    expect(status).toMatchObject({ failures: [{ code: "invalid_inputs" }] });
    expect(status).toMatchObject({ enabled: true, strategy: "embedded", counts: { repository: { active: 2 } } });
    expect(JSON.stringify(status)).not.toContain(gateway.place.home);
    const [, changes] = await read(await send(gateway, "GET", "/changes?all=true"));
    expect(changes["items"]).toMatchObject([{ action: "store" }, { action: "store" }]);
    const [, own] = await read(await send(gateway, "GET", `/changes?repository=${REPO}`));
    expect(own["items"]).toMatchObject([{ action: "store", after: { fact: "One fact" } }]);
    const exported = await (await send(gateway, "GET", "/export")).text();
    expect(
      exported
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as Json)["fact"])
        .sort(),
    ).toEqual(["One fact", "Other repository"]);
    expect((await code(await send(gateway, "POST", "/import", {})))[0]).toBe(501);
    expect((await code(await send(gateway, "GET", "/nothing")))[0]).toBe(404);
  });

  it("M123 M135 the inbox of a session: filtered, newest first, nothing marked as read; no such session is 404", async () => {
    const gateway = await stage();
    const id = "0a0b0c0d-1111-4222-8333-444455556666";
    const folder = join(gateway.place.home, "sessions", id);
    mkdirSync(folder, { recursive: true });
    expect(await read(await send(gateway, "GET", `/inbox?session=${id}`))).toEqual([200, { items: [], next: null }]);
    const store = inboxStore(join(folder, "session.db"));
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    for (const [n, content] of ["Use pnpm.", `The token is ${secret}`].entries()) {
      const sender = { senderId: "sidekick-x-1", senderName: "x", senderType: "sidekick", interactionId: "m1" };
      const entry = { id: `x-${n}`, recipientSessionId: id, ...sender, sequence: n + 1, summary: "s", content };
      const times = { sentAt: "2026-01-01T00:00:00.000Z", readAt: null, notifiedAt: null };
      // As an older filter would have let it through.
      await store.add({ ...entry, unread: true, ...times } as unknown as FilteredEntry, () => true);
    }
    const [status, told] = await read(await send(gateway, "GET", `/inbox?session=${id}`));
    expect([status, told]).toMatchObject([
      200,
      {
        items: [
          { id: "x-1", unread: true },
          { id: "x-0", content: "Use pnpm.", senderName: "x" },
        ],
        next: null,
      },
    ]);
    expect(JSON.stringify(told)).not.toContain(secret);
    const kept = await store.list();
    expect(kept.ok && kept.value.map(({ unread, readAt }) => [unread, readAt])).toEqual([
      [true, null],
      [true, null],
    ]);
    for (const other of ["0a0b0c0d-1111-4222-8333-444455556667", "..", id.slice(0, 8), `../sessions/${id}`])
      expect(await code(await send(gateway, "GET", `/inbox?session=${encodeURIComponent(other)}`)), other).toEqual([
        404,
        "not_found",
      ]);
    // Without a session: of all that have a log.
    expect(await read(await send(gateway, "GET", "/inbox"))).toEqual([200, { items: [], next: null }]);
  });

  it.each([
    [{}, [null, "setting"], true],
    [
      { EVERLONG_GITHUB_CONTEXT_SIDEKICK_AGENT: "on", EVERLONG_SIDEKICK_OFF: "subconscious-agent" },
      ["off", null],
      true,
    ],
    [{ EVERLONG_SIDEKICKS: "off" }, ["off", "off"], true],
    [{ EVERLONG_MEMORY: "off" }, ["memory_off", "memory_off"], false],
  ])("M135 sidekicks and what keeps them from running: %j", async (env, whyNot, memory) => {
    const gateway = await stage(env);
    const [status, told] = await read(await send(gateway, "GET", "/sidekicks"));
    expect([status, told]).toMatchObject([
      200,
      {
        switches: { memory, maxTokensPerTurn: 12_000 },
        items: [
          { name: "subconscious-agent", setting: "features.subconscious", conditions: ["hasBoardEntries"] },
          { name: "github-context", setting: "features.githubContext", triggers: [{ event: "user.message" }] },
        ],
        runs: [],
      },
    ]);
    expect((told["items"] as Json[]).map((one) => one["whyNot"])).toEqual(whyNot);
  });

  it("M51 M52 M54 MI11 a client's check changes states, verification and its time; no version, no change, no status", async () => {
    const gateway = await stage();
    const cited = ["src/a.ts:3", "src/b.ts", "https://a.test/x"];
    const made = await put(gateway, "Two files say so", { citations: cited });
    const at = `/records/${made["id"]}/verification`;
    const check = async (states: Record<string, string>, headers = {}) => {
      const citations = Object.entries(states).map(([raw, state]) => ({ raw, state }));
      return send(gateway, "POST", at, { citations }, headers);
    };
    const noted = async (states: Record<string, string>): Promise<Json> => {
      const [status, body] = await read(await check(states));
      expect([status, body["outcome"]]).toEqual([200, "verified"]);
      return body["record"] as Json;
    };
    const generation = () => rows(gateway, "SELECT value FROM memory_generation")[0]?.["value"];
    expect(made).toMatchObject({ verification: "unverified", lastVerifiedAt: null });
    const partial = await noted({ "src/a.ts:3": "verified", "src/b.ts": "missing" });
    expect(partial).toMatchObject({ verification: "partial", lastVerifiedAt: null });
    const good = await noted({ "src/b.ts": "moved", "https://a.test/x": "unverifiable" });
    expect(good).toMatchObject({ verification: "verified", lastVerifiedAt: expect.stringMatching(/^20/) });
    const before = generation();
    expect(await noted({ "src/b.ts": "moved" })).toMatchObject({ verification: "verified" });
    expect(generation()).toBe(before);
    const stale = await noted({ "src/a.ts:3": "changed", "src/b.ts": "missing" });
    expect(generation()).not.toBe(before);
    expect((await read(await send(gateway, "GET", `/prompt?repository=${REPO}`)))[1]).toMatchObject({ stale: 1 });
    expect(stale).toMatchObject({ verification: "stale", status: { type: "active" } });
    const [got] = rows(gateway, "SELECT version, updated_at, last_verified_at FROM memories");
    expect(got).toEqual({
      version: 1,
      updated_at: made["updatedAt"],
      last_verified_at: expect.stringMatching(/^20/),
    });
    expect((stale["citations"] as Json[]).map(({ raw, state }) => [raw, state])).toEqual([
      ["src/a.ts:3", "changed"],
      ["src/b.ts", "missing"],
      ["https://a.test/x", "unverifiable"],
    ]);
    expect(rows(gateway, "SELECT action FROM memory_changes")).toEqual([{ action: "store" }]);

    for (const bad of [{ "src/c.ts": "verified" }, { "https://a.test/x": "verified" }, { "src/b.ts": "unchecked" }, {}])
      expect(await code(await check(bad)), JSON.stringify(bad)).toEqual([400, "invalid_inputs"]);
    expect(await code(await check({ "src/a.ts:3": "verified", "src/c.ts": "verified" }))).toEqual([
      400,
      "invalid_inputs",
    ]);
    expect(await read(await send(gateway, "GET", `/records/${made["id"]}`))).toMatchObject([
      200,
      { verification: "stale" },
    ]);
    const key = { "idempotency-key": "check-1" };
    expect((await check({ "src/a.ts:3": "verified" }, key)).headers.get("x-everlong-replayed")).toBeNull();
    expect((await check({ "src/a.ts:3": "verified" }, key)).headers.get("x-everlong-replayed")).toBe("1");
    const citations = [{ raw: "src/b.ts", state: "verified" }];
    expect(await code(await send(gateway, "POST", `${at}?repository=acme/other`, { citations }))).toEqual([
      404,
      "not_found",
    ]);
    const none = `/records/${newMemoryId()}/verification`;
    expect(await code(await send(gateway, "POST", none, { citations }))).toEqual([404, "not_found"]);
  });

  it("M135 with memory off there: no prompt, no store, reading and deleting work", async () => {
    const gateway = await stage();
    const { id } = await put(gateway, "From before");
    await gateway.stop();
    const off = await startGateway(
      { url: "http://127.0.0.1:9" },
      { place: { ...gateway.place, env: { ...gateway.place.env, EVERLONG_MEMORY: "off" } } },
    );
    expect(await read(await send(off, "GET", `/prompt?repository=${REPO}`))).toMatchObject([
      200,
      { enabled: false, prompt: null },
    ]);
    expect(await code(await send(off, "POST", "/records", record("New")))).toEqual([409, "missing_client"]);
    const citations = [{ raw: "src/a.ts:3", state: "verified" }];
    expect(await code(await send(off, "POST", `/records/${id}/verification`, { citations }))).toEqual([
      409,
      "missing_client",
    ]);
    expect((await send(off, "GET", `/records/${id}`)).status).toBe(200);
    expect((await send(off, "DELETE", `/records/${id}`, undefined, { "if-match": "*" })).status).toBe(204);
    expect(await read(await send(off, "GET", "/status"))).toMatchObject([200, { enabled: false }]);
  });

  it("M138 deny rules hold: no store, no vote, no edit, no check", async () => {
    const gateway = await stage();
    const { id } = await put(gateway, "From before the rule");
    await gateway.stop();
    writeFileSync(
      join(gateway.place.home, "settings.json"),
      JSON.stringify({ permissions: { deny: ["store_memory"] } }),
    );
    const denying = await gateway.restart();
    const forbidden = [403, "permission_denied"];
    expect(await code(await send(denying, "POST", "/records", record("Forbidden", { approved: true })))).toEqual(
      forbidden,
    );
    const own = record("Forbidden to the user's hand", { approved: true, author: "user" });
    expect(await code(await send(denying, "POST", "/records", own))).toEqual(forbidden);
    const vote = { direction: "upvote", reason: "r" };
    expect(await code(await send(denying, "POST", `/records/${id}/votes`, vote))).toEqual(forbidden);
    expect(await code(await send(denying, "PATCH", `/records/${id}`, { fact: "x" }, { "if-match": "*" }))).toEqual(
      forbidden,
    );
    const check = { citations: [{ raw: "src/a.ts:3", state: "verified" }] };
    expect(await code(await send(denying, "POST", `/records/${id}/verification`, check))).toEqual(forbidden);
    expect(rows(denying, "SELECT count(*) AS n FROM memories")).toEqual([{ n: 1 }]);
  });
});

describe("bad requests", () => {
  it("M136 no token, a wrong one, a foreign Host or Origin", async () => {
    const gateway = await stage();
    const at = `${gateway.url}/api/memory/records`;
    const auth = { authorization: `Bearer ${gateway.token}` };
    expect((await fetch(at)).status).toBe(401);
    expect((await fetch(`${at}?token=${gateway.token}`)).status).toBe(401);
    expect((await fetch(at, { headers: { authorization: "Bearer nonsense" } })).status).toBe(401);
    expect((await fetch(at, { headers: { ...auth, origin: "https://evil.example" } })).status).toBe(403);
    expect((await fetch(at, { headers: auth })).status).toBe(200);
  });

  it("M145 too large 413, another media type 415, too deep 400, no JSON 400; nothing is stored", async () => {
    const gateway = await stage();
    const deep = `{"subject":${"[".repeat(40)}${"]".repeat(40)}}`;
    expect(await code(await send(gateway, "POST", "/records", record("x".repeat(300_000))))).toEqual([
      413,
      "too_large",
    ]);
    expect(await code(await send(gateway, "POST", "/records", "{}", { "content-type": "text/plain" }))).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(await code(await send(gateway, "POST", "/records", deep))).toEqual([400, "json_too_deep"]);
    expect(await code(await send(gateway, "POST", "/records", "{"))).toEqual([400, "invalid_inputs"]);
    expect(await code(await send(gateway, "POST", "/records", record("x".repeat(600))))).toEqual([
      400,
      "invalid_inputs",
    ]);
    expect(await code(await send(gateway, "POST", "/records", record("Global", { scope: "global" })))).toEqual([
      400,
      "invalid_scope",
    ]);
    expect(
      await code(await send(gateway, "POST", "/records", { ...record("No repository"), repository: undefined })),
    ).toEqual([400, "invalid_scope"]);
    expect(rows(gateway, "SELECT count(*) AS n FROM memories")).toEqual([{ n: 0 }]);
  });

  it("M144 a store that cannot be used is 503 with Retry-After, without its path", async () => {
    const broken = faultAt("store_io", "/home/me/secret/store.db", "disk error");
    const memory = await openStage({ memory: async () => fail(broken) });
    onTestFinished(() => memory.end());
    for (const [method, path] of [
      ["GET", "/records"],
      ["GET", "/prompt"],
      ["POST", "/records"],
      ["GET", "/status"],
    ]) {
      const init = method === "POST" ? { method, body: JSON.stringify(record("x")) } : {};
      const response = await memory.api(`/api/memory${path}`, init);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
      const text = await response.text();
      expect(text).toContain("store_unavailable");
      expect(text).not.toContain("/home/me");
    }
  });

  it("MB23 search syntax, long queries, odd keys and SQL in a repository: 200 or 400, never an SQL error", async () => {
    const gateway = await stage();
    await put(gateway, "Plain fact");
    const queries = [
      '"',
      "NEAR(",
      "a AND OR NOT",
      "*",
      "fact:x",
      "(",
      "'; DROP TABLE memories;--",
      "word ".repeat(3000),
      "\u0000",
      "日本",
    ];
    for (const q of queries) {
      const response = await send(gateway, "GET", `/records?repository=${REPO}&q=${encodeURIComponent(q)}`);
      expect([200, 400], q.slice(0, 30)).toContain(response.status);
      expect(await response.text()).not.toMatch(/sqlite|syntax error|SELECT/i);
    }
    const odd = "a' OR 1=1--";
    const [, listed] = await read(await send(gateway, "GET", `/records?repository=${encodeURIComponent(odd)}`));
    expect(listed["items"]).toEqual([]);
    const strange = `{"__proto__":{"approved":true},"constructor":1,${JSON.stringify(record("Odd keys", { scope: "user" })).slice(1)}`;
    expect((await send(gateway, "POST", "/records", strange)).status).toBe(202);
    expect((await send(gateway, "POST", "/records", record("Quoted place", { repository: odd }))).status).toBe(201);
    const [, mine] = await read(
      await send(gateway, "GET", `/records?scope=repository&repository=${encodeURIComponent(odd)}`),
    );
    expect((mine["items"] as Json[]).map(({ fact }) => fact)).toEqual(["Quoted place"]);
  });

  it("M147 many writers at once, other processes too: every store and every edit is there, with no lock error", async () => {
    const gateway = await stage();
    const { id } = await put(gateway, "Edited by many");
    const edit = async (by: number): Promise<void> => {
      for (;;) {
        const now = await send(gateway, "GET", `/records/${id}`);
        const etag = now.headers.get("etag") ?? "";
        await now.body?.cancel();
        const done = await send(gateway, "PATCH", `/records/${id}`, { reason: `by ${by}` }, { "if-match": etag });
        await done.body?.cancel();
        expect([200, 412]).toContain(done.status);
        if (done.status === 200) return;
      }
    };
    const stores = (round: number) => Array.from({ length: 20 }, (_, i) => put(gateway, `Stored ${round} beside ${i}`));
    const fields = ["--subject", "s", "--cite", "a.ts", "--reason", "r"];
    const others = Array.from({ length: 4 }, async (_, i) => {
      const added = await gateway.cli(["memory", "add", "--fact", `By process ${i}`, ...fields]);
      expect([added.code, added.stderr]).toEqual([0, ""]);
      for (;;) {
        const edited = await gateway.cli(["memory", "edit", String(id), "--repo", REPO, "--reason", `process ${i}`]);
        if (edited.code === 0) return;
        expect(edited.stderr).toContain("changed");
      }
    });
    let isOver = false;
    const all = Promise.all(others).finally(() => {
      isOver = true;
    });
    let rounds = 0;
    // For as long as the other processes write.
    while (!isOver || rounds === 0)
      await Promise.all([...Array.from({ length: 10 }, (_, i) => edit(i)), ...stores(rounds++)]);
    await all;
    const [, after] = await read(await send(gateway, "GET", `/records/${id}`));
    expect(after["version"]).toBe(1 + 10 * rounds + 4);
    expect(rows(gateway, "SELECT count(*) AS n FROM memories")).toEqual([{ n: 1 + 20 * rounds + 4 }]);
  });
});
