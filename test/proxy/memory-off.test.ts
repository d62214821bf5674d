// X11, XI13: with memory off the gateway is a plain relay: same traffic, no file, no process, no search.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startGateway } from "./gateway.ts";
import { call, endToEnd, startRawUpstream } from "./raw.ts";
import { CLIENT_NAMES, CLIENTS, ODD_BODIES, STREAMS } from "./wire-samples.ts";

const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();
const threadsOf = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;

it("R39 X11 XI13 P29 memory off: every request passes as it came, nothing is written, started or asked", async () => {
  const upstream = await startRawUpstream((_, res) => {
    res.writeHead(200, ["Content-Type", "text/event-stream", "X-Everlong-Action", "theirs"]).end(STREAMS.chat);
  });
  const ollama = await startRawUpstream((_, res) => res.end("{}"));
  const gateway = await startGateway(upstream, {
    env: {
      CLIPROXY_MEMORY_ENABLED: "off",
      EVERLONG_EMBEDDER: "ollama",
      CLIPROXY_SEMANTIC_BASE_URL: ollama.url,
    },
  });
  const own = {
    "X-Everlong-Session": "abc",
    "X-CLIProxyAPI-Todo": "- [ ] never stored",
    "X-Everlong-Spec-Mode": "on",
    "X-Repo-Path": "/nowhere",
  };
  // The first call warms up what a relay itself needs.
  await call(gateway.url + CLIENTS.chat.path, { headers: CLIENTS.chat.headers, body: "{}" });
  const before = { files: filesIn(gateway.place.home), threads: threadsOf(gateway.pid) };
  for (const name of CLIENT_NAMES) {
    const { path, headers } = CLIENTS[name];
    const answer = await call(gateway.url + path, { headers: { ...headers, ...own }, body: ODD_BODIES[name] });
    expect(endToEnd(answer.headers)).toEqual([
      ["Content-Type", "text/event-stream"],
      ["X-Everlong-Action", "theirs"],
    ]);
    expect(answer.body.toString()).toBe(STREAMS.chat);
    const seen = upstream.seen.at(-1);
    expect(seen?.body.toString()).toBe(ODD_BODIES[name]);
    expect(endToEnd(seen?.headers ?? [])).toEqual(
      endToEnd([...Object.entries(headers).flat(), "content-length", String(Buffer.byteLength(ODD_BODIES[name]))]),
    );
  }
  // Not even a key of ours that is no key: the header means nothing here.
  const odd = { ...CLIENTS.chat.headers, "X-Everlong-Session": " ", "X-Everlong-Todo": "x".repeat(9000) };
  const passed = await call(gateway.url + CLIENTS.chat.path, { headers: odd, body: "not json" });
  expect([passed.status, upstream.seen.at(-1)?.body.toString()]).toEqual([200, "not json"]);
  expect({ files: filesIn(gateway.place.home), threads: threadsOf(gateway.pid) }).toEqual(before);
  expect(before.files.filter((name) => /store\.db|proxy|sessions/.test(name))).toEqual([]);
  expect(ollama.seen).toEqual([]);
});

it("X11 each way of saying off is off, and a directory that is there already stays as it is", async () => {
  const upstream = await startRawUpstream((_, res) => res.end("{}"));
  const [first, ...others] = ["0", "false", "no"];
  const gateway = await startGateway(upstream, { env: { CLIPROXY_MEMORY_ENABLED: first ?? "" } });
  const folder = join(gateway.dir, "sessions", "abc");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "todo.md"), "- [ ] written by hand\n");
  const headers = { ...CLIENTS.chat.headers, "X-Everlong-Session": "abc" };
  for (const value of [first, ...others]) {
    const running =
      value === first ? gateway : await startGateway(upstream, { env: { CLIPROXY_MEMORY_ENABLED: value ?? "" } });
    await call(running.url + CLIENTS.chat.path, { headers, body: ODD_BODIES.chat });
    expect(upstream.seen.at(-1)?.body.toString(), value).toBe(ODD_BODIES.chat);
  }
  expect(filesIn(gateway.dir)).toEqual(["sessions", "sessions/abc", "sessions/abc/todo.md"]);
  await gateway.stop();
  const env = { ...gateway.place.env, CLIPROXY_MEMORY_ENABLED: "1" };
  const on = await startGateway(upstream, { place: { ...gateway.place, env } });
  await call(on.url + CLIENTS.chat.path, { headers, body: ODD_BODIES.chat });
  expect(upstream.seen.at(-1)?.body.toString(), "and on is on").toContain("written by hand");
});
