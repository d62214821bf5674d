import { describe, expect, it } from "vitest";
import { B, plan, refused, vendors } from "./plan-fixture.ts";

const piModels = (entry: object) => ({
  "/home/u/.pi/agent/models.json": JSON.stringify({ providers: { mine: entry } }),
});

describe("N31 what leads past the gateway is refused with the reason", () => {
  const qwen = (more: object) => ({
    "/home/u/.qwen/settings.json": JSON.stringify({
      modelProviders: { openai: [{ id: "plain" }], gemini: [{ id: "local-x", baseUrl: "http://127.0.0.1:9/v1" }] },
      ...more,
    }),
  });
  it.each([
    ["codex", { args: ["-c", 'model_provider="azure"'] }, "arguments"],
    ["codex", { args: ["--oss"] }, "arguments"],
    ["qwen", { args: ["--openai-base-url", "http://x"] }, "--openai-base-url"],
    ["qwen", { args: ["--auth-type", "qwen-oauth"] }, "qwen-oauth"],
    ["qwen", { args: ["-m", "local-x"], files: qwen({}) }, "http://127.0.0.1:9/v1"],
    ["qwen", { files: qwen({ model: { name: "local-x" } }) }, "modelProviders"],
    ["letta", { args: ["--backend", "api"] }, "--backend api"],
    ["letta", { args: ["-m", "anthropic/opus"] }, "anthropic/opus"],
    ["pi", { args: ["--provider", "mistral", "-p", "x"] }, '"mistral"'],
    ["pi", { args: ["--provider", "mine"], files: piModels({ baseUrl: "http://x/v1", api: "bedrock" }) }, '"mine"'],
    ["pi", { args: ["--provider", "mine"], files: piModels({ baseUrl: "nonsense" }) }, '"mine"'],
    ["pi", { files: { "/home/u/.pi/agent/settings.json": '{"defaultProvider":"ollama"}' } }, '"ollama"'],
    ["opencode", { args: ["run", "-m", "custom/llama", "x"] }, "custom/llama"],
    ["opencode", { args: ["run", "--model=custom/llama"] }, "custom/llama"],
    ["opencode", { env: { OPENCODE_CONFIG_CONTENT: '{"model":"ollama/x"}' } }, "ollama/x"],
    ["opencode", { files: { "/home/u/.config/opencode/opencode.jsonc": '{"model":"ollama/y",}' } }, "ollama/y"],
    ["claude", { env: { CLAUDE_CODE_USE_BEDROCK: "1" } }, "CLAUDE_CODE_USE_BEDROCK"],
    [
      "claude",
      { files: { "/home/u/.claude/settings.json": '{"env":{"ANTHROPIC_BASE_URL":"http://x"}}' } },
      "settings.json",
    ],
    [
      "gemini",
      {
        env: { GEMINI_API_KEY: "g" },
        files: { "/home/u/.gemini/settings.json": '{"security":{"auth":{"selectedType":"oauth-personal"}}}' },
      },
      "oauth-personal",
    ],
  ])("N31 X112 %s %j", (agent, more, reason) => {
    const why = refused(agent, more);
    expect(why).toMatchObject({ code: "past_gateway", exit: 1, next: expect.stringContaining("by itself") });
    expect(why.what).toContain(reason);
  });

  it.each([
    ["qwen", { args: ["-m", "plain"], files: qwen({}) }],
    ["qwen", { args: ["--auth-type=openai"] }],
    ["pi", { args: ["--provider", "openai", "--model", "gpt-5"] }],
    ["opencode", { args: ["run", "-m", "anthropic/claude-x"] }],
    ["letta", { args: ["-m", "lmstudio/gpt-5", "--backend", "local"] }],
  ])("N31 %s %j passes", (agent, more) => {
    expect(plan(agent, more).notes).toEqual([]);
  });

  it("N31 a gateway that does not lead where the settings do is refused", () => {
    const files = piModels({ baseUrl: "http://127.0.0.1:8/v1", api: "openai-completions" });
    expect(refused("pi", { files }).code).toBe("upstream_unset");
  });

  it("N31 copilot with a server of one's own needs no key", () => {
    const upstreams = [...vendors, { name: "mine", url: "http://127.0.0.1:11434/v1", key: false }];
    const env = { COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:11434/v1", COPILOT_MODEL: "m" };
    expect(plan("copilot", { env, upstreams }).env).toEqual({
      COPILOT_PROVIDER_BASE_URL: `${B}/up/mine/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
    });
  });

  it("X114 gemini refuses launch files below a folder that others can write to, and that is said", () => {
    expect(plan("gemini", { env: { GEMINI_API_KEY: "g" }, exposed: true }).notes).toHaveLength(1);
  });
});

describe("N31 providers of the user's own settings are led through the gateway", () => {
  const url = "http://127.0.0.1:8/v1";
  const upstreams = [...vendors, { name: "mine", url, key: false }];
  const led = `${B}/up/mine`;

  it.each([
    [{ api: "openai-completions", models: [{ id: "m" }] }, `${led}/v1`],
    [{ models: [{ id: "m", api: "anthropic-messages" }] }, led],
    [{ api: "google-generative-ai" }, `${led}/v1beta`],
  ])("N31 pi: models.json %j", (entry, base) => {
    const files = piModels({ baseUrl: url, ...entry });
    for (const args of [
      ["--provider", "mine"],
      ["--model", "mine/m"],
      ["--provider", "openai"],
    ])
      expect(plan("pi", { args, files, upstreams }).files[0]?.text).toContain(`"mine":"${base}"`);
  });

  it("N31 pi: a vendor's address in models.json is where its key goes, not to the vendor", () => {
    const files = { "/home/u/.pi/agent/models.json": JSON.stringify({ providers: { openai: { baseUrl: url } } }) };
    expect(plan("pi", { files, upstreams }).files[0]?.text).toContain(`"openai":"${led}/v1"`);
  });

  it("N31 pi and opencode: providers that they have built in", () => {
    const groq = [...vendors, { name: "pi-groq", url: "https://api.groq.com/openai/v1", key: false }];
    for (const args of [
      ["--provider", "groq"],
      ["--model", "groq/llama"],
    ])
      expect(plan("pi", { args, upstreams: groq }).files[0]?.text).toContain(`"groq":"${B}/up/pi-groq/v1"`);
    expect(plan("opencode", { args: ["-m", "groq/llama"], upstreams: groq }).env["OPENCODE_CONFIG_CONTENT"]).toContain(
      `"groq":{"options":{"baseURL":"${B}/up/pi-groq/v1"}}`,
    );
  });

  it.each([
    [{ npm: "@ai-sdk/openai-compatible", options: { baseURL: url, apiKey: "k" } }, `${led}/v1`],
    [{ options: { baseURL: "{env:MINE}" } }, `${led}/v1`],
    [{ npm: "@ai-sdk/google", options: { baseURL: url } }, `${led}/v1beta`],
  ])("N31 opencode: the user's own settings %j", (entry, base) => {
    const files = { "/home/u/.config/opencode/opencode.json": JSON.stringify({ provider: { custom: entry } }) };
    const { env } = plan("opencode", { args: ["run", "-m", "custom/x"], files, upstreams, env: { MINE: url } });
    const content = JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "") as { provider: Record<string, unknown> };
    expect(content.provider["custom"]).toEqual({ options: { baseURL: base } });
  });

  it("N31 qwen: modelProviders come back in a launch file, with the machine's own settings", () => {
    const entry = { id: "local-x", baseUrl: url, envKey: "MINE_KEY" };
    const other = { id: "far", baseUrl: "https://far.example" };
    const files = {
      "/home/u/.qwen/settings.json": JSON.stringify({ modelProviders: { openai: [entry, 7], gemini: [other] } }),
      "/etc/qwen-code/settings.json": '{"telemetry":{"enabled":false}}',
    };
    const path = "/home/u/.everlong/with/77/qwen.json";
    const made = plan("qwen", { args: ["-m", "local-x"], files, upstreams });
    expect(made.env["QWEN_CODE_SYSTEM_SETTINGS_PATH"]).toBe(path);
    expect(made.files[0]).toMatchObject({ path, mode: 0o600 });
    expect(JSON.parse(made.files[0]?.text ?? "")).toEqual({
      telemetry: { enabled: false },
      modelProviders: { openai: [{ ...entry, baseUrl: `${led}/v1` }, 7], gemini: [other] },
    });
    expect(plan("qwen").files).toEqual([]);
  });
});
