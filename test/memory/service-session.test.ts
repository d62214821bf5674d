// Sessions whose memories are kept elsewhere: by a service that hangs, comes back or may not be used, and in a file.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { oneCall, scene, systemOf } from "../agent/scene.ts";
import { converse, stage } from "../context/stage.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { text } from "../model-server/reply.ts";
import { startGateway } from "../proxy/gateway.ts";
import { type Place, run } from "../tool/everlong.ts";
import { type Odd, oddServer, openMemoryStage, PLACE, ready } from "./service-fixture.ts";
import { draft } from "./strategy.conformance.ts";

type Json = Record<string, unknown>;
const SEED = ".github/copilot-memories.jsonl";
const CLONE = "https://github.com/acme/widgets.git";

function clone({ folder }: Place): void {
  execFileSync("git", ["init", "-q", "."], { cwd: folder });
  execFileSync("git", ["remote", "add", "origin", CLONE], { cwd: folder });
}
const ask = (place: Place, args: string[] = [], env: Record<string, string> = {}) =>
  run(place, ["-p", "Say hi.", "--output-format", "stream-json", ...args], { env });
const named = (events: readonly { type: string }[], type: string) => events.filter((event) => event.type === type);
const toolsOf = ({ body }: Recorded): { name: string; description: string }[] =>
  ((body as Json)["tools"] as Json[]).map(
    (tool) => (tool["function"] ?? tool) as { name: string; description: string },
  );
const fact = (words: string): Json => ({
  subject: "build",
  fact: words,
  citations: ["package.json"],
  reason: "it is so",
});

async function memoryServer(handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<Odd> {
  const server = await oddServer(handle);
  onTestFinished(() => server.end());
  return server;
}
const definition = (name: string, properties: Json) => ({
  name,
  version: "1.0.0",
  description: `${name} of the service`,
  inputSchema: { type: "object", properties },
});
const full = JSON.stringify({
  enabled: true,
  prompt: "- [abc] build: The build needs Node 24",
  counts: { repository: 1, user: 0, total: 1, shown: 1 },
  storeInstructions: "Only facts about the build.",
  tools: {
    store: definition("store_memory", { subject: {}, fact: {}, citations: {}, reason: {} }),
    vote: definition("vote_memory", { fact: {}, direction: {}, reason: {} }),
  },
});

describe("a service", () => {
  it("ME4 MB8 it hangs: one request, one event, the turn completes; it is back: prompt, instructions and vote tool", async () => {
    let isBack = false;
    const memory = await memoryServer((_req, res) => isBack && res.end(full));
    const { server, place } = await scene(() => text("Hi."), {
      env: { EVERLONG_MEMORY_URL: memory.url, EVERLONG_MEMORY_TIMEOUT_MS: "3000" },
    });
    clone(place);
    const down = await ask(place);
    expect(down.code, down.stderr).toBe(0);
    expect(named(down.events, "memory.prompt_unavailable")).toMatchObject([
      { data: { strategy: "service", code: "timeout" } },
    ]);
    expect(memory.requests).toHaveLength(1);
    expect(server.requests[0]?.rawBody).not.toContain("<memories>");
    expect(toolsOf(server.requests[0] as Recorded).map(({ name }) => name)).not.toContain("store_memory");

    isBack = true;
    const up = await ask(place, [], { EVERLONG_MEMORY_TIMEOUT_MS: "60000" });
    expect(named(up.events, "memory.prompt_loaded")).toHaveLength(1);
    const request = server.requests[1] as Recorded;
    expect(request.rawBody).toContain("The build needs Node 24");
    const tools = new Map(toolsOf(request).map(({ name, description }) => [name, description]));
    expect(tools.get("store_memory")).toContain("Only facts about the build.");
    expect(tools.has("vote_memory")).toBe(true);
  });

  it("MB9 M34 without trust no connection is opened, and the session says which", async () => {
    const { server, place } = await scene(() => text("Hi."), {
      env: { EVERLONG_MEMORY_URL: "https://memory.invalid" },
    });
    clone(place);
    const reason = async (args: string[]) => {
      const done = await ask(place, args);
      expect(done.code, done.stderr).toBe(0);
      return named(done.events, "memory.skipped").map((event) => (event as unknown as { data: Json }).data["reason"]);
    };
    expect(await reason([])).toEqual(["untrusted_folder"]);
    expect(await reason(["--trust-folder"])).toEqual(["no_consent"]);
    expect(server.requests.every(({ rawBody }) => !rawBody.includes("<memories>"))).toBe(true);
  });

  it("M29 M138 our own gateway as the service: stored by one session's tool, in the prompt of the next", async () => {
    const gateway = await startGateway({ url: "http://127.0.0.1:9" });
    const replies = [oneCall("store_memory", fact("The build needs Node 24")), text("Stored."), text("Hi.")];
    const { server, place } = await scene(replies, {
      env: {
        EVERLONG_MEMORY_URL: gateway.url,
        EVERLONG_MEMORY_TOKEN: gateway.token,
        EVERLONG_MEMORY_TIMEOUT_MS: "60000",
      },
    });
    clone(place);
    const first = await ask(place, ["--allow-tool", "memory"]);
    expect(named(first.events, "memory.store")).toMatchObject([{ data: { outcome: "stored", strategy: "service" } }]);
    await ask(place);
    expect(server.requests[2]?.rawBody).toContain("The build needs Node 24");
    const [kept] = (
      (await (await gateway.api("/api/memory/records?repository=acme/widgets")).json()) as { items: Json[] }
    ).items;
    expect(kept).toMatchObject({
      source: { client: "rest:local", sessionId: expect.any(String), toolCallId: expect.any(String) },
    });
    expect(existsSync(join(place.home, "gateway.token"))).toBe(false);
  });
});

describe("M58 what waits for the user", () => {
  const told = (events: readonly { type: string }[]) =>
    named(events, "session.info").map((event) => (event as unknown as { data: Json }).data["message"]);
  const WAITS = "1 memory to review, not in use yet. See /memory review.";

  it("M58 is told at the start when a service keeps it", async () => {
    const service = await openMemoryStage();
    onTestFinished(() => service.end());
    const there = await ready(service.gateway.address, { token: service.token, place: PLACE });
    const { signal } = new AbortController();
    await there.store(draft(PLACE, "Waits for the user", { status: "pending" }), signal);
    const { place } = await scene(() => text("Hi."), {
      env: { EVERLONG_MEMORY_URL: service.gateway.address, EVERLONG_MEMORY_TOKEN: service.token },
    });
    clone(place);
    expect(told((await ask(place)).events)).toContain(WAITS);
  });

  it("M58 is told at the start when a file keeps it", async () => {
    const { place } = await scene(() => text("Hi."), { env: { EVERLONG_MEMORY_IN_REPO: "true" } });
    clone(place);
    mkdirSync(join(place.folder, ".github"));
    writeFileSync(join(place.folder, SEED), `${JSON.stringify({ id: "x", ...fact("Waits"), status: "pending" })}\n`);
    expect(told((await ask(place, ["--trust-folder"])).events)).toContain(WAITS);
    expect(told((await ask(place)).events)).not.toContain(WAITS);
  });
});

describe("a running session", () => {
  it("M15 M43 M48 what was deleted, edited or stored at the service is so from the next epoch on", async () => {
    const service = await openMemoryStage();
    onTestFinished(() => service.end());
    const there = await ready(service.gateway.address, { token: service.token, place: PLACE });
    const { signal } = new AbortController();
    const put = async (words: string): Promise<string> => {
      const stored = await there.store(draft(PLACE, words), signal);
      if (stored.type !== "stored") throw new Error(stored.type);
      return stored.record.id;
    };
    const old = await put("The build needs Node 22");
    const { place, mains } = await stage(() => text("Fine."), {
      env: {
        EVERLONG_MEMORY_URL: service.gateway.address,
        EVERLONG_MEMORY_TOKEN: service.token,
        EVERLONG_MEMORY_TIMEOUT_MS: "5000",
      },
    });
    mkdirSync(place.folder, { recursive: true });
    clone(place);
    const { say, client } = await converse(place);
    const shown = async (): Promise<string> => {
      await say("Go on.");
      return /<memories>[\s\S]*<\/memories>/.exec(systemOf(mains().at(-1)))?.[0] ?? "";
    };
    expect(await shown()).toContain("The build needs Node 22");
    expect(await client.memorySection.visible("")).toMatchObject({ ok: true, value: { unseen: [] } });
    expect(await client.memory((memory) => memory.remove([old]))).toEqual({ ok: true, value: 1 });
    expect(await shown()).toBe("");

    await put("The build needs Node 24");
    expect(await shown()).toBe("");
    expect((await client.history.compact("")).ok).toBe(true);
    expect(await shown()).toContain("The build needs Node 24");

    await client.memorySection.switch(false);
    await put("Tests run with vitest");
    await client.memorySection.switch(true);
    expect(await shown()).toContain("vitest");
  });
});

describe("a file", () => {
  const lines = ({ folder }: Place): Json[] =>
    readFileSync(join(folder, SEED), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Json);

  it("ME13 M37 a session's memories are in the file when it ends, beside the foreign line; the next session sees them", async () => {
    const replies = [oneCall("store_memory", fact("The build needs Node 24")), text("Stored."), text("Hi.")];
    const { server, place } = await scene(replies, { env: { EVERLONG_MEMORY_IN_REPO: "true" } });
    clone(place);
    mkdirSync(join(place.folder, ".github"));
    writeFileSync(join(place.folder, SEED), '{"id":"foreign","fact":"Theirs","nobody":"knows"}\n');
    const first = await ask(place, ["--trust-folder", "--allow-tool", "memory"]);
    expect(named(first.events, "memory.file_written"), first.stderr).toMatchObject([
      { data: { records: 2, merged: 1 } },
    ]);
    expect(lines(place)).toMatchObject([{ id: "foreign", nobody: "knows" }, { fact: "The build needs Node 24" }]);
    await ask(place, ["--trust-folder"]);
    expect(server.requests[2]?.rawBody).toContain("The build needs Node 24");
    expect(toolsOf(server.requests[2] as Recorded).map(({ name }) => name)).not.toContain("vote_memory");
  });

  it("M37 optimising is one call of the session's model at the end; a record that it does not name stays", async () => {
    const { server, place } = await scene(
      (request, index) => {
        if (index === 0) return oneCall("store_memory", fact("Use nvm for Node"));
        if (index === 1) return text("Stored.");
        const ids = [
          ...request.rawBody.matchAll(/\{\\"id\\":\\"([^"\\]+)\\",\\"subject\\":\\"[^"]*\\",\\"fact\\":\\"([^"\\]+)/g),
        ];
        const replaces = ids.filter(([, , words]) => words?.includes("Node")).map(([, id]) => id);
        return text(JSON.stringify({ ...fact("Node 24, by nvm"), replaces }));
      },
      { env: { EVERLONG_MEMORY_IN_REPO: "true", EVERLONG_MEMORY_OPTIMISE: "true" } },
    );
    clone(place);
    mkdirSync(join(place.folder, ".github"));
    const old = ["Use Node 24", "Tests run with vitest"].map((words, i) =>
      JSON.stringify({ id: `old${i}`, ...fact(words) }),
    );
    writeFileSync(join(place.folder, SEED), `${old.join("\n")}\n`);
    const done = await ask(place, ["--trust-folder", "--allow-tool", "memory"]);
    expect(server.requests).toHaveLength(3);
    expect(named(done.events, "memory.file_written")).toMatchObject([{ data: { optimised: true } }]);
    const facts = lines(place).flatMap((line) => line["fact"] ?? []);
    expect(facts.sort()).toEqual(["Node 24, by nvm", "Tests run with vitest"]);
  });

  it("M36 M48 M67 a line with an id of others is shown, known again when repeated, and gone when it is deleted", async () => {
    const words = "The release branch is cut every Tuesday after the smoke tests are green";
    // With more around it: what says just the same is asked about first (M56).
    const repeated = `${words}, which the whole crew of shipping has agreed upon`;
    const { place, mains } = await stage(
      (_r, n) => (n === 0 ? oneCall("store_memory", fact(repeated)) : text("Fine.")),
      {
        env: { EVERLONG_MEMORY_IN_REPO: "true", EVERLONG_TOOL_EXCLUDE: "task" },
      },
    );
    const id = "550e8400-e29b-41d4-a716-446655440000";
    mkdirSync(join(place.folder, ".github"), { recursive: true });
    clone(place);
    writeFileSync(join(place.folder, SEED), `${JSON.stringify({ id, ...fact(words), source: { trust: 0.3 } })}\n`);
    expect((await run(place, ["trust"])).code).toBe(0);
    const { say, client, events } = await converse(place);
    const shown = async (): Promise<string> => {
      await say("Go on.");
      return systemOf(mains().at(-1));
    };
    expect(await shown()).toContain(`- [${id}] build: ${words}`);
    expect(named(events, "memory.store")).toMatchObject([{ data: { outcome: "stored", origins: ["memory"] } }]);
    expect(await client.memorySection.visible("")).toMatchObject({
      ok: true,
      value: {
        section: expect.stringContaining(id),
        unseen: expect.not.arrayContaining([expect.objectContaining({ id })]),
      },
    });
    const kept = await run(place, ["memory", "search", "crew", "--json"]);
    expect(kept.stdout).toContain('"trust":0.3');
    expect((await run(place, ["memory", "delete", id, "--yes"])).code).toBe(0);
    expect(await shown()).not.toContain(id);
  });

  it("M39 an untrusted folder's file is neither read nor written", async () => {
    const { server, place } = await scene(() => text("Hi."), { env: { EVERLONG_MEMORY_IN_REPO: "true" } });
    clone(place);
    mkdirSync(join(place.folder, ".github"));
    writeFileSync(join(place.folder, SEED), `${JSON.stringify({ id: "x", ...fact("Poisoned fact") })}\n`);
    const done = await ask(place);
    expect(named(done.events, "memory.skipped")).toMatchObject([{ data: { reason: "untrusted_folder" } }]);
    expect(server.requests[0]?.rawBody).not.toContain("Poisoned fact");
  });
});
