// XE11: the repository's memory is searched by meaning, through a scripted Ollama.
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { type FakeOllama, startOllama } from "./fake-ollama.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { chat, type Json, OPENCODE, ScriptedClient } from "./scripted-client.ts";

const FACT = "We agreed that the automobile module gets new brakes before the winter release.";
/** No word of the fact. */
const PARAPHRASE = "Why is slowing down the vehicle on our list?";

async function scene(env: Record<string, string> = {}, ollama?: FakeOllama) {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  const gateway = await startGateway(server, {
    env: {
      EVERLONG_EMBEDDER: "auto",
      ...(ollama ? { CLIPROXY_SEMANTIC_BASE_URL: ollama.url } : {}),
      ...env,
    },
  });
  return { server, gateway };
}

/** As the embedder's model wants the text of a query. */
const isQuery = (one: string): boolean => one.startsWith("task: search result");

let sessions = 0;
/** A session of its own, with a namespace by whatever headers and body fields say. */
function opened(gateway: TestGateway, headers: Record<string, string>): ScriptedClient {
  return new ScriptedClient(
    gateway,
    chat({ headers: { ...OPENCODE, "x-session-affinity": `ses_${++sessions}` } }),
    headers,
  );
}

/** Asks in a new session; the recall block that went out, or nothing. */
async function ask(server: ModelServer, client: ScriptedClient, prompt: string, over: Json = {}): Promise<string> {
  client.history.push(client.dialect.user(prompt));
  const answer = await client.send(over);
  expect(answer.status, answer.text).toBe(200);
  return /<everlong_recall>[\s\S]*<\/everlong_recall>/.exec(server.requests.at(-1)?.rawBody ?? "")?.[0] ?? "";
}

/** Until the passage has its vector: the management search finds it by meaning. */
const embedded = (gateway: TestGateway, namespace: string, query = PARAPHRASE, found = "new brakes"): Promise<void> =>
  vi.waitFor(
    async () => {
      const answer = await gateway.api("/api/proxy/search", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query, namespace, limit: 5 }),
      });
      expect(JSON.stringify(await answer.json()), namespace).toContain(found);
    },
    { timeout: 60_000, interval: 100 },
  );

it("XE11 R53 X80 X81 X82 XI9 a paraphrase is found in another session of the repository, by each sign of it, and in no other", async () => {
  const ollama = await startOllama();
  const { server, gateway } = await scene({}, ollama);
  const clone = join(gateway.place.folder, "clone");
  mkdirSync(join(clone, ".git"), { recursive: true });
  mkdirSync(join(clone, "packages", "deep"), { recursive: true });
  writeFileSync(join(clone, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(clone, ".git", "config"), '[remote "origin"]\n\turl = git@github.com:acme/cars.git\n');
  const signs: [string, Record<string, string>, Json?][] = [
    ["a", { "x-everlong-repo": "a" }],
    ["b", { "x-cliproxyapi-repo": "b" }],
    ["c", {}, { metadata: { repo: "c" } }],
    ["d", { "x-codex-turn-metadata": JSON.stringify({ workspaces: { d: {} } }) }],
    ["acme/cars", { "x-repo-path": clone }],
    ["acme/cars", { "x-workspace-root": join(clone, "packages") }],
    ["acme/cars", { "x-project-root": join(clone, "packages", "deep") }],
  ];
  for (const [n, [namespace, headers, over]] of signs.entries()) {
    // The paths name one repository: what the first of them said is there for all.
    if (n < 5) {
      await ask(server, opened(gateway, headers), FACT, over);
      await embedded(gateway, namespace);
    }
    // A question has 150 ms for its vector: on a busy machine it is asked again.
    for (const [sign, body] of [[headers, over], [{ "x-everlong-repo": namespace }]] as const)
      await vi.waitFor(
        async () => {
          const block = await ask(server, opened(gateway, sign), PARAPHRASE, body);
          expect(block, JSON.stringify(sign)).toContain("new brakes");
        },
        { timeout: 60_000, interval: 100 },
      );
  }
  expect(await ask(server, opened(gateway, { "x-everlong-repo": "another" }), PARAPHRASE)).toBe("");
  expect(await ask(server, opened(gateway, {}), PARAPHRASE)).toBe("");
  // The same repository, another credential.
  const stranger = opened(gateway, { "x-everlong-repo": "a", authorization: "Bearer sk-somebody-else-000000000" });
  expect(await ask(server, stranger, PARAPHRASE)).toBe("");
  // X83: what was asked is no memory.
  const found = await gateway.api("/api/proxy/search", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "bookkeeping penguin", namespace: "a" }),
  });
  expect(found.status).toBe(200);
  expect(ollama.texts.some((one) => one.includes("bookkeeping penguin"))).toBe(true);
});

it("XE11 X63 X83 XB19 a hanging, an HTML and a wrong-sized Ollama: no delay beyond the limit, words still find", async () => {
  const ollama = await startOllama();
  const { server, gateway } = await scene({ EVERLONG_PROXY_RECALL_TIMEOUT_MS: "150" }, ollama);
  await ask(server, opened(gateway, { "x-everlong-repo": "a" }), FACT);
  await embedded(gateway, "a");
  for (const mode of ["hanging", "html", "wrong-size"] as const) {
    ollama.mode = mode;
    const blocks: string[] = [];
    for (let n = 0; n < 4; n++) {
      const client = opened(gateway, { "x-everlong-repo": "a" });
      client.history.push(client.dialect.user("When does the automobile module get its brakes?"));
      await client.send();
      blocks.push(server.requests.at(-1)?.rawBody ?? "");
    }
    expect(
      blocks.some((raw) => /<everlong_recall>[\s\S]*new brakes/.test(raw)),
      mode,
    ).toBe(true);
  }
  // What was said meanwhile waits for its vector, also across a restart.
  await ask(server, opened(gateway, { "x-everlong-repo": "a" }), "The penguin on the logo looks to the left.");
  await gateway.stop();
  ollama.mode = "well";
  const next = await gateway.restart();
  await ask(server, opened(next, { "x-everlong-repo": "a" }), "Good morning.");
  await embedded(next, "a", "Which way does the antarctic seabird face?", "looks to the left");
});

/** The prompt's work goes on: another step of it, and its next request. */
function goOn(client: ScriptedClient, step: number) {
  const id = `call_${step}`;
  const call = { id, type: "function", function: { name: "read_file", arguments: "{}" } };
  client.history.splice(-1, 1, { role: "assistant", content: null, tool_calls: [call] });
  client.history.push(...client.dialect.results([{ id, name: "read_file", output: "nothing" }]));
  return client.send();
}

it("N22 X63 a query vector that misses its time is named in header, record, why and log; the prompt's next request gets the block", async () => {
  const ollama = await startOllama();
  const { server, gateway } = await scene({}, ollama);
  await ask(server, opened(gateway, { "x-everlong-repo": "a" }), FACT);
  await embedded(gateway, "a");
  // The second request has 150 ms for its vector: on a busy machine all of it is tried again.
  const lost = await vi.waitFor(
    async () => {
      const client = opened(gateway, { "x-everlong-repo": "a" });
      ollama.mode = "hanging";
      const first = await client.ask(PARAPHRASE);
      expect(first.headers.get("x-everlong-recall-lost")).toBe("vectors");
      expect(server.requests.at(-1)?.rawBody).not.toContain("new brakes");
      ollama.mode = "well";
      const next = await goOn(client, 1);
      expect(next.headers.get("x-everlong-recall-lost")).toBeNull();
      expect(server.requests.at(-1)?.rawBody).toMatch(/<everlong_recall>[\s\S]*new brakes/);
      const asked = ollama.texts.filter(isQuery).length;
      await goOn(client, 2);
      expect(ollama.texts.filter(isQuery)).toHaveLength(asked);
      return first.headers.get("x-everlong-request") ?? "";
    },
    { timeout: 150_000, interval: 100 },
  );
  const record = await gateway.api(`/api/proxy/requests/${lost}`);
  expect(await record.json()).toMatchObject({ recallLost: "vectors" });
  expect((await gateway.cli(["proxy", "why", lost])).stdout).toContain("memory was searched by words only");
  expect((await gateway.stop()).stdout).toContain('"recallLost":"vectors"');
});

it("N22 XB19 an embedder that is down for ever: each prompt says once that words alone were searched, and nobody asks it again and again", async () => {
  const ollama = await startOllama();
  const { server, gateway } = await scene({}, ollama);
  await ask(server, opened(gateway, { "x-everlong-repo": "a" }), FACT);
  await embedded(gateway, "a");
  ollama.mode = "hanging";
  const before = ollama.texts.filter(isQuery).length;
  const client = opened(gateway, { "x-everlong-repo": "a" });
  const notes = [(await client.ask("When does the automobile module get its brakes?")).headers];
  expect(server.requests.at(-1)?.rawBody).toMatch(/<everlong_recall>[\s\S]*new brakes/);
  for (let step = 0; step < 5; step++) notes.push((await goOn(client, step)).headers);
  const late = ["vectors", "vectors", "vectors"];
  expect(notes.map((one) => one.get("x-everlong-recall-lost"))).toEqual([...late, "vectors_paused", null, null]);
  expect(ollama.texts.filter(isQuery)).toHaveLength(before + 3);
  // What words had found stands in the request once.
  expect(server.requests.at(-1)?.rawBody.split("new brakes")).toHaveLength(2);
});

it("XE11 X84 an Ollama elsewhere gets no connection without consent; with it, it does", async ({ skip }) => {
  const [address] = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal);
  if (!address) return skip("this machine has no address but loopback");
  const ollama = await startOllama(address.address);
  const { server, gateway } = await scene({ EVERLONG_EMBEDDER: "ollama" }, ollama);
  const client = opened(gateway, { "x-everlong-repo": "a" });
  await ask(server, client, FACT);
  await ask(server, opened(gateway, { "x-everlong-repo": "a" }), PARAPHRASE);
  await gateway.stop();
  expect(ollama.connections).toBe(0);

  const { home, folder } = gateway.place;
  expect((await gateway.cli(["trust"])).code).toBe(0);
  const folders = { [realpathSync(folder)]: { [ollama.url]: "2025-01-01T00:00:00.000Z" } };
  writeFileSync(join(home, "consent.json"), JSON.stringify({ version: 1, folders }), { mode: 0o600 });
  const next = await gateway.restart();
  client.url = next.url;
  await ask(server, client, "Thank you.");
  await vi.waitFor(() => expect(ollama.connections).toBeGreaterThan(0), { timeout: 60_000 });
});
