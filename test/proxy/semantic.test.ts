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
    const block = await ask(server, opened(gateway, headers), PARAPHRASE, over);
    expect(block, JSON.stringify(headers)).toContain("new brakes");
    expect(await ask(server, opened(gateway, { "x-everlong-repo": namespace }), PARAPHRASE)).toContain("new brakes");
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
