// SEC14 F79 R46: no byte leaves for an embedder off this machine without a trusted folder and consent for that origin.
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { scene } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { newClient } from "../proxy/client.ts";
import { startGateway } from "../proxy/gateway.ts";
import { newPlace, type Place, run } from "../tool/everlong.ts";
import { foreignEmbedder } from "./foreign-embedder.ts";

const inFolder =
  (place: Place) =>
  async (...args: string[]) =>
    run(place, args);

describe("F79 everlong consent", () => {
  it("F79 SEC14 list, grant and revoke: by exact origin and folder, saying what is sent; nothing to ask for this machine", async () => {
    const place = newPlace({ CLIPROXY_SEMANTIC_BASE_URL: "https://embed.example.org:8443/ollama" });
    const say = inFolder(place);
    const none = await say("consent", "list");
    expect([none.code, none.stderr]).toEqual([0, ""]);
    expect(none.stdout).toMatch(
      /No consents yet\.\nrecall\.semantic\.baseUrl is https:\/\/embed\.example\.org:8443: nothing is sent/,
    );
    const granted = await say("consent", "grant", "https://embed.example.org:8443/some/path?x=1");
    expect([granted.code, granted.stderr]).toEqual([0, ""]);
    expect(granted.stdout).toMatch(/https:\/\/embed\.example\.org:8443 may now receive from .*: conversation text/);
    expect(granted.stdout).toContain("not trusted, so nothing is sent yet. To trust it: everlong trust");
    const listed = await say("consent");
    expect(listed.stdout).toMatch(/^https:\/\/embed\.example\.org:8443 {2}from .*work {2}since \d{4}-/);
    expect(listed.stdout).not.toContain("nothing is sent there");
    const json = (await say("consent", "list", "--json")).json as {
      consents: { origin: string; root: string }[];
      missing: unknown[];
    };
    expect(json).toEqual({
      consents: [{ origin: "https://embed.example.org:8443", root: place.folder, at: expect.any(String) }],
      declined: [],
      missing: [],
    });
    await say("trust");
    expect((await say("consent", "list")).stdout).not.toContain("not trusted");
    const revoked = await say("consent", "revoke", "https://embed.example.org:8443");
    expect(revoked.stdout).toContain("Nothing more is sent");
    expect((await say("consent", "revoke", "https://embed.example.org:8443")).stdout).toContain("nothing to revoke");
    expect((await say("consent", "grant", "http://127.0.0.1:11434")).stdout).toContain("needs no consent");
    for (const bad of ["embed.example.org", "ftp://embed.example.org", ""])
      expect((await say("consent", "grant", bad)).code, bad).toBe(2);
  });

  it("F79 a command that a model runs cannot agree", async () => {
    const place = newPlace();
    const done = await run(place, ["consent", "grant", "https://embed.example.org"], {
      env: { EVERLONG_TOOL_SHELL: "1" },
    });
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining("Only a person can")]);
    expect((await run(place, ["consent", "list"], { env: { EVERLONG_TOOL_SHELL: "1" } })).stdout).toContain(
      "No consent",
    );
  });
});

describe.each([
  ["ollama", (origin: string) => ({ EVERLONG_EMBEDDER: "ollama", CLIPROXY_SEMANTIC_BASE_URL: origin })],
  [
    "openai",
    (origin: string) => ({ EVERLONG_EMBEDDER: "openai", EVERLONG_EMBED_BASE_URL: origin, EVERLONG_EMBED_MODEL: "m" }),
  ],
] as const)("SEC14 an %s embedder off this machine", (_name, env) => {
  it("SEC14 R46 no connection without trust and consent, both are needed, and taken back it ends", async () => {
    const { origin, inputs, connections } = await foreignEmbedder();
    const { place } = await scene(() => text("fine"), { env: env(origin) });
    const say = inFolder(place);
    const tried = async () => {
      await say("-p", "we got a spaniel");
      await say("recall", "puppy");
      return say("recall", "--reindex", "embeddings");
    };
    const refused = await tried();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`everlong consent grant ${origin}`)]);
    await say("consent", "grant", origin);
    expect((await tried()).code).toBe(1);
    await say("consent", "revoke", origin);
    await say("trust");
    await say("consent", "grant", origin.replace(/\d+$/, "9"));
    expect((await tried()).code).toBe(1);
    expect(connections()).toBe(0);

    await say("consent", "grant", origin);
    const made = await tried();
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(inputs.some((input) => input.includes("spaniel"))).toBe(true);
    await say("consent", "revoke", origin);
    const before = connections();
    expect((await tried()).code).toBe(1);
    expect(connections()).toBe(before);
  });
});

it("SEC14 a gateway that runs stops sending when the consent is taken back, and says so", async () => {
  const { origin, inputs, connections } = await foreignEmbedder();
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  const upstream = Object.fromEntries(
    ["OPENAI", "ANTHROPIC", "GEMINI"].map((n) => [`EVERLONG_UPSTREAM_${n}`, server.url]),
  );
  const place = newPlace({ ...upstream, EVERLONG_EMBEDDER: "ollama", CLIPROXY_SEMANTIC_BASE_URL: origin });
  await run(place, ["trust"]);
  await run(place, ["consent", "grant", origin]);
  const gateway = await startGateway(server, { place });
  const client = newClient(gateway, server, "openai-chat", { "x-everlong-session": "sent" });
  const sent = async (word: string): Promise<boolean> => {
    for (const end = Date.now() + 60_000; Date.now() < end; await wait(50))
      if (inputs.some((input) => input.includes(word))) return true;
    return false;
  };
  await client.say("a first word: spaniel");
  await client.say("a second word: walrus");
  expect(await sent("spaniel")).toBe(true);
  await gateway.cli(["consent", "revoke", origin]);
  await wait(300); // a call that was under way
  const before = connections();
  const count = inputs.length;
  await client.say("a third word: puffin");
  await client.say("a fourth word: heron");
  const degraded = async (): Promise<boolean> => {
    for (const end = Date.now() + 60_000; Date.now() < end; await wait(100)) {
      const { checks } = (await (await gateway.api("/healthz")).json()) as {
        checks: { name: string; finding: string }[];
      };
      if (checks.some((check) => check.name === "recall" && check.finding.startsWith("unavailable"))) return true;
    }
    return false;
  };
  expect(await degraded()).toBe(true);
  expect([connections(), inputs.length]).toEqual([before, count]);
});
