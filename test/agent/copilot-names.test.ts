// Names that users know from Copilot CLI work as they stand.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";
import { scene } from "./scene.ts";

describe("N40 Copilot CLI's names", () => {
  it("N40 a provider by COPILOT_PROVIDER_*, its model, headers and home", async () => {
    const { place, server } = await scene(() => text("from the provider"));
    const home = join(dirname(place.home), "copilot-home");
    const env = {
      EVERLONG_BASE_URL: "",
      EVERLONG_MODEL: "",
      EVERLONG_API_KEY: "",
      EVERLONG_HOME: "",
      COPILOT_PROVIDER_BASE_URL: server.url,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_WIRE_API: "responses",
      COPILOT_PROVIDER_API_KEY: "copilot-key-0123456789",
      COPILOT_PROVIDER_HEADERS: "X-Team: blue",
      COPILOT_MODEL: "their-model",
      COPILOT_HOME: home,
      COPILOT_OFFLINE: "true",
    };
    const answer = await run(place, ["-p", "hello", "--max-autopilot-continues", "3"], { env });
    expect([answer.code, answer.stdout.trim(), answer.stderr]).toEqual([
      0,
      "from the provider",
      expect.not.stringContaining("Warning"),
    ]);
    const [request] = server.requests;
    expect(request?.path).toMatch(/\/responses$/);
    expect(request?.headers).toMatchObject({ authorization: "Bearer copilot-key-0123456789", "x-team": "blue" });
    expect(request?.body).toMatchObject({ model: "their-model" });
    expect(JSON.stringify(request?.body)).not.toContain("web_fetch");
    expect(existsSync(join(home, "sessions"))).toBe(true);
    const settings = await run(place, ["settings"], { env: { ...env, COPILOT_PROVIDER_TYPE: "anthropic" } });
    expect(settings.stdout).toMatch(/home.*COPILOT_HOME/);
  });

  it("N40 COPILOT_PROVIDER_TYPE=anthropic chooses that wire", async () => {
    const { place, server } = await scene(() => text("hi"));
    const env = { COPILOT_PROVIDER_TYPE: "anthropic" };
    expect((await run(place, ["-p", "hello"], { env })).code).toBe(0);
    expect(server.requests[0]?.path).toMatch(/\/messages$/);
  });
});
