// A team's node through its front door: members, what they see, and what happens when the database goes away.
import { execFileSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { startServer } from "../../src/store/postgres/server-fixture.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { addMember, ask, codeOf, fact, startNode } from "./nodes.ts";

const newUrl = async (): Promise<string> => sharedServer().newUrl();

describe("members of a team", () => {
  it("W11 W12 WB4 M137 M139 MB22 what each token sees and may do, on two nodes", async () => {
    const url = await newUrl();
    const ann = await addMember(url, "ann-laptop --tenant acme --user ann --scope read,write,approve");
    const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write --repo acme/*");
    const eve = await addMember(url, "eve --tenant globex --user ann --scope read,write,approve");
    const ron = await addMember(url, "reader --tenant acme --user ron --scope read");
    const [one, two] = [await startNode(url), await startNode(url)];

    const stored = await ask(one, ann, "POST /api/memory/records", fact("The build needs Node 24"));
    expect([stored.status, stored.body["outcome"]]).toEqual([201, "stored"]);
    const id = String(stored.body["id"]);
    // A write on one node is in the prompt of the other.
    const prompt = await ask(two, bob, "GET /api/memory/prompt?repository=acme/app");
    expect(prompt.body["prompt"]).toContain("The build needs Node 24");
    const own = await ask(one, ann, "POST /api/memory/records", {
      ...fact("I like tabs", { scope: "user", approved: true, author: "user", repository: undefined }),
    });
    expect(own.status).toBe(201);
    const secret = await ask(
      one,
      ann,
      "POST /api/memory/records",
      fact("Deploys run at night", { repository: "ops/infra" }),
    );

    // Another's own memory, another repository and another tenant are as absent.
    const mine = String(own.body["id"]);
    const hidden = String(secret.body["id"]);
    expect((await ask(two, ann, `GET /api/memory/records/${mine}`)).status).toBe(200);
    for (const [who, path] of [
      [bob, mine],
      [bob, hidden],
      [eve, id],
      [eve, mine],
    ] as const) {
      const line = `/api/memory/records/${path}`;
      expect(codeOf(await ask(two, who, `GET ${line}`))).toEqual([404, "not_found"]);
      expect((await ask(one, who, `PATCH ${line}`, { fact: "mine now" }, { "if-match": "*" })).status).toBe(404);
      expect((await ask(one, who, `DELETE ${line}`, undefined, { "if-match": "*" })).status).toBe(404);
      const ballot = { direction: "upvote", reason: "so", fact: "x" };
      expect((await ask(one, who, `POST ${line}/votes`, ballot)).status).toBe(404);
    }
    const factsOf = async (who: { token: string }): Promise<unknown[]> => {
      const { body } = await ask(two, who, "GET /api/memory/records");
      return (body["items"] as { fact: string }[]).map((one) => one.fact).sort();
    };
    expect(await factsOf(ann)).toEqual(["Deploys run at night", "I like tabs", "The build needs Node 24"]);
    expect(await factsOf(bob)).toEqual(["The build needs Node 24"]);
    expect(await factsOf(eve)).toEqual([]);
    const changes = await ask(two, bob, "GET /api/memory/changes?all=true");
    expect(JSON.stringify(changes.body)).not.toMatch(/night|tabs/);
    expect((await ask(two, bob, "GET /api/memory/export")).body["text"] ?? "").not.toMatch(/night|tabs/);
    expect(codeOf(await ask(one, bob, "GET /api/memory/records?repository=ops/infra"))).toEqual([404, "not_found"]);
    expect(codeOf(await ask(one, bob, "POST /api/memory/records", fact("x y", { repository: "ops/infra" })))[0]).toBe(
      404,
    );

    // A tenant or a user that is not the token's, wherever it is named.
    const forged: [string, unknown?, Record<string, string>?][] = [
      ["GET /api/memory/records?tenant=globex"],
      ["GET /api/memory/prompt?user=bob"],
      ["GET /api/memory/status", undefined, { "x-everlong-tenant": "globex" }],
      ["POST /api/memory/records", fact("a b", { tenant: "globex" })],
      ["POST /api/memory/votes", { fact: "a", direction: "upvote", reason: "b", user: "bob" }],
    ];
    for (const [line, body, headers] of forged)
      expect([line, ...codeOf(await ask(one, ann, line, body, headers))]).toEqual([line, 403, "forbidden_tenant"]);

    // Scopes.
    expect((await ask(one, ron, "GET /api/memory/records")).status).toBe(200);
    for (const line of ["POST /api/memory/records", "POST /api/memory/votes", "POST /api/memory/changes/1/undo"])
      expect(codeOf(await ask(one, ron, line, {}))).toEqual([403, "forbidden_scope"]);
    const asked = fact("We never use tabs", { scope: "user", approved: true, repository: undefined });
    const waits = await ask(one, bob, "POST /api/memory/records", asked);
    expect([waits.status, waits.body["outcome"]]).toEqual([202, "pending_review"]);
    const waiting = `/api/memory/records/${String(waits.body["id"])}/resolution`;
    expect(codeOf(await ask(one, bob, `POST ${waiting}`, { how: "accept" }))).toEqual([403, "forbidden_scope"]);

    // What is not on the database is nobody's but the node's owner.
    for (const path of ["overview", "sessions", "recall/status", "graph/status", "settings", "events"])
      expect([path, (await ask(one, ann, `GET /api/${path}`)).status]).toEqual([path, 404]);
    expect((await ask(one, ann, "GET /graphiti/healthcheck")).status).toBe(200);
    expect((await ask(one, { token: "evl.acme.wrong" }, "GET /api/memory/records")).status).toBe(401);

    // The same key of two members are two; of one member it is one, on whichever node.
    const key = { "idempotency-key": "the-same-key" };
    const first = await ask(one, ann, "POST /api/memory/records", fact("Keyed once"), key);
    const again = await ask(two, ann, "POST /api/memory/records", fact("Keyed once"), key);
    expect([first.status, again.status, again.headers.get("x-everlong-replayed")]).toEqual([201, 201, "1"]);
    expect(again.body["id"]).toBe(first.body["id"]);
    const others = await ask(two, bob, "POST /api/memory/records", fact("Keyed once"), key);
    expect([others.status, others.headers.get("x-everlong-replayed")]).toEqual([200, null]);

    // Counted, and never by user.
    const metrics = String((await ask(one, ron, "GET /metrics")).body["text"]);
    expect(metrics).toMatch(/everlong_requests_total\{route="api",status="2xx"\} \d+/);
    expect(metrics).toMatch(/everlong_denied_total [1-9]/);
    expect(metrics).toMatch(/everlong_recall_seconds_count \d[\s\S]*everlong_queue_depth\{queue="episodes"\} \d/);
    expect(metrics).not.toMatch(/ann|bob|acme/);
    expect((await fetch(`${one.url}/metrics`)).status).toBe(401);

    // Revoked, it ends within 5 s on every node; listed, it is nowhere.
    const place = newPlace({ EVERLONG_DATABASE_URL: url });
    expect(await run(place, ["token", "revoke", "ann-laptop"])).toMatchObject({ code: 0 });
    for (const node of [one, two])
      await vi.waitUntil(async () => (await ask(node, ann, "GET /api/memory/records")).status === 401, {
        ...{ timeout: 5000, interval: 200 },
      });
    const listed = (await run(place, ["token", "list"])).stdout;
    expect(listed).toMatch(/acme\/ann {2}ann-laptop .*revoked .*last used/);
    expect(listed).not.toContain(ann.token);
  });

  it("SEC11 W1 a team's node lets nobody through to models without a token, on this machine neither", async () => {
    const url = await newUrl();
    const [ann, bob] = [
      await addMember(url, "ann --tenant acme --user ann --scope read,write"),
      await addMember(url, "bob --tenant acme --user bob --scope read,write"),
    ];
    const node = await startNode(url);
    expect((await fetch(`${node.url}/v1/models`)).status).toBe(401);
    for (const { token } of [ann, bob]) {
      const answer = await fetch(`${node.url}/v1/models`, { headers: { "x-everlong-token": token } });
      expect(answer.status).toBe(502); // past the door: the upstream of this test does not answer
    }
  });
});

describe("agents of members", () => {
  it("W1 a memory that one member's command line adds through one node is listed by another's through the other", async () => {
    const url = await newUrl();
    const nodes = [await startNode(url), await startNode(url)];
    const members = [
      await addMember(url, "ann --tenant acme --user ann --scope read,write,approve"),
      await addMember(url, "bob --tenant acme --user bob --scope read"),
    ];
    const [ann, bob] = members.map(({ token }, i) =>
      newPlace({
        EVERLONG_MEMORY_STRATEGY: "service",
        EVERLONG_MEMORY_TIMEOUT_MS: "20000", // a busy machine is not what is tested
        EVERLONG_MEMORY_URL: nodes[i]?.url ?? "",
        EVERLONG_MEMORY_TOKEN: token,
      }),
    );
    if (!ann || !bob) throw new Error("two members");
    for (const { folder } of [ann, bob])
      for (const args of [
        ["init", "-q"],
        ["remote", "add", "origin", "https://github.com/acme/app.git"],
      ])
        execFileSync("git", args, { cwd: folder });
    const words = [
      "--subject",
      "build",
      "--cite",
      "README.md:1",
      "--scope",
      "repository",
      "--reason",
      "it broke on 22",
    ];
    const added = await run(ann, ["memory", "add", "--fact", "The build needs Node 24", ...words]);
    expect(added.stderr + added.stdout).toContain("Stored");
    const listed = await run(bob, ["memory", "list"]);
    expect(listed.stdout).toContain("The build needs Node 24");
  });
});

describe("the database goes away", () => {
  it("W4 W10 WB1 M148 MB24 503 while it is down, ready again without a restart, and nothing acknowledged is lost", async () => {
    const server = await startServer();
    try {
      const url = await server.newUrl();
      const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write");
      const node = await startNode(url);
      const ready = async (): Promise<unknown> => {
        const response = await fetch(`${node.url}/readyz`);
        return [response.status, await response.json()];
      };
      expect(await ready()).toEqual([200, { ready: true, reasons: [] }]);
      const stored = await ask(node, ann, "POST /api/memory/records", fact("Acknowledged before the crash"));
      expect(stored.status).toBe(201);
      await server.stop("SIGKILL");
      await vi.waitUntil(async () => (await ask(node, ann, "GET /api/memory/records")).status === 503);
      const refused = await ask(node, ann, "POST /api/memory/records", fact("Not while it is down"));
      expect(codeOf(refused)).toEqual([503, "store_unavailable"]);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(await ready()).toEqual([503, { ready: false, reasons: ["store_unavailable"] }]);
      expect((await fetch(`${node.url}/healthz`)).status).toBe(200);
      // Proxied requests go on to the upstream, which is not there in this test.
      expect((await ask(node, ann, "GET /v1/models")).status).toBe(502);
      await server.start();
      await vi.waitUntil(async () => (await ask(node, ann, "GET /api/memory/records")).status === 200, {
        ...{ timeout: 30_000, interval: 100 },
      });
      const { body } = await ask(node, ann, "GET /api/memory/records");
      expect(body["items"]).toMatchObject([{ fact: "Acknowledged before the crash" }]);
      expect(await ready()).toEqual([200, { ready: true, reasons: [] }]);
      expect(await node.stop("SIGTERM")).toMatchObject({ code: 0 });
    } finally {
      await server.close();
    }
  });

  it("WB5 one clear line and exit 1, never with the password", async () => {
    const server = sharedServer();
    const url = await newUrl();
    const serve = async (database: string) => {
      const done = await run(newPlace({}), ["serve", "--port", "0", "--database", database]);
      expect(done.code).toBe(1);
      expect(done.stderr + done.stdout).not.toContain("pass-word");
      return done.stderr;
    };
    expect(await serve("mysql://x/y")).toContain("The database URL cannot be read.");
    expect(await serve("postgres://everlong:pass-word@127.0.0.1:1/x")).toMatch(/127\.0\.0\.1:1\/x.*ECONNREFUSED/);
    expect(await serve(`postgres://everlong:pass-word@127.0.0.1:${server.port}/nowhere`)).toContain("does not exist");
    expect(await serve(url.replace("everlong:pass-word", "postgres:pass-word"))).toContain("row-level security");
    const { pathname } = new URL(url);
    const guest = `${pathname.slice(1)}_guest`;
    await server.ask(`CREATE ROLE ${guest} LOGIN; GRANT CONNECT ON DATABASE ${pathname.slice(1)} TO ${guest}`);
    expect(await serve(url.replace("everlong:pass-word", guest))).toContain("may not create tables");
    // A node that is older than the schema does not touch it.
    const { openTeamDatabase } = await import("../../src/store/postgres/team-database.ts");
    const opened = await openTeamDatabase(url);
    if (!opened.ok) throw new Error(opened.error.what);
    await opened.value.close();
    await server.ask("UPDATE everlong.schema_version SET version = 999", pathname.slice(1));
    expect(await serve(url)).toContain("schema version 999");
    expect(await openTeamDatabase(url)).toMatchObject({ error: { code: "home_too_new" } });
  });
});
