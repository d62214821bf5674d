// Signed requests to a memory service: what our client sends our service takes, and nothing that anybody changed or kept.
import { createHmac, hash } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import { oddServer, openMemoryStage, PLACE, ready } from "./service-fixture.ts";
import { draft, filtered } from "./strategy.conformance.ts";

const { signal } = new AbortController();
const KEY = "a key that both sides have";
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
const served = async (memoryKey?: string) => {
  const stage = await openMemoryStage({}, memoryKey === undefined ? {} : { memoryKey });
  ends.push(() => stage.end());
  return stage;
};

it("M33 every request carries a timestamp and the HMAC of method, path, repository, timestamp and body", async () => {
  const server = await oddServer((_req, res) => res.writeHead(404).end());
  ends.push(() => server.end());
  const strategy = await ready(server.url, { hmacKey: KEY, now: () => "2026-01-01T00:00:00.500Z" });
  await strategy.prompt({ place: PLACE, scopes: ["repository"], maxTokens: 10, maxRecords: 1 }, signal);
  await strategy.store(draft(PLACE, "Signed as it leaves"), signal);
  const ballot = { direction: "upvote", reason: filtered("so"), fact: filtered("f"), place: PLACE } as const;
  await strategy.vote({ ...ballot, actor: { key: "user:local", kind: "user" } }, signal);
  await strategy.get("mem-1", {}, signal);
  expect(server.requests.map(({ method }) => method)).toEqual(["GET", "POST", "POST", "GET"]);
  for (const [i, { method, url, headers, body }] of server.requests.entries()) {
    expect(headers["x-everlong-timestamp"]).toBe("1767225600");
    const repository = i === 3 ? "" : "acme/widgets";
    const text = [method, url, repository, "1767225600", hash("sha256", body)].join("\n");
    const expected = `sha256=${createHmac("sha256", KEY).update(text).digest("hex")}`;
    expect([i, headers["x-everlong-signature"]]).toEqual([i, expected]);
  }
});

it("M33 M32 a service with the key takes what has the right one, and refuses none, a wrong one and a clock that is off", async () => {
  const stage = await served(KEY);
  const at = (more: object) => ready(stage.gateway.address, { token: stage.token, ...more });
  const good = await at({ hmacKey: KEY });
  expect(await good.store(draft(PLACE, "Stored with a signature"), signal)).toMatchObject({ type: "stored" });
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const listed = await (await at({ hmacKey: KEY, now: () => ago(200) })).list({ place: PLACE }, signal);
  expect(listed).toMatchObject({ type: "listed", records: [{ fact: "Stored with a signature" }] });
  for (const more of [
    {},
    { hmacKey: "another key" },
    { hmacKey: KEY, now: () => ago(330) },
    { hmacKey: KEY, now: () => ago(-330) },
  ]) {
    const bad = await at(more);
    expect(await bad.list({ place: PLACE }, signal)).toMatchObject({ type: "failed", status: 401 });
    expect(await bad.store(draft(PLACE, "Not stored"), signal)).toMatchObject({ type: "failed", mayBeStored: false });
  }
  expect(await good.list({ place: PLACE }, signal)).toMatchObject({ records: [{ fact: "Stored with a signature" }] });
  // A signature is of one request: not of another path, nor of another body.
  const seen = await oddServer((_req, res) => res.writeHead(404).end());
  ends.push(() => seen.end());
  const tapped = await ready(seen.url, { hmacKey: KEY, token: stage.token });
  await tapped.store(draft(PLACE, "Heard on the wire"), signal);
  const [heard] = seen.requests;
  const replay = async (url: string, body: string) => {
    const { "x-everlong-timestamp": time, "x-everlong-signature": mark } = heard?.headers ?? {};
    const headers = { "content-type": "application/json", "x-everlong-timestamp": String(time) };
    const sent = { method: "POST", body, headers: { ...headers, "x-everlong-signature": String(mark) } };
    return (await stage.api(url, sent)).status;
  };
  const [url, body] = [heard?.url ?? "", heard?.body ?? ""];
  expect(await replay(url, body.replace("wire", "road"))).toBe(401);
  expect(await replay(`${url}&all=true`, body)).toBe(401);
  expect(await replay(url, body)).toBe(201);
});

it("M33 without the key a service asks for no signature", async () => {
  const stage = await served();
  const plain = await ready(stage.gateway.address, { token: stage.token });
  expect(await plain.store(draft(PLACE, "No key, no signature"), signal)).toMatchObject({ type: "stored" });
});

it("W4 M20 what only reads has stored nothing, and a service that knows says so itself", async () => {
  let details: unknown;
  const server = await oddServer((_req, res) =>
    res
      .writeHead(503, { "content-type": "application/json" })
      .end(JSON.stringify({ error: { code: "store_unavailable", message: "away", details } })),
  );
  ends.push(() => server.end());
  const strategy = await ready(server.url);
  expect(await strategy.list({ place: PLACE }, signal)).toMatchObject({ status: 503, mayBeStored: false });
  expect(await strategy.get("mem-1", {}, signal)).toMatchObject({ status: 503, mayBeStored: false });
  expect(await strategy.store(draft(PLACE, "Perhaps"), signal)).toMatchObject({ mayBeStored: true });
  details = { code: "store_failed", mayBeStored: false };
  expect(await strategy.store(draft(PLACE, "Surely not"), signal)).toMatchObject({ mayBeStored: false });
});
