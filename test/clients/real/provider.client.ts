// Real clients whose own settings lead to another server than the vendors': they go there through the gateway.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startModelServer } from "../../model-server/server.ts";
import { clients, installed } from "./client.ts";
import { ANSWER, scriptShell, stageFor } from "./stage.ts";

type Case = { name: string; path: string; settings(base: string): object; args: string[] };

const PROMPT = "Read a.txt and tell me the marker.";
const cases: readonly Case[] = [
  {
    name: "pi",
    path: ".pi/agent/models.json",
    settings: (baseUrl) => ({
      providers: { mine: { baseUrl, api: "openai-completions", apiKey: "sk-mine", models: [{ id: "m" }] } },
    }),
    args: ["--provider", "mine", "--model", "m", "-p", PROMPT],
  },
  {
    name: "opencode",
    path: ".config/opencode/opencode.json",
    settings: (baseURL) => ({
      provider: {
        mine: { npm: "@ai-sdk/openai-compatible", options: { baseURL, apiKey: "sk-mine" }, models: { m: {} } },
      },
    }),
    args: ["run", "-m", "mine/m", PROMPT],
  },
  {
    name: "qwen",
    path: ".qwen/settings.json",
    settings: (baseUrl) => ({ modelProviders: { openai: [{ id: "m", name: "m", baseUrl, envKey: "MINE_KEY" }] } }),
    args: ["-m", "m", "-y", "-p", PROMPT],
  },
];

for (const { name, path, settings, args } of cases) {
  const client = clients.find((one) => one.name === name);
  it.skipIf(!client || !installed(client))(
    `N31 ${name} reaches a server of the user's own through the gateway`,
    async () => {
      if (!client) throw new Error("no such client");
      const { server, home, with: start } = await stageFor(client, {}, { MINE_KEY: "sk-mine" });
      const mine = await startModelServer({ strict: false, models: ["m"] });
      onTestFinished(() => mine.close());
      scriptShell(mine, client, ["cat a.txt"]);
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), JSON.stringify(settings(`${mine.url}/v1`)));
      const done = await start(args);
      expect(done.code, done.stderr).toBe(0);
      expect(done.stdout + done.stderr).toContain(ANSWER);
      expect(done.stderr).not.toContain("sent no request");
      expect(server.requests).toHaveLength(0);
      expect(mine.requests.some(({ rawBody }) => rawBody.includes("hello PELICAN"))).toBe(true);
      expect(new Set(mine.requests.map(({ headers }) => headers["authorization"]))).toEqual(
        new Set(["Bearer sk-mine"]),
      );
    },
  );
}
