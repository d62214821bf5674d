// The service strategy: against our own service, against servers that misbehave, and where it must not connect at all.
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { readCitation } from "../../src/memory/record/citation.ts";
import type { PromptAsk, Scope, Strategy } from "../../src/memory/record/contract.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { MemoryLoader } from "../../src/memory/record/loader.ts";
import { storeRecord } from "../../src/memory/record/store.ts";
import { secretRedactor } from "../../src/memory/secret/filter.ts";
import { type MemoryStage, type Odd, oddServer, openAt, openMemoryStage, PLACE, ready } from "./service-fixture.ts";
import { draft, filtered, strategyConformance } from "./strategy.conformance.ts";

const { signal } = new AbortController();
const ask: PromptAsk = { place: PLACE, scopes: ["repository", "user"] as Scope[], maxTokens: 2000, maxRecords: 60 };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
const stageOf = async (...given: Parameters<typeof openMemoryStage>): Promise<MemoryStage> => {
  const stage = await openMemoryStage(...given);
  ends.push(() => stage.end());
  return stage;
};
const odd = async (handle: Parameters<typeof oddServer>[0]): Promise<Odd> => {
  const server = await oddServer(handle);
  ends.push(() => server.end());
  return server;
};
const json =
  (value: unknown, status = 200): Parameters<typeof oddServer>[0] =>
  (_req, res) =>
    res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

const loaderOf = (strategy: Strategy, timeoutMs: number): MemoryLoader =>
  new MemoryLoader({
    client: async () => ({ type: "ready", strategy }),
    place: () => PLACE,
    scopes: () => ["repository"],
    bound: () => ({ maxTokens: 2000, maxRecords: 60 }),
    timeoutMs: () => timeoutMs,
    clock: systemClock,
  });

strategyConformance("service", async () => {
  const stage = await openMemoryStage();
  const at = (repository: string) =>
    ready(stage.gateway.address, { token: stage.token, place: { repository, user: "local" } });
  const other = { repository: "acme/other", user: "local" };
  return {
    strategy: await at("acme/widgets"),
    place: PLACE,
    elsewhere: { strategy: await at("acme/other"), place: other },
    tombstones: true,
    end: () => stage.end(),
  };
});

const definition = (name: string, version = "1.0.0", properties: Record<string, unknown> = {}) => ({
  name,
  version,
  description: `what ${name} does`,
  inputSchema: { type: "object", properties },
});
const answer = (more: Record<string, unknown> = {}) => ({
  enabled: true,
  prompt: "- a fact",
  counts: { repository: 1, user: 0, total: 1, shown: 1 },
  storeInstructions: "Only facts about the build.",
  tools: {
    store: definition("store_memory", "1.2.0", { subject: {}, fact: {}, scope: {} }),
    vote: definition("vote_memory"),
  },
  ...more,
});

describe("what is sent", () => {
  it("M29 one address for the prompt, the token in a header, the record's id as Idempotency-Key", async () => {
    const server = await odd((req, res) =>
      json(req.method === "GET" ? answer() : { id: "x" }, req.method === "GET" ? 200 : 201)(req, res),
    );
    const strategy = await ready(`${server.url}/`, { token: "secret-token" });
    await strategy.prompt(ask, signal);
    const one = draft(PLACE, "The build needs Node 24");
    expect(await strategy.store(one, signal)).toMatchObject({ type: "stored" });
    const [prompt, store] = server.requests;
    expect(prompt?.url).toBe("/api/memory/prompt?repository=acme%2Fwidgets&scopes=repository%2Cuser&budget=2000");
    expect(prompt?.headers.authorization).toBe("Bearer secret-token");
    expect(store).toMatchObject({
      method: "POST",
      url: "/api/memory/records?scope=repository&repository=acme%2Fwidgets",
    });
    expect(store?.headers["idempotency-key"]).toBe(one.id);
    expect(JSON.parse(store?.body ?? "")).toMatchObject({ fact: "The build needs Node 24", citations: ["src/a.ts:3"] });
  });

  it("M29 on this machine the local token is taken when no other is set", async () => {
    const server = await odd(json(answer()));
    await (await ready(server.url, { localToken: () => "local-one" })).prompt(ask, signal);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer local-one");
  });

  it("M32 a local: key is never sent, and counts as no repository", async () => {
    const server = await odd(json(answer()));
    const place = { repository: "local:/home/me/secret-project", user: "local" };
    const strategy = await ready(server.url, { place });
    await strategy.prompt({ ...ask, place }, signal);
    await strategy.list({ place }, signal);
    await strategy.get("mem_01AAAAAAAAAAAAAAAAAAAAAAAA", { place }, signal);
    const stored = await strategy.store(draft(place, "Nobody hears the name of this folder"), signal);
    expect(stored).toMatchObject({ type: "refused", code: "invalid_scope" });
    await strategy.store(draft(place, "A user fact may go", { scope: "user" }), signal);
    expect(server.requests).toHaveLength(4);
    expect(JSON.stringify(server.requests)).not.toMatch(/local(?::|%3A)|secret-project/);
    expect(await openAt(server.url, { place, userScope: false })).toMatchObject({ reason: "no_repository" });
    expect(await openAt(server.url, { place, hmacKey: "k" })).toMatchObject({ reason: "no_repository" });
  });

  it("ME5 a secret is marked before anything is sent", async () => {
    const server = await odd((req, res) => json({ id: "x" }, req.method === "GET" ? 404 : 201)(req, res));
    const strategy = await ready(server.url);
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    const outcome = await storeRecord(
      {
        client: () => ({ type: "ready", strategy }),
        redactor: secretRedactor("k"),
        newId: () => newMemoryId(),
        settings: () => ({ userScope: true, maxStores: 30 }),
        clock: systemClock,
      },
      {
        input: {
          subject: "ci",
          fact: `The deploy job reads ${token} from the vault`,
          citations: "ci.yml:3",
          reason: "r",
        },
        place: PLACE,
        source: { client: "test" },
        author: { kind: "user", id: "u", name: "u" },
        origins: () => [{ kind: "user" }],
      },
      signal,
    );
    expect(outcome).toMatchObject({ type: "stored", redactions: 1 });
    expect(server.requests.at(-1)?.body).toContain("[redacted:github-token:");
    expect(JSON.stringify(server.requests)).not.toContain(token);
  });
});

describe("what is answered", () => {
  it("M30 M31 definitions, versions and store instructions come through; instructions are bounded", async () => {
    const server = await odd(json(answer({ storeInstructions: "x".repeat(5000) })));
    const strategy = await ready(server.url);
    const given = await strategy.prompt(ask, signal);
    if (given.type !== "prompted") throw new Error(given.cause);
    expect(given.answer.tools.store).toMatchObject({ version: "1.2.0", description: "what store_memory does" });
    expect(given.answer.storeInstructions).toHaveLength(2000);
    expect(strategy).toMatchObject({ supportsScopes: true, supportsVoting: true });
  });

  it("M31 an unknown major version or an unknown field is not offered, and named", async () => {
    const tools = {
      store: definition("store_memory", "2.0.0", { fact: {} }),
      vote: definition("vote_memory", "1.0.0", { fact: {}, shell: {} }),
    };
    const server = await odd(json(answer({ tools })));
    const named: unknown[] = [];
    const strategy = await ready(server.url, { onUnsupported: (one) => named.push(one) });
    const given = await strategy.prompt(ask, signal);
    expect(given).toMatchObject({ type: "prompted", answer: { prompt: "- a fact", tools: {} } });
    expect(given.type === "prompted" && Object.keys(given.answer.tools)).toEqual([]);
    expect(named).toEqual([
      { name: "store_memory", version: "2.0.0" },
      { name: "vote_memory", version: "1.0.0" },
    ]);
    expect(strategy.supportsVoting).toBe(false);
  });

  it("M30 there is prompt text only where there is a memory", async () => {
    const none = { repository: 0, user: 0, total: 0, shown: 0 };
    const server = await odd(json(answer({ prompt: "no memories yet", counts: none })));
    expect(await (await ready(server.url)).prompt(ask, signal)).toMatchObject({ answer: { prompt: null } });
  });
});

describe("a service that fails", () => {
  const cases: [string, Parameters<typeof oddServer>[0], string][] = [
    ["500", json({ error: { code: "x", message: "no" } }, 500), "http_500"],
    ["a 5 MB answer", (_req, res) => res.end(Buffer.alloc(5_000_000, 32)), "too_large"],
    ["an answer that is no JSON", (_req, res) => res.end("<html>"), "invalid_answer"],
    ["JSON of another shape", json({ memories: [] }), "invalid_answer"],
    ["silence", () => undefined, "timeout"],
    ["half an answer", (_req, res) => void res.writeHead(200, { "content-length": "9" }).write("{"), "timeout"],
    ["a broken connection", (_req, res) => void res.destroy(), "unreachable"],
  ];
  for (const [name, handle, code] of cases) {
    it(`MB8 M41 ${name} is one value, one request, no retry`, async () => {
      const server = await odd(handle);
      const strategy = await ready(server.url, { timeoutMs: 1000 });
      expect(await strategy.prompt(ask, signal)).toMatchObject({ type: "failed", code });
      expect(server.requests).toHaveLength(1);
    });
  }

  it("MB8 a redirect is not followed", async () => {
    const target = await odd(json(answer()));
    const server = await odd((_req, res) => res.writeHead(307, { location: target.url }).end());
    const strategy = await ready(server.url, { token: "t" });
    expect(await strategy.prompt(ask, signal)).toMatchObject({ type: "failed", code: "redirect" });
    expect(await strategy.store(draft(PLACE, "Not sent elsewhere"), signal)).toMatchObject({ type: "failed" });
    expect(target.requests).toEqual([]);
  });

  it("MB8 nobody listens: unreachable, and certainly not stored", async () => {
    const server = await oddServer(() => undefined);
    await server.end();
    const strategy = await ready(server.url);
    expect(await strategy.prompt(ask, signal)).toMatchObject({ code: "unreachable" });
    expect(await strategy.store(draft(PLACE, "Nobody there"), signal)).toMatchObject({
      type: "failed",
      mayBeStored: false,
    });
  });

  it("M20 a store that got no answer may have happened", async () => {
    const server = await odd(() => undefined);
    const strategy = await ready(server.url, { timeoutMs: 1000 });
    expect(await strategy.store(draft(PLACE, "Who knows"), signal)).toMatchObject({
      type: "failed",
      mayBeStored: true,
    });
  });

  it("M144 codes of the tools keep their names", async () => {
    const server = await odd(json({ error: { code: "permission_denied", message: "a rule", hint: "" } }, 403));
    const strategy = await ready(server.url);
    expect(await strategy.store(draft(PLACE, "Refused"), signal)).toMatchObject({
      type: "refused",
      code: "permission_denied",
    });
  });

  it("ME4 M41 it hangs, then it is back: one request and nothing for the first, everything for the next", async () => {
    let isBack = false;
    const server = await odd((req, res) => isBack && json(answer())(req, res));
    const strategy = await ready(server.url, { timeoutMs: 1000 });
    const loader = loaderOf(strategy, 1000);
    expect(await loader.load()).toMatchObject({ type: "unavailable", code: "timeout" });
    expect(server.requests).toHaveLength(1);
    isBack = true;
    expect(await loader.load()).toMatchObject({
      type: "loaded",
      section: expect.stringContaining("a fact"),
      answer: { storeInstructions: "Only facts about the build.", tools: { vote: { name: "vote_memory" } } },
    });
  });

  it("M42 ten callers at once make one request", async () => {
    const server = await odd((req, res) => void setTimeout(() => json(answer())(req, res), 50));
    const strategy = await ready(server.url);
    const loader = loaderOf(strategy, 5000);
    const all = await Promise.all(Array.from({ length: 10 }, () => loader.load()));
    expect(all.every((one) => one.type === "loaded")).toBe(true);
    expect(server.requests).toHaveLength(1);
  });
});

describe("where it must not connect", () => {
  it("M29 http only to this machine; no user, query or fragment in the address", async () => {
    for (const url of [
      "http://memory.example.org",
      "ftp://127.0.0.1",
      "nonsense",
      "https://user:pass@memory.example.org",
      "https://memory.example.org?token=x",
      "http://127.0.0.1.example.org",
    ]) {
      expect(await openAt(url), url).toMatchObject({ type: "skipped", reason: "bad_url" });
    }
    expect(await openAt(undefined)).toMatchObject({ reason: "no_url" });
  });

  it("M34 MB9 a service elsewhere needs a trusted folder and consent for exactly its origin", async () => {
    const url = "https://memory.example.org/team";
    const asked: string[] = [];
    const hasConsent = async (of: string): Promise<boolean> => {
      asked.push(of);
      return false;
    };
    const untrusted = await openAt(url, { trusted: false, hasConsent });
    expect(untrusted).toMatchObject({ reason: "untrusted_folder", message: expect.stringContaining("everlong trust") });
    expect(asked).toEqual([]);
    const refused = await openAt(url, { hasConsent });
    expect(refused).toMatchObject({
      reason: "no_consent",
      message: expect.stringContaining("https://memory.example.org"),
    });
    expect(asked).toEqual([url]);
  });

  it("M34 a consent that is taken back ends the next call before it connects", async () => {
    let isGiven = true;
    const strategy = await ready("https://memory.invalid", { hasConsent: async () => isGiven });
    isGiven = false;
    expect(await strategy.prompt(ask, signal)).toMatchObject({ type: "failed", code: "no_consent" });
    expect(await strategy.store(draft(PLACE, "Stays here"), signal)).toMatchObject({
      type: "failed",
      mayBeStored: false,
    });
  });
});

describe("our own service as the store", () => {
  it("M138 a user-scope fact that was approved here is active there; one that waits here waits there", async () => {
    const stage = await stageOf();
    const strategy = await ready(stage.gateway.address, { token: stage.token });
    const approved = await strategy.store(draft(PLACE, "I write British English", { scope: "user" }), signal);
    expect(approved).toMatchObject({
      type: "stored",
      record: { status: { type: "active" }, source: { client: "rest:local" } },
    });
    const waiting = await strategy.store(draft(PLACE, "I like tabs", { scope: "user", status: "pending" }), signal);
    expect(waiting).toMatchObject({ type: "stored", record: { status: { type: "pending" } } });
    if (waiting.type !== "stored") return;
    const actor = { kind: "user", id: "u", name: "u" } as const;
    const accepted = await strategy.resolve(waiting.record.id, { how: "accept" }, { actor }, signal);
    expect(accepted).toMatchObject({ type: "resolved", record: { status: { type: "active" } } });
    const given = await strategy.prompt(ask, signal);
    expect(given).toMatchObject({
      answer: { counts: { user: 2 }, prompt: expect.stringContaining("British English") },
    });
  });

  it("M21 M19 what is stored there is known before anybody is asked; the nearest facts come back with a vote", async () => {
    const stage = await stageOf();
    const strategy = await ready(stage.gateway.address, { token: stage.token });
    await strategy.store(draft(PLACE, "The build needs Node 24"), signal);
    const found = await strategy.find("The build  needs Node 24", { place: PLACE }, signal);
    expect(found).toMatchObject({ type: "found", record: { fact: "The build needs Node 24" } });
    expect((await strategy.find("The build needs Node 24", { place: PLACE, scope: "user" }, signal)).type).not.toBe(
      "found",
    );
    const { fact, reason } = draft(PLACE, "The build needs Node 18");
    const actor = { key: "agent:s1", kind: "agent" } as const;
    const voted = await strategy.vote({ fact, reason, direction: "upvote", place: PLACE, actor }, signal);
    expect(voted).toMatchObject({
      type: "refused",
      code: "fact_not_found",
      message: expect.stringContaining("Node 24"),
    });
  });

  it("M29 M141 records that are too much for one answer come in smaller pages, each once", async () => {
    const stage = await stageOf();
    const strategy = await ready(stage.gateway.address, { token: stage.token });
    const citations = Array.from({ length: 20 }, (_, i) => readCitation(filtered(`docs/${i}-${"é".repeat(280)}.md`)));
    for (let i = 0; i < 30; i++) await strategy.store(draft(PLACE, `Large record number ${i}`, { citations }), signal);
    const facts: string[] = [];
    let pages = 0;
    for (let after: string | undefined; ; ) {
      const page = await strategy.list({ place: PLACE, limit: 500, ...(after === undefined ? {} : { after }) }, signal);
      if (page.type !== "listed") throw new Error(page.type);
      facts.push(...page.records.map((one) => one.fact));
      pages++;
      after = page.next;
      if (after === undefined) break;
    }
    expect(facts).toEqual(Array.from({ length: 30 }, (_, i) => `Large record number ${29 - i}`));
    expect(pages).toBeGreaterThan(1);
  });

  it("M141 all changes come, however many; those after one begin there", async () => {
    const stage = await stageOf();
    const strategy = await ready(stage.gateway.address, { token: stage.token });
    for (let i = 0; i < 120; i++) await strategy.store(draft(PLACE, `Fact number ${i}`), signal);
    const ids = async (query: { limit?: number; after?: number }): Promise<number[]> => {
      const told = await strategy.changes({ place: PLACE, ...query }, signal);
      if (told.type !== "changes") throw new Error(told.type);
      return told.changes.map(({ id }) => id);
    };
    const all = Array.from({ length: 120 }, (_, i) => 120 - i);
    expect(await ids({ limit: 500 })).toEqual(all);
    expect(await ids({})).toEqual(all.slice(0, 100));
    expect(await ids({ limit: 60, after: 111 })).toEqual(all.slice(10, 70));
  });

  it("M146 the same draft sent again after a lost answer is one row, answered as the first time", async () => {
    const stage = await stageOf();
    const strategy = await ready(stage.gateway.address, { token: stage.token });
    const one = draft(PLACE, "Sent twice");
    const [a, b] = [await strategy.store(one, signal), await strategy.store(one, signal)];
    expect(b).toEqual(a);
    expect(stage.db.prepare("SELECT count(*) AS n FROM memories").get()).toEqual({ n: 1 });
  });
});
