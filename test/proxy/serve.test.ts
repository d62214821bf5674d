// `everlong serve` itself: what it says at its start, a line a request, who has the port, and how it ends.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hang, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { newPlace, type Place, run, start } from "../tool/everlong.ts";
import { newClient } from "./client.ts";
import { startGateway } from "./gateway.ts";

async function upstream(): Promise<ModelServer> {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  return server;
}

const placeOf = (server: ModelServer, env: Record<string, string> = {}): Place =>
  newPlace({ EVERLONG_UPSTREAM_OPENAI: server.url, EVERLONG_EMBEDDER: "none", ...env });

/** Its output as it comes; ended with the test. */
function serve(place: Place, args: string[]) {
  const child = start(place, ["serve", "--port", "0", ...args], { timeoutMs: 600_000 });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await child.done;
  });
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  const lines = async (count: number): Promise<string[]> => {
    await expect.poll(() => out.split("\n").length - 1).toBeGreaterThanOrEqual(count);
    return out.split("\n").slice(0, -1);
  };
  return { child, lines, out: () => out };
}

describe("F80 what serve says", () => {
  it("version and address, link, store, on and off, upstreams, how to connect, how to stop; never a key; F81 then a line a request", async () => {
    const server = await upstream();
    const place = placeOf(server, {
      EVERLONG_UPSTREAM_OPENAI_KEY: "sk-upstream-0123456789abcdef",
      CLIPROXY_SEMANTIC_ENABLED: "0",
    });
    const { lines } = serve(place, []);
    const said = await lines(13);
    const { address } = JSON.parse(readFileSync(join(place.home, "gateway.json"), "utf8")) as { address: string };
    const token = readFileSync(join(place.home, "gateway.token"), "utf8").trim();
    const expected = [
      /^Everlong \d+\.\d+\.\d+\S*, gateway at http:\/\/127\.0\.0\.1:\d+$/,
      /^dashboard: http:\/\/127\.0\.0\.1:\d+\/#login=\S{20,}$/,
      /^store: sqlite \S+store\.db \([\d,]+ KB\)$/,
      /^on: recall, trimming, graph, board, sidekicks; off: semantic$/,
      new RegExp(`^upstreams: .*openai ${new URL(server.url).host} \\(key set\\)`),
      /^connect:$/,
      /^ {2}codex .*base_url="http:\/\/127\.0\.0\.1:\d+\/v1"/,
      /^ {2}claude .*ANTHROPIC_BASE_URL=/,
      /^ {2}copilot /,
      /^ {2}gemini /,
      /^ {2}opencode /,
      /everlong with AGENT/,
      /^Ctrl\+C to stop$/,
    ];
    for (const [n, line] of expected.entries()) expect(said[n]).toMatch(line);
    expect(said[0]).toContain(address);
    const client = newClient({ url: address }, server, "openai-responses", { "x-everlong-session": "lines" });
    await client.say("Hi.");
    const gone = await lines(14);
    expect(gone[13]).toMatch(
      /^\d\d:\d\d:\d\d {2}codex {2}lines {2}\/v1\/responses {2}200 {2}[\d,]+ > [\d,]+ tokens {2}recalled 0 {2}stored \d+ {2}\+\d+ ms {2}\d+ ms$/,
    );
    for (const secret of ["sk-upstream", token, "sk-client"]) expect(gone.join("\n")).not.toContain(secret);
  });

  it("F68 --json is one object and then JSON lines; --quiet is the address and the link; failures add the reason", async () => {
    const server = await upstream();
    const json = serve(placeOf(server), ["--json"]);
    const [first = ""] = await json.lines(1);
    const facts = JSON.parse(first) as Record<string, unknown> & { address: string };
    expect(Object.keys(facts)).toEqual(
      expect.arrayContaining(["version", "address", "link", "store", "on", "off", "upstreams", "pid"]),
    );
    await newClient({ url: facts.address }, server, "openai-chat").say("Hi.");
    const events = (await json.lines(3)).slice(1).map((line) => JSON.parse(line) as { type: string; data: object });
    expect(events.map(({ type }) => type)).toEqual(["proxy.session_created", "proxy.request"]);

    const down = placeOf(server, { EVERLONG_UPSTREAM_OPENAI: "http://127.0.0.1:9" });
    const loud = serve(down, []);
    await loud.lines(13);
    const { address } = JSON.parse(readFileSync(join(down.home, "gateway.json"), "utf8")) as { address: string };
    const failed = await newClient({ url: address }, server, "openai-chat").say("Hi.");
    expect([failed.status, failed.headers.get("x-everlong-error")]).toEqual([502, "upstream_unreachable"]);
    expect((await loud.lines(14))[13]).toMatch(/ {2}502 .* upstream_unreachable$/);
    const log = (): string => readFileSync(join(down.home, "logs", "everlong.jsonl"), "utf8");
    expect(log()).toMatch(/"level":"warn","event":"call_failure","part":"openai","code":"upstream_unreachable"/);

    const quiet = serve(placeOf(server), ["--quiet"]);
    const said = await quiet.lines(2);
    expect(said).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), expect.stringMatching(/#login=/)]);
    await newClient({ url: said[0] ?? "" }, server, "openai-chat").say("Hi.");
    expect(quiet.out().trim().split("\n")).toHaveLength(2);
  });
});

describe("F82 the port and the link", () => {
  it("--link gives a fresh link of the gateway that runs, which signs in once; without one exit 1", async () => {
    const server = await upstream();
    const gateway = await startGateway(server);
    const fresh = await gateway.cli(["serve", "--link"]);
    expect([fresh.code, fresh.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${gateway.url}/#login=\\S+\\n$`)),
    ]);
    const code = fresh.stdout.trim().split("#login=")[1];
    const login = () =>
      fetch(`${gateway.url}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
    const one = await login();
    expect([one.status, one.headers.get("set-cookie")]).toEqual([
      200,
      expect.stringMatching(/HttpOnly.*SameSite=Strict/i),
    ]);
    expect((await login()).status).toBe(401);
    await gateway.stop();
    const none = await gateway.cli(["serve", "--link"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("No gateway of this home is running.")]);
  });

  it("a taken port: exit 1, saying whose it is and what to do", async () => {
    const server = await upstream();
    const gateway = await startGateway(server);
    const { port } = new URL(gateway.url);
    const ours = await gateway.cli(["serve", "--port", port]);
    expect([ours.code, ours.stderr]).toEqual([1, expect.stringContaining(`(pid ${gateway.pid})`)]);
    expect(ours.stderr).toContain("serve --link");
    const theirs = await run(placeOf(server), ["serve", "--port", port]);
    expect([theirs.code, theirs.stderr]).toEqual([1, expect.stringContaining("an Everlong gateway of another home")]);
    const stranger = await listening();
    const other = await run(placeOf(server), ["serve", "--port", String((stranger.address() as AddressInfo).port)]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/not Everlong[\s\S]*--port/)]);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });

  it("an address that others can reach: not without names for it, and then with a warning", async () => {
    const server = await upstream();
    const bare = await run(placeOf(server), ["serve", "--host", "0.0.0.0", "--port", "0"]);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("gateway.allowedHosts")]);
    const place = placeOf(server, { EVERLONG_GATEWAY_ALLOWED_HOSTS: "box.example" });
    const { child, lines } = serve(place, ["--host", "0.0.0.0"]);
    await lines(13);
    child.kill("SIGTERM");
    expect((await child.done).stderr).toContain("Clients need the gateway token");
  });
});

describe("F83 the end", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s: refuses new ones, finishes the stream, stores, exit 0",
    async (signal) => {
      const server = await upstream();
      const gateway = await startGateway(server);
      const client = newClient(gateway, server, "openai-responses", { "x-everlong-session": "end" });
      const release = Promise.withResolvers<void>();
      server.script(text("The whole answer.", { hold: release.promise }));
      const answer = client.say("Take your time.", { "x-everlong-todo": "remember me" });
      await server.waitFor(1);
      const ended = gateway.stop(signal);
      await expect
        .poll(() =>
          fetch(`${gateway.url}/healthz`).then(
            () => "up",
            () => "down",
          ),
        )
        .toBe("down");
      release.resolve();
      const { status, text: body } = await answer;
      expect([status, body]).toEqual([200, expect.stringContaining("The whole answer.")]);
      expect([(await ended).code, existsSync(join(gateway.place.home, "gateway.json"))]).toEqual([0, false]);
      expect((await gateway.cli(["proxy", "search", "end:t1.1"])).stdout).toBe("Take your time.\n");
      expect((await gateway.cli(["proxy", "why", "--json"])).json).toMatchObject({ outcome: "complete", status: 200 });
    },
  );

  it("a second signal ends at once; nothing that was acknowledged is lost", async () => {
    const server = await upstream();
    const gateway = await startGateway(server);
    const client = newClient(gateway, server, "openai-chat", { "x-everlong-session": "twice" });
    await client.say("First.", { "x-everlong-todo": "kept" });
    server.script(hang());
    const hanging = client.say("Second.").then(
      () => "answered",
      () => "reset",
    );
    await server.waitFor(2);
    process.kill(gateway.pid, "SIGINT");
    await expect
      .poll(() =>
        fetch(`${gateway.url}/healthz`).then(
          () => "up",
          () => "down",
        ),
      )
      .toBe("down");
    const { code } = await gateway.stop("SIGINT");
    expect(code).toBe(130);
    expect(await hanging).toBe("reset");
    expect(gateway.file("twice", "todo.md")).toBe("kept");
    const next = await gateway.restart();
    const again = newClient(next, server, "openai-chat", { "x-everlong-session": "twice" });
    again.history.push(...client.history.slice(0, 2));
    expect((await again.say("Second.")).headers.get("x-everlong-session")).toBe("twice");
  });
});

async function listening(): Promise<Server> {
  const stranger = createServer((_, response) => response.end("hello"));
  onTestFinished(() => void stranger.close());
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  return stranger;
}
