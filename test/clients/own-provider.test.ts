// N31: an agent whose own settings name another server goes there through the gateway, with its own key.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { run } from "../tool/everlong.ts";
import { stage } from "./stage.ts";

it.each([
  [
    "pi",
    ["--provider", "mine"],
    `
    const at = process.argv.indexOf("-e");
    const { default: extend } = await import(process.argv[at + 1]);
    const bases = {};
    extend({ registerProvider: (name, { baseUrl }) => { bases[name] = baseUrl; } });
    const base = bases.mine;`,
  ],
  [
    "opencode",
    ["run", "-m", "mine/m"],
    `
    const base = JSON.parse(process.env.OPENCODE_CONFIG_CONTENT).provider.mine.options.baseURL;`,
  ],
  [
    "qwen",
    ["-m", "m"],
    `
    import { readFileSync } from "node:fs";
    const settings = JSON.parse(readFileSync(process.env.QWEN_CODE_SYSTEM_SETTINGS_PATH, "utf8"));
    const base = settings.modelProviders.openai[0].baseUrl;`,
  ],
])("N31 %s: a provider of its own settings is led through the gateway, with its own key", async (agent, args, find) => {
  const { server, place } = await stage(
    `${find}
     const headers = { "content-type": "application/json", authorization: "Bearer sk-mine" };
     const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
     const answer = await fetch(base + "/chat/completions", { method: "POST", headers, body });
     console.log(answer.status, (await answer.json()).choices[0].message.content);`,
    agent,
  );
  const mine = await startModelServer({ script: () => text("MINE") });
  onTestFinished(() => mine.close());
  const baseURL = `${mine.url}/v1`;
  const settings = {
    ".pi/agent/models.json": { providers: { mine: { baseUrl: baseURL, api: "openai-completions" } } },
    ".config/opencode/opencode.json": { provider: { mine: { options: { baseURL } } } },
    ".qwen/settings.json": { modelProviders: { openai: [{ id: "m", baseUrl: baseURL }] } },
  };
  for (const [name, value] of Object.entries(settings)) {
    const path = join(dirname(place.home), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(value));
  }
  const done = await run(place, ["with", agent, ...args]);
  expect([done.stdout, server.requests.length]).toEqual(["200 MINE\n", 0]);
  expect(done.stderr).not.toContain("sent no request");
  expect(mine.requests[0]?.headers["authorization"]).toBe("Bearer sk-mine");
});
