// Graphiti's REST contract: the same suite for our server with and without a token, and for a real one (GRAPHITI_URL).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { graphRoutes } from "../../src/server/graphiti/routes.ts";
import { type Answer, type Graphiti, openGraphiti, realUrl } from "./stage.ts";

type Recorded = {
  path: string;
  body: unknown;
  errors: { type: string; loc: (string | number)[]; msg: string; input: unknown; ctx?: unknown }[] | null;
  time?: string;
};
const recorded = readFileSync(join(import.meta.dirname, "recorded.jsonl"), "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Recorded);

const SUCCESS: Readonly<Record<string, number>> = {
  "/messages": 202,
  "/search": 200,
  "/get-memory": 200,
  "/entity-node": 201,
};
const message = (content: string, more: Record<string, unknown> = {}) => ({
  content,
  role_type: "user",
  role: "Ann",
  ...more,
});
type FactResult = Record<string, unknown> & { fact: string; uuid: string; episodes: string[]; created_at: string };
const facts = ({ body }: Answer): FactResult[] => (body as { facts: FactResult[] }).facts;
type Detail = { detail: { type: string; loc: unknown[]; input: unknown; ctx?: unknown; msg: string }[] };
const errors = ({ body }: Answer) => (body as Detail).detail;

const NOT_AUTHENTICATED = { detail: "Not authenticated" };

const modes = realUrl === undefined ? (["loopback-open", "token"] as const) : (["loopback-open"] as const);
const ours = it.skipIf(realUrl !== undefined);

describe.each(modes)("RE8 GS7 the contract, gateway.auth=%s", (auth) => {
  let server: Graphiti;
  beforeAll(async () => {
    server = await openGraphiti(auth);
  });
  afterAll(() => server.close());

  it("GS1 answers a health check", async () => {
    expect(await server.get("/healthcheck")).toMatchObject({ status: 200, body: { status: "healthy" } });
  });

  it("GS3 refuses and accepts every recorded body as pydantic does", async () => {
    for (const { path, body, errors: expected } of recorded) {
      const answer = await server.post(path, body);
      const shown = { body, status: answer.status, detail: expected ? errors(answer) : null };
      expect(shown).toEqual({ body, status: expected ? 422 : SUCCESS[path], detail: expected });
    }
  });

  it("GS2 reads every form of a time, and gives it back in UTC", async () => {
    const forms = recorded.filter(({ time }) => time !== undefined);
    expect(forms.length).toBeGreaterThan(20);
    for (const [i, { body, time }] of forms.entries()) {
      await server.post("/messages", { ...(body as object), group_id: `time${i}` });
      const { body: episodes } = await server.get(`/episodes/time${i}?last_n=1`);
      // What speaks of the future is not there yet.
      if (String(time) < "2026") expect([body, episodes]).toMatchObject([body, [{ valid_at: time }]]);
    }
  });

  it("GS3 says where the JSON breaks, and what is missing without a body", async () => {
    const broken: [string, number, string][] = [
      ["bad", 0, "Expecting value"],
      ["{", 1, "Expecting property name enclosed in double quotes"],
      ['{"a":', 5, "Expecting value"],
      ['{"a":1', 6, "Expecting ',' delimiter"],
      ['{"a" 1}', 5, "Expecting ':' delimiter"],
      ['"abc', 0, "Unterminated string starting at"],
      ["{} x", 3, "Extra data"],
      ['{"é😀":tru}', 6, "Expecting value"],
      ['{"a":"\n"}', 6, "Invalid control character at"],
      ['{"a":"\\x"}', 6, "Invalid \\escape"],
      [" ", 1, "Expecting value"],
    ];
    for (const [text, at, error] of broken) {
      const answer = await server.send("POST", "/search", text);
      expect([text, answer.status]).toEqual([text, 422]);
      expect(errors(answer)).toEqual([
        { type: "json_invalid", loc: ["body", at], msg: "JSON decode error", input: {}, ctx: { error } },
      ]);
    }
    const missing = [{ type: "missing", loc: ["body"], msg: "Field required", input: null }];
    for (const none of [await server.send("POST", "/messages"), await server.send("POST", "/messages", "null")]) {
      expect(none.status).toBe(422);
      expect(errors(none)).toEqual(missing);
    }
  });

  it("GS3 the query of /episodes is read as a body is", async () => {
    const none = await server.get("/episodes/g");
    expect(none.status).toBe(422);
    expect(errors(none)).toEqual([{ type: "missing", loc: ["query", "last_n"], msg: "Field required", input: null }]);
    for (const [text, type] of [
      ["x", "int_parsing"],
      ["", "int_parsing"],
      ["1.5", "int_parsing"],
    ])
      expect(errors(await server.get(`/episodes/g?last_n=${text}`))).toMatchObject([
        { type, loc: ["query", "last_n"], input: text },
      ]);
    for (const text of ["0", "-4", "x&last_n=0"])
      expect(await server.get(`/episodes/g?last_n=${text}`)).toMatchObject({ status: 200, body: [] });
    expect((await server.get(`/episodes/g?last_n=${"9".repeat(400)}`)).status).toBe(200);
  });

  it("GS4 unknown paths, other methods, and slashes too many", async () => {
    for (const path of ["/nothing", "/messages/x", "/", "/episodes", "/nothing/"])
      expect(await server.get(path)).toMatchObject({ status: path === "/" ? expect.anything() : 404 });
    expect((await server.get("/nothing")).body).toEqual({ detail: "Not Found" });
    for (const [method, path, allow] of [
      ["GET", "/messages", "POST"],
      ["PUT", "/search", "POST"],
      ["DELETE", "/clear", "POST"],
      ["OPTIONS", "/messages", "POST"],
      ["POST", "/healthcheck", "GET"],
      ["PATCH", "/group/g", "DELETE"],
    ] as const) {
      const answer = await server.send(method, path);
      expect([method, path, answer.status, answer.body]).toEqual([method, path, 405, { detail: "Method Not Allowed" }]);
      expect(answer.headers.get("allow")).toContain(allow);
    }
    expect((await server.send("HEAD", "/healthcheck")).status).toBe(405);
    const led = await server.send("GET", "/episodes/g/?last_n=1");
    expect([led.status, led.headers.get("location")]).toEqual([307, `${server.url}/episodes/g?last_n=1`]);
    expect((await server.send("POST", "/search/", "{}")).headers.get("location")).toBe(`${server.url}/search`);
  });

  it("GS1 GS2 a message becomes an episode and a fact, in Graphiti's shapes", async () => {
    const sent = message("The deploy script is now blue.", { name: "n1", source_description: "chat", extra: [1] });
    const accepted = await server.post("/messages", {
      group_id: "shapes",
      messages: [{ ...sent, timestamp: "2024-05-06T07:08:09.5+02:00" }, message("Hello.", { role: null })],
    });
    expect(accepted).toMatchObject({
      status: 202,
      body: { message: "Messages added to processing queue", success: true },
    });
    await server.settled("shapes");
    const { body } = await server.get("/episodes/shapes?last_n=10");
    const episodes = body as Record<string, unknown>[];
    expect(episodes).toHaveLength(2);
    expect(episodes[0]).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "n1",
      group_id: "shapes",
      labels: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
      source: "message",
      source_description: "chat",
      content: "Ann(user): The deploy script is now blue.",
      valid_at: "2024-05-06T05:08:09.500000Z",
      entity_edges: [expect.any(String)],
      episode_metadata: null,
    });
    expect(episodes[1]).toMatchObject({ content: "(user): Hello.", name: "", entity_edges: [] });
    const [fact] = facts(await server.post("/search", { group_ids: ["shapes"], query: "deploy script" }));
    expect(fact).toEqual({
      uuid: (episodes[0]!["entity_edges"] as string[])[0],
      name: "HAS_STATUS",
      fact: "The deploy script is now blue.",
      valid_at: "2024-05-06T05:08:09.500000+00:00",
      invalid_at: null,
      created_at: expect.stringMatching(/\+00:00$/),
      expired_at: null,
      source_node_uuid: expect.any(String),
      target_node_uuid: expect.any(String),
      episodes: [episodes[0]?.["uuid"]],
    });
    expect(await server.get(`/entity-edge/${fact?.uuid}`)).toMatchObject({ status: 200, body: fact });
    const remembered = {
      group_id: "shapes",
      center_node_uuid: null,
      messages: [message("What is the deploy script?")],
    };
    expect(facts(await server.post("/get-memory", remembered))).toEqual([fact]);
    expect((await server.get("/episodes/shapes?last_n=1")).body).toMatchObject([{ content: "(user): Hello." }]);
  });

  it("RB13 GS1 deletes: an edge, an episode with what rests on it, a group, twice", async () => {
    const group = "gone";
    for (const color of ["red", "green"])
      await server.post("/messages", { group_id: group, messages: [message(`The ${color} lamp is now broken.`)] });
    await server.settled(group);
    const search = async () =>
      facts(await server.post("/search", { group_ids: [group], query: "lamp broken" })).map(({ fact }) => fact);
    const all = facts(await server.post("/search", { group_ids: [group], query: "red lamp broken" }));
    const red = all.find(({ fact }) => fact.includes("red"));
    expect(await server.send("DELETE", `/entity-edge/${red?.uuid}`)).toMatchObject({
      status: 200,
      body: { message: "Entity Edge deleted", success: true },
    });
    const absent = { status: 404, body: { detail: `edge ${red?.uuid} not found` } };
    expect(await server.send("DELETE", `/entity-edge/${red?.uuid}`)).toMatchObject(absent);
    expect(await server.get(`/entity-edge/${red?.uuid}`)).toMatchObject(absent);
    expect(await search()).toEqual(["The green lamp is now broken."]);
    const episode = all.find(({ fact }) => fact.includes("green"))?.episodes[0];
    expect(await server.send("DELETE", `/episode/${episode}`)).toMatchObject({
      status: 200,
      body: { message: "Episode deleted", success: true },
    });
    expect(await server.send("DELETE", `/episode/${episode}`)).toMatchObject({
      status: 404,
      body: { detail: `node ${episode} not found` },
    });
    expect(await search()).toEqual([]);
    for (let i = 0; i < 2; i++)
      expect(await server.send("DELETE", `/group/${group}`)).toMatchObject({
        status: 200,
        body: { message: "Group deleted", success: true },
      });
    expect((await server.get(`/episodes/${group}?last_n=5`)).body).toEqual([]);
  });

  it("GS1 an entity is stored, updated, and kept to its group", async () => {
    const node = { uuid: "11111111-1111-4111-8111-111111111111", group_id: "people", name: "Ann", summary: "writes" };
    const stored = await server.post("/entity-node", node);
    expect(stored.status).toBe(201);
    expect(stored.body).toEqual({
      ...node,
      labels: [],
      created_at: expect.stringMatching(/Z$/),
      name_embedding: realUrl === undefined ? null : expect.anything(),
      attributes: {},
    });
    expect((await server.post("/entity-node", { ...node, name: "Anna" })).body).toMatchObject({ name: "Anna" });
    if (realUrl === undefined)
      expect((await server.post("/entity-node", { ...node, group_id: "others" })).status).toBe(409);
  });

  it("GS1 blank queries and no places give no facts; no groups means all of them", async () => {
    await server.post("/messages", { group_id: "every", messages: [message("The harbour crane is now yellow.")] });
    await server.settled("every");
    const search = async (more: object) => facts(await server.post("/search", { query: "harbour crane", ...more }));
    for (const groups of [null, []]) expect((await search({ group_ids: groups })).length).toBe(1);
    expect(await search({ group_ids: ["elsewhere"] })).toEqual([]);
    expect(await search({ group_ids: ["every"], query: " " })).toEqual([]);
    for (const max of [0, -1]) expect(await search({ max_facts: max })).toEqual([]);
    expect(await search({ max_facts: "99999" })).toHaveLength(1);
  });

  ours("GS5 RB12 B42 D11 hostile group ids are refused everywhere, and nothing changes", async () => {
    const before = (await server.post("/search", { query: "harbour crane" })).body;
    const ids = ["a b", "a'b", 'a"b', "x".repeat(300), "a') OR 1=1--", "ü", "a\nb", "..%2F", "*"];
    for (const id of ids) {
      const pattern = { type: "string_pattern_mismatch", input: id, ctx: { pattern: "^[a-zA-Z0-9_-]{1,128}$" } };
      const bodies: [string, object, unknown[]][] = [
        ["/messages", { group_id: id, messages: [] }, ["body", "group_id"]],
        ["/search", { group_ids: ["g", id], query: "q" }, ["body", "group_ids", 1]],
        ["/get-memory", { group_id: id, center_node_uuid: null, messages: [] }, ["body", "group_id"]],
        ["/entity-node", { uuid: "u", group_id: id, name: "n" }, ["body", "group_id"]],
      ];
      for (const [path, body, loc] of bodies) {
        const answer = await server.post(path, body);
        expect([path, answer.status]).toEqual([path, 422]);
        expect(errors(answer)).toMatchObject([{ ...pattern, loc }]);
      }
      const inPath = encodeURIComponent(id);
      for (const answer of [
        await server.send("DELETE", `/group/${inPath}`),
        await server.get(`/episodes/${inPath}?last_n=1`),
      ]) {
        expect([id, answer.status]).toEqual([id, 422]);
        expect(errors(answer)).toMatchObject([{ ...pattern, loc: ["path", "group_id"] }]);
      }
    }
    expect(errors(await server.get("/episodes/a%20b"))).toMatchObject([
      { loc: ["path", "group_id"] },
      { loc: ["query", "last_n"] },
    ]);
    expect((await server.post("/search", { query: "harbour crane" })).body).toEqual(before);
    await server.post("/messages", { group_id: "", messages: [message("Nobody's.")] });
    expect((await server.get("/episodes/_?last_n=1")).body).toMatchObject([{ group_id: "_" }]);
    await server.post("/messages", { group_id: "with-hyphen", messages: [message("Mine.")] });
    expect((await server.get("/episodes/with-hyphen?last_n=1")).body).toHaveLength(1);
  });

  ours("GS5 G8 RB11 a new uuid is stored; one message fifty times at once is one episode", async () => {
    const uuid = "22222222-2222-4222-8222-222222222222";
    const send = (content: string) => ({ group_id: "same", messages: [message(content, { uuid })] });
    const many = await Promise.all(Array.from({ length: 50 }, () => server.post("/messages", send("Once."))));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([202]));
    const unnamed = { group_id: "same", messages: [message("Without a name.")] };
    await Promise.all(Array.from({ length: 50 }, () => server.post("/messages", unnamed)));
    expect((await server.get("/episodes/same?last_n=99")).body).toHaveLength(2);
    const other = await server.post("/messages", {
      group_id: "same",
      messages: [message("New."), message("Other.", { uuid })],
    });
    expect(other.status).toBe(409);
    const twice = [message("One.", { uuid: "u1" }), message("Two.", { uuid: "u1" })];
    expect((await server.post("/messages", { group_id: "same", messages: twice })).status).toBe(409);
    expect((await server.get("/episodes/same?last_n=99")).body).toHaveLength(2);
    const large = Array.from({ length: 1000 }, (_, i) => message(`Line ${i}.`));
    expect((await server.post("/messages", { group_id: "large", messages: large })).status).toBe(202);
    expect((await server.get("/episodes/large?last_n=2000")).body).toHaveLength(1000);
  });

  ours("GS5 GS6 ended facts are left out unless they are wanted; the past can be asked for", async () => {
    const line = (color: string, day: number) =>
      message(`The signal lamp is now ${color}.`, { timestamp: `2024-01-0${day}` });
    await server.post("/messages", { group_id: "time", messages: [line("red", 1), line("green", 3), line("blue", 5)] });
    await server.settled("time");
    const colors = async (more: object) =>
      facts(await server.post("/search", { group_ids: ["time"], query: "signal lamp", ...more }))
        .map(({ fact }) => /red|green|blue/.exec(fact)?.[0])
        .sort();
    expect(await colors({})).toEqual(["blue"]);
    expect(await colors({ include_expired: true })).toEqual(["blue", "green", "red"]);
    expect(await colors({ as_of: "2024-01-04" })).toEqual(["green"]);
    expect(await colors({ include_expired: true, max_facts: 1 })).toEqual(["blue"]);
    expect(errors(await server.post("/search", { query: "q", as_of: "no", include_expired: "perhaps" }))).toMatchObject(
      [{ loc: ["body", "include_expired"] }, { loc: ["body", "as_of"] }],
    );
  });

  ours("GS4 GS6 other media types, and more than fits", async () => {
    const form = await server.send("POST", "/messages", "a=b", { "content-type": "text/plain" });
    expect(form).toMatchObject({ status: 415, body: { detail: "Unsupported Media Type" } });
    for (const type of ["application/json; charset=utf-8", "application/vnd.api+json"])
      expect((await server.send("POST", "/search", '{"query":"q"}', { "content-type": type })).status).toBe(200);
    const long = "x".repeat(1024 * 1024 + 1);
    const tooLong = await server.post("/messages", { group_id: "g", messages: [message(long)] });
    expect(tooLong.status).toBe(422);
    expect(errors(tooLong)).toMatchObject([
      { type: "string_too_long", loc: ["body", "messages", 0, "content"], ctx: { max_length: 1024 * 1024 } },
    ]);
    const huge = await server.post("/messages", { group_id: "g", messages: [message("x".repeat(11 * 1024 * 1024))] });
    expect(huge.status).toBe(413);
    const deep = await server.send("POST", "/messages", `{"messages":${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
    expect(deep).toMatchObject({ status: 400, body: { detail: "There was an error parsing the body" } });
  });

  ours("GS8 an Idempotency-Key gives the first answer again, and does nothing", async () => {
    const send = (content: string, key: string) =>
      server.send(
        "POST",
        "/messages",
        { group_id: "keys", messages: [message(content, { name: content })] },
        {
          "idempotency-key": key,
        },
      );
    expect((await send("A", "k1")).status).toBe(202);
    expect((await send("A", "k1")).status).toBe(202);
    expect((await send("B", "k1")).status).toBe(409);
    expect((await send("B", "k2")).status).toBe(202);
    expect((await server.get("/episodes/keys?last_n=9")).body).toHaveLength(2);
  });

  ours("GS1 resolves a group, and describes itself to client generators", async () => {
    const resolved = await server.post("/groups/resolve", { scope: "session", key: "everlong_session:1" });
    expect(resolved.body).toEqual({ group_id: expect.stringMatching(/^graphiti_session_[0-9a-f]{32}$/) });
    expect(errors(await server.post("/groups/resolve", { scope: "x" }))).toMatchObject([
      { type: "literal_error", ctx: { expected: "'session', 'workspace' or 'user'" } },
      { type: "missing", loc: ["body", "key"] },
    ]);
    const { body } = await server.get("/openapi.json");
    const described = body as {
      paths: Record<
        string,
        Record<string, { requestBody?: object; parameters: { name: string }[]; responses: object }>
      >;
      components: { schemas: Record<string, { required: string[] }> };
    };
    expect(Object.keys(described.paths).sort()).toEqual([
      "/clear",
      "/entity-edge/{uuid}",
      "/entity-node",
      "/episode/{uuid}",
      "/episodes/{group_id}",
      "/get-memory",
      "/group/{group_id}",
      "/groups/resolve",
      "/healthcheck",
      "/messages",
      "/search",
    ]);
    expect(described.paths["/messages"]?.["post"]?.requestBody).toMatchObject({
      content: { "application/json": { schema: { required: ["group_id", "messages"] } } },
    });
    expect(described.paths["/episodes/{group_id}"]?.["get"]?.parameters.map(({ name }) => name)).toEqual([
      "group_id",
      "last_n",
    ]);
    const text = JSON.stringify(body);
    for (const [, name = ""] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
      expect(described.components.schemas[name]).toBeDefined();
    expect(described.components.schemas["FactResult"]?.required).toContain("expired_at");
  });

  ours(
    "GS7 every route refuses a wrong token, and a missing one where it is needed; without one stock clients get through",
    async () => {
      const paths = [...graphRoutes, { method: "GET", path: "/openapi.json" }];
      for (const { method, path } of paths) {
        const at = `${server.url}${path.replace(/\{\w+\}/, "none")}`;
        const none = await fetch(at, { method });
        // As many wrong ones again would be taken for guessing, where a missing one counts as well.
        const wrong = auth === "token" ? none : await fetch(at, { method, headers: { authorization: "Bearer wrong" } });
        expect([method, path, none.status === 401]).toEqual([method, path, auth === "token"]);
        expect([method, path, wrong.status, await wrong.json()]).toEqual([method, path, 401, NOT_AUTHENTICATED]);
      }
      const wrong = await server.send("GET", "/healthcheck", undefined, { authorization: "Bearer wrong" });
      expect(wrong).toMatchObject({ status: 401, body: NOT_AUTHENTICATED });
    },
  );

  it("GS1 clears the graph", async () => {
    expect(await server.send("POST", "/clear")).toMatchObject({
      status: 200,
      body: { message: "Graph cleared", success: true },
    });
    expect((await server.get("/episodes/large?last_n=1")).body).toEqual([]);
    expect(facts(await server.post("/search", { query: "signal lamp" }))).toEqual([]);
  });
});
