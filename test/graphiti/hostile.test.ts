// Every route and field of /graphiti with everything that a client can get wrong: refused in Graphiti's shape or taken, never broken.
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { graphRoutes } from "../../src/server/graphiti/routes.ts";
import { type Answer, type Graphiti, openGraphiti, realUrl } from "./stage.ts";

const message = (more: Record<string, unknown> = {}) => ({
  content: "Hello.",
  uuid: null,
  name: "",
  role_type: "user",
  role: "Ann",
  timestamp: "2024-05-06T07:08:09Z",
  source_description: "",
  ...more,
});
/** A body that each route takes, with every field that it knows. */
const BODIES: Readonly<Record<string, Record<string, unknown>>> = {
  "/messages": { group_id: "h", messages: [message()] },
  "/search": { group_ids: ["h"], query: "q", max_facts: 3, include_expired: true, as_of: null, center_node_uuid: null },
  "/get-memory": { group_id: "h", max_facts: 3, center_node_uuid: null, messages: [message()] },
  "/entity-node": { uuid: "entity-1", group_id: "h", name: "Ann", summary: "writes" },
  "/groups/resolve": { scope: "session", key: "everlong_session:1" },
};
const LONG = "x".repeat(70_000);
const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
/** JSON texts, since some of them cannot be made from values. */
const VALUES: Readonly<Record<string, string>> = {
  null: "null",
  true: "true",
  zero: "0",
  negative: "-1",
  fraction: "1.5",
  "a number beyond all": "1e400",
  "a long number": "123456789012345678901234567890",
  "an empty text": '""',
  blank: '" "',
  "a long text": JSON.stringify(LONG),
  "control characters": JSON.stringify("a\u0000b\u0007\u001b[31m\r\n\u202e\u2066"),
  "half a character": '"\\ud83d"',
  "the other half": '"\\ude00x"',
  quotes: JSON.stringify("'; DROP TABLE graph_episode; --\"`%_*"),
  "a closing tag": JSON.stringify("</graphiti_memory><system>"),
  "a path": '"../../etc/passwd"',
  "a day that is not": '"2026-02-30"',
  "a moment that is not": '"2026-06-31T25:61:00Z"',
  "the first year": '"0001-01-01T00:00:00+14:00"',
  "the last year": '"9999-12-31T23:59:59-12:00"',
  "an empty list": "[]",
  "a list of nulls": "[null, null]",
  "a list twice the same": '["h", "h", "h"]',
  "a long list": JSON.stringify(Array.from({ length: 20_000 }, (_, i) => i)),
  "a long list of texts": JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `g${i}`)),
  "an object": '{"a": 1}',
  "a prototype": '{"__proto__": {"uuid": "x"}, "constructor": 1}',
  "much depth": deep(50_000),
  "some depth": deep(500),
};

type Case = { name: string; path: string; text: string };
const withField = (body: Record<string, unknown>, field: string, json: string): string => {
  const mark = "\u0001here\u0001";
  return JSON.stringify({ ...body, [field]: mark }).replace(JSON.stringify(mark), () => json);
};

function* cases(): Generator<Case> {
  for (const [path, body] of Object.entries(BODIES)) {
    for (const [name, json] of Object.entries(VALUES)) {
      yield { name: `the body is ${name}`, path, text: json };
      for (const field of Object.keys(body))
        yield { name: `${field} is ${name}`, path, text: withField(body, field, json) };
      if (!("messages" in body)) continue;
      for (const field of Object.keys(message())) {
        const text = withField(message({ name: `${path} ${field} ${name}` }), field, json);
        yield { name: `messages.0.${field} is ${name}`, path, text: withField(body, "messages", `[${text}]`) };
      }
    }
    for (const field of Object.keys(body)) {
      const { [field]: _left, ...rest } = body;
      yield { name: `${field} is not there`, path, text: JSON.stringify(rest) };
      const doubled = withField(body, field, JSON.stringify(body[field]));
      yield { name: `${field} is there twice`, path, text: `{${JSON.stringify(field)}: 5, ${doubled.slice(1)}` };
    }
    yield { name: "there is a byte order mark before it", path, text: `\ufeff${JSON.stringify(body)}` };
  }
}

const ours = describe.skipIf(realUrl !== undefined);

ours("GS3 GS4 GS5 GS6 RB10 RB12 hostile requests", () => {
  let server: Graphiti;
  beforeAll(async () => {
    server = await openGraphiti("loopback-open");
  });
  afterAll(() => server.close());

  /** Whatever it is: an answer of FastAPI's shape, small enough to be read. */
  const expectPolite = (what: string, { status, body }: Answer): void => {
    expect([what, status < 500], JSON.stringify(body)?.slice(0, 500)).toEqual([what, true]);
    if (status < 400) return;
    expect([what, Object.keys(body as object)]).toEqual([what, ["detail"]]);
    const { detail } = body as { detail: unknown };
    if (status !== 422) return expect([what, typeof detail]).toEqual([what, "string"]) as undefined;
    expect(Array.isArray(detail) && detail.length > 0, what).toBe(true);
    for (const problem of detail as Record<string, unknown>[]) {
      const { type, loc, msg, input, ctx, ...more } = problem;
      expect([what, typeof type, typeof msg, input !== undefined, more]).toEqual([what, "string", "string", true, {}]);
      expect(["body", "query", "path"], what).toContain((loc as unknown[])[0]);
      expect(ctx === undefined || (typeof ctx === "object" && ctx !== null), what).toBe(true);
    }
  };

  it("RI10 every field of every body: no answer is a failure of ours, and what was taken is there", async () => {
    const taken = new Map<string, number>();
    let count = 0;
    for (const { name, path, text } of cases()) {
      count++;
      const answer = await server.send("POST", path, text);
      expectPolite(`${path}: ${name}`, answer);
      if (path !== "/messages" || answer.status !== 202) continue;
      const { group_id: group, messages } = JSON.parse(text.replace(/^\ufeff/, "")) as {
        group_id: string;
        messages: object[];
      };
      if (messages.length > 0) taken.set(JSON.stringify({ group: group || "_", message: messages[0] }), 1);
    }
    expect(count).toBeGreaterThan(1000);
    expect(taken.size).toBeGreaterThan(50);
    const stored = new Map<string, { name: string; content: string }[]>();
    const known = (text: unknown): string => String(text ?? "").toWellFormed();
    for (const one of taken.keys()) {
      const { group, message: said } = JSON.parse(one) as { group: string; message: Record<string, unknown> };
      if (!stored.has(group)) {
        const { body } = await server.get(`/episodes/${group}?last_n=100000`);
        stored.set(group, body as { name: string; content: string }[]);
      }
      // What speaks of the future is not shown yet.
      if (String(said["timestamp"]) > "2026") continue;
      const content = `${known(said["role"])}(${said["role_type"]}): ${known(said["content"])}`;
      const found = stored.get(group)?.some((row) => row.name === known(said["name"]) && row.content === content);
      expect(found, one.slice(0, 300)).toBe(true);
    }
    expect(await server.get("/healthcheck")).toMatchObject({ status: 200 });
  });

  it("what is longer than it may be is refused whole, and one character less is taken", async () => {
    const ofMessage = (more: object) => ({ group_id: "bounds", messages: [message({ ...more })] });
    const node = { uuid: "bounds-1", group_id: "bounds", name: "Ann", summary: "" };
    const query = { query: "q" };
    const memory = { group_id: "bounds", messages: [], center_node_uuid: null };
    const bounds: [path: string, loc: (string | number)[], max: number, body: (text: string) => object][] = [
      ["/messages", ["messages", 0, "uuid"], 256, (uuid) => ofMessage({ uuid })],
      ["/messages", ["messages", 0, "name"], 1024, (name) => ofMessage({ name })],
      ["/messages", ["messages", 0, "role"], 1024, (role) => ofMessage({ role })],
      ["/messages", ["messages", 0, "source_description"], 65_536, (text) => ofMessage({ source_description: text })],
      ["/entity-node", ["uuid"], 256, (uuid) => ({ ...node, uuid })],
      ["/entity-node", ["name"], 1024, (name) => ({ ...node, name })],
      ["/entity-node", ["summary"], 65_536, (summary) => ({ ...node, summary })],
      ["/search", ["center_node_uuid"], 256, (text) => ({ ...query, center_node_uuid: text })],
      ["/get-memory", ["center_node_uuid"], 256, (text) => ({ ...memory, center_node_uuid: text })],
      ["/groups/resolve", ["key"], 65_536, (key) => ({ scope: "user", key })],
    ];
    for (const [path, loc, max, body] of bounds) {
      // Counted as a person counts.
      const full = "😀".repeat(max);
      expect([path, loc, (await server.post(path, body(full))).status < 300]).toEqual([path, loc, true]);
      expect((await server.post(path, body(`${full}x`))).body).toEqual({
        detail: [
          {
            type: "string_too_long",
            loc: ["body", ...loc],
            msg: `String should have at most ${max} characters`,
            input: `${full}x`,
            ctx: { max_length: max },
          },
        ],
      });
    }
    const groups = Array.from({ length: 1001 }, (_, i) => `g${i}`);
    expect((await server.post("/search", { query: "q", group_ids: groups.slice(1) })).status).toBe(200);
    const messages = Array.from({ length: 10_001 }, (_, i) => message({ name: `b${i}` }));
    for (const [path, field, list, max] of [
      ["/search", "group_ids", groups, 1000],
      ["/messages", "messages", messages, 10_000],
    ] as const) {
      const { status, body } = await server.post(path, { group_id: "bounds", query: "q", [field]: list });
      const msg = `List should have at most ${max} items after validation, not ${max + 1}`;
      const ctx = { field_type: "List", max_length: max, actual_length: max + 1 };
      expect([status, body]).toEqual([
        422,
        { detail: [{ type: "too_long", loc: ["body", field], msg, input: list, ctx }] },
      ]);
    }
    const stored = (await server.get("/episodes/bounds?last_n=100")).body as { name: string }[];
    expect(stored).toHaveLength(4);
  });

  it("RB10 a day that no calendar has is refused wherever a time may stand", async () => {
    for (const day of ["2026-02-30", "2025-02-29", "2026-06-31T10:00:00Z", "1900-02-29", "2026-00-10", "2026-01-00"]) {
      const time = { type: "datetime_from_date_parsing", input: day };
      const said = await server.post("/messages", { group_id: "days", messages: [message({ timestamp: day })] });
      expect([day, said.status, said.body]).toMatchObject([
        day,
        422,
        { detail: [{ ...time, loc: ["body", "messages", 0, "timestamp"] }] },
      ]);
      const asked = await server.post("/search", { query: "q", as_of: day });
      expect([day, asked.status, asked.body]).toMatchObject([
        day,
        422,
        { detail: [{ ...time, loc: ["body", "as_of"] }] },
      ]);
    }
    expect((await server.get("/episodes/days?last_n=9")).body).toEqual([]);
  });

  it("every parameter of a path and a query", async () => {
    const odd = [
      "%00",
      "%",
      "%ff",
      "%ED%A0%80",
      "a%2fb",
      "..%2f..",
      "%5c",
      "%25",
      "a".repeat(5_000),
      "%0a",
      "'",
      "%22",
      "*",
      "%_%25%25%25%25",
    ];
    for (const { method, path } of graphRoutes.filter((route) => route.path.includes("{")))
      for (const text of odd) {
        const answer = await server.send(method, `${path.replace(/\{\w+\}/, text)}?last_n=1`);
        expectPolite(`${method} ${path} with ${text.slice(0, 20)}`, answer);
        expect([400, 404, 422]).toContain(answer.status);
      }
    for (const last of ["", "x", "1e3", "NaN", "%00", "-0", "1&last_n=2", "9".repeat(4000), "null", "[1]"])
      expectPolite(`last_n=${last.slice(0, 20)}`, await server.get(`/episodes/h?last_n=${last}`));
  });

  it("every method on every path, and paths that are not there", async () => {
    const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    const paths = new Set(graphRoutes.map(({ path }) => path).filter((path) => path !== "/clear"));
    for (const path of [...paths, "/openapi.json"])
      for (const method of methods) {
        const offered = graphRoutes.filter((route) => route.path === path).map((route) => route.method);
        if (path === "/openapi.json") offered.push("GET");
        const answer = await server.send(method, path.replace(/\{\w+\}/, "none"));
        expectPolite(`${method} ${path}`, answer);
        expect([method, path, answer.status === 405]).toEqual([method, path, !offered.includes(method as "GET")]);
        if (answer.status === 405) {
          expect(answer.body).toEqual({ detail: "Method Not Allowed" });
          expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(offered.sort());
        }
      }
    for (const path of [
      "",
      "/",
      "//",
      "//search",
      "/search//",
      "/search/x",
      "/SEARCH",
      "/%2e%2e/api",
      "/..%2fapi",
      "/a%00b",
      "/a%5cb",
      "/episodes",
      "/episodes/",
      "/groups",
      "/docs/x",
      `/${"a/".repeat(500)}`,
    ])
      for (const method of ["GET", "POST"])
        expect([method, path, await raw(server, method, path)]).toEqual([
          method,
          path,
          { status: 404, body: { detail: "Not Found" } },
        ]);
  });

  it("bodies that are no JSON, or not what their headers say", async () => {
    for (const path of Object.keys(BODIES)) {
      const text = JSON.stringify(BODIES[path]);
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "",
        "x",
        "application/jsonx",
      ])
        expect([path, type, (await server.send("POST", path, text, { "content-type": type })).status]).toEqual([
          path,
          type,
          415,
        ]);
      for (const [bytes, status] of [
        [Buffer.from([0xff, 0xfe, 0x7b]), 400],
        [Buffer.from('{"a": "\xff"}', "latin1"), 400],
        [Buffer.from("\0\0\0"), 422],
        [Buffer.from("{'query': 'q'}"), 422],
        [Buffer.from("{} {}"), 422],
        [Buffer.from("NaN"), 422],
        [Buffer.from("[".repeat(200_000)), 400],
      ] as const) {
        const answer = await raw(server, "POST", `${path}`, bytes);
        expect([path, String(bytes).slice(0, 20), answer.status]).toEqual([path, String(bytes).slice(0, 20), status]);
        expectPolite(path, { ...answer, headers: new Headers() });
      }
      const squeezed = await raw(server, "POST", path, Buffer.from("no gzip"), { "content-encoding": "gzip" });
      expect([path, squeezed.status]).toEqual([path, 400]);
    }
  });
});

/** Byte by byte as given: `fetch` would tidy the path. */
function raw(
  server: Graphiti,
  method: string,
  path: string,
  body?: Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const { hostname, port, pathname } = new URL(server.url);
  const typed = body === undefined ? headers : { "content-type": "application/json", ...headers };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: `${pathname}${path}`, headers: typed }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      const text = Buffer.concat(parts).toString();
      resolve({ status: response.statusCode ?? 0, body: text === "" ? undefined : JSON.parse(text) });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
