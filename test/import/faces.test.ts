// Who finds what was imported: the gateway for its clients, the graph when asked to; and how a first start offers it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { homePaths } from "../../src/host/paths.ts";
import { importOffer } from "../../src/runtime/import/offer.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway } from "../proxy/gateway.ts";
import { call } from "../proxy/raw.ts";
import { CLIENTS } from "../proxy/wire-samples.ts";
import { run } from "../tool/everlong.ts";
import { claudeFile, claudeSays, importStage } from "./stage.ts";

const FACT = "The staging port of the zebrafish service is 54871.";

it("IM8 N24 the gateway quotes what was imported to whoever works in the same repository, and to nobody else", async () => {
  const server = await startModelServer({ script: () => text("Understood.") });
  const gatewayEnv = {
    EVERLONG_UPSTREAM_OPENAI: server.url,
    EVERLONG_EMBEDDER: "none",
    EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
  };
  const stage = importStage(gatewayEnv);
  claudeFile(stage, [claudeSays(stage, FACT)]);
  const gateway = await startGateway(server, { place: stage.place });
  expect((await run(stage.place, ["import", "claude"])).code).toBe(0);
  const ask = async (repository: string): Promise<string> => {
    const before = server.requests.length;
    const content = `Which staging port does the zebrafish service have in ${repository}?`;
    const headers = { ...CLIENTS.chat.headers, "x-everlong-repo": repository, "x-everlong-session": repository };
    await call(gateway.url + CLIENTS.chat.path, {
      headers,
      body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }] }),
    });
    return server.requests
      .slice(before)
      .map(({ rawBody }) => rawBody)
      .join("\n");
  };
  expect(await ask("acme/shop")).toContain("54871");
  expect(await ask("acme/other")).not.toContain("54871");
  await server.close();
});

it("IM8 --graph adds facts by rules; without it, and with a model as the reader, nothing is added", async () => {
  const stage = importStage();
  claudeFile(stage, [
    claudeSays(stage, "Our queue is called Pelican. The Pelican service runs on port 54871.", { id: "a" }),
    claudeSays(stage, "Noted.", { id: "b", type: "assistant" }),
  ]);
  const facts = async (): Promise<string> => (await run(stage.place, ["graph", "facts", "--json"])).stdout;
  expect((await run(stage.place, ["import", "claude"])).code).toBe(0);
  expect(await facts()).not.toContain("54871");
  const refused = await run(stage.place, ["import", "claude", "--graph"], { env: { EVERLONG_GRAPH_EXTRACTOR: "llm" } });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("everlong graph backfill")]);
  expect((await run(stage.place, ["import", "claude", "--graph"])).code).toBe(0);
  expect(await facts()).toContain("54871");
});

it("F75 the first start names the clients whose folders are there, once", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "a word")]);
  await run(stage.place, ["sessions"]);
  const workspace = {
    paths: homePaths(stage.place.home),
    env: { CODEX_HOME: join(stage.home, ".claude") },
    userHome: stage.home,
  };
  expect(importOffer({ ...workspace, userHome: join(stage.home, "nobody"), env: {} })).toBeUndefined();
  expect(importOffer(workspace)).toBe("Found history of Claude Code. Bring it in with: everlong import");
  expect(importOffer(workspace)).toBeUndefined();
  expect(existsSync(join(stage.place.home, "import-offered"))).toBe(true);
});

it("IM6 the last line names a search that finds what was imported: here, elsewhere, or both", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, FACT, { cwd: "/gone/another-project" })]);
  const hinted = async (): Promise<string> => {
    const outcome = await run(stage.place, ["import", "claude"]);
    expect(outcome.code, outcome.stderr).toBe(0);
    return outcome.stdout.trimEnd().split("\n").at(-1) ?? "";
  };
  expect(await hinted()).toBe('All of it is from other projects. Search them with: everlong recall --all "words"');
  expect((await run(stage.place, ["recall", "zebrafish port"])).stdout).not.toContain("54871");
  expect((await run(stage.place, ["recall", "--all", "zebrafish port"])).stdout).toContain("54871");
  claudeFile(stage, [claudeSays(stage, "The okapi port is 12.", { session: "two" })], "two");
  expect(await hinted()).toBe('Search it with: everlong recall "words"');
  expect((await run(stage.place, ["recall", "okapi port"])).stdout).toContain("okapi port is 12");
  const both = [
    claudeSays(stage, "a walrus", { session: "three" }),
    claudeSays(stage, "a heron", { session: "four", cwd: "/gone/another-project" }),
  ];
  for (const [i, line] of both.entries()) claudeFile(stage, [line], `both${i}`);
  expect(await hinted()).toBe(
    'Search this project with: everlong recall "words", every project with: everlong recall --all "words"',
  );
});
