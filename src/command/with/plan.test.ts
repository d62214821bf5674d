import { describe, expect, it } from "vitest";
import { B, keyed, plan, refused, TOKEN, U, vendors } from "./plan-fixture.ts";

const OPENAI_API_KEY = "sk-openai-0123456789";

describe("X114 the rows", () => {
  it("X114 codex gets a provider before its arguments, and the token by a variable", () => {
    expect(plan("codex", { args: ["exec", "hi"], env: { OPENAI_API_KEY } })).toEqual({
      command: "codex",
      args: [
        "-c",
        'model_provider="everlong"',
        "-c",
        `model_providers.everlong={name="Everlong",base_url="${U}/v1",wire_api="responses",env_key="OPENAI_API_KEY",env_http_headers={"X-Everlong-Token"="EVERLONG_WITH_TOKEN"}}`,
        "exec",
        "hi",
      ],
      env: { EVERLONG_WITH_TOKEN: TOKEN },
      files: [],
      notes: [],
      secrets: [TOKEN],
    });
  });

  it.each([
    [undefined, vendors, `base_url="${U}/v1",wire_api="responses",requires_openai_auth=true,`],
    ["key", vendors, `base_url="${U}/v1",wire_api="responses",requires_openai_auth=true,`],
    ["chatgpt", vendors, `base_url="${U}/up/chatgpt",wire_api="responses",requires_openai_auth=true,`],
    ["chatgpt", keyed, `base_url="${U}/up/chatgpt",wire_api="responses",requires_openai_auth=true,`],
    [undefined, keyed, `base_url="${U}/v1",wire_api="responses",env_http_headers`],
  ] as const)("X114 codex without OPENAI_API_KEY, signed in by %s", (signIn, upstreams, part) => {
    expect(plan("codex", { upstreams, ...(signIn ? { signIn } : {}) }).args[3]).toContain(part);
  });

  it("X114 N24 claude: base URL with the run's token, headers and keys as they are", () => {
    const env = { ANTHROPIC_CUSTOM_HEADERS: "X-Team: a", ANTHROPIC_API_KEY: "sk-ant-1" };
    expect(plan("claude", { args: ["-p", "x"], env })).toMatchObject({
      args: ["-p", "x"],
      env: {
        ANTHROPIC_BASE_URL: B,
        _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: "1",
      },
      files: [],
    });
  });

  it("X114 claude takes the gateway for Anthropic's own only when that is where it leads", () => {
    const upstreams = [{ name: "anthropic", url: "https://llm.acme.example", key: false }];
    expect(Object.keys(plan("claude", { upstreams }).env)).toEqual(["ANTHROPIC_BASE_URL"]);
  });

  it("X114 gemini: sign-in by key in a launch file, unless the user has a file there", () => {
    const env = { GEMINI_API_KEY: "AIza-0123456789" };
    const path = "/home/u/.everlong/with/77/gemini.json";
    const made = plan("gemini", { env });
    expect(made.env).toEqual({
      GOOGLE_GEMINI_BASE_URL: B,
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: path,
    });
    expect(made.files).toEqual([
      { path, mode: 0o600, text: '{"security":{"auth":{"selectedType":"gemini-api-key"}}}\n' },
    ]);
    const own = plan("gemini", { env: { ...env, GEMINI_CLI_SYSTEM_DEFAULTS_PATH: "/etc/g.json" } });
    expect([own.files, own.env["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"]]).toEqual([[], undefined]);
  });

  it("X114 gemini without a key is refused, unless the gateway has one", () => {
    expect(refused("gemini")).toMatchObject({ code: "no_key", exit: 1 });
    expect(plan("gemini", { upstreams: keyed }).env["GEMINI_API_KEY"]).toBe(TOKEN);
  });

  it("X114 opencode: the user's settings, ours merged into them", () => {
    const theirs =
      '{"theme":"x", /* mine */ "provider":{"openai":{"options":{"timeout":5,"headers":{"A":"b"}}},"z":{}}}';
    const made = plan("opencode", { env: { OPENCODE_CONFIG_CONTENT: theirs } });
    expect(JSON.parse(made.env["OPENCODE_CONFIG_CONTENT"] ?? "")).toEqual({
      theme: "x",
      provider: {
        z: {},
        openai: { options: { timeout: 5, baseURL: `${B}/v1`, headers: { A: "b" } } },
        anthropic: { options: { baseURL: `${B}/v1` } },
        google: { options: { baseURL: `${B}/v1beta` } },
      },
    });
    expect(refused("opencode", { env: { OPENCODE_CONFIG_CONTENT: "[1]" } }).code).toBe("config_unreadable");
  });

  it("X114 qwen: base URL and --auth-type unless given", () => {
    expect(plan("qwen", { args: ["-p", "x"], env: { OPENAI_API_KEY } })).toMatchObject({
      args: ["--auth-type", "openai", "-p", "x"],
      env: { OPENAI_BASE_URL: `${B}/v1` },
    });
    expect(plan("qwen", { args: ["--auth-type", "openai"] }).args).toEqual(["--auth-type", "openai"]);
  });

  it("X114 pi: an extension that registers the three providers", () => {
    const { args, files } = plan("pi", { args: ["-p", "x"] });
    expect(args).toEqual(["-e", "/home/u/.everlong/with/77/pi.ts", "-p", "x"]);
    expect(files[0]).toMatchObject({ mode: 0o600 });
    expect(files[0]?.text).toContain(`{"openai":"${B}/v1","anthropic":"${B}","google":"${B}/v1beta"}`);
    expect(plan("pi", { args: ["install", "npm:x"] })).toMatchObject({ args: ["install", "npm:x"], files: [] });
  });

  it("X114 copilot: by the key that is there, and only with a model", () => {
    const model = { COPILOT_MODEL: "m" };
    expect(plan("copilot", { env: { OPENAI_API_KEY, ...model } }).env).toEqual({
      COPILOT_PROVIDER_BASE_URL: `${B}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: OPENAI_API_KEY,
    });
    expect(plan("copilot", { env: { ANTHROPIC_API_KEY: "sk-ant", ...model } }).env).toMatchObject({
      COPILOT_PROVIDER_BASE_URL: B,
      COPILOT_PROVIDER_TYPE: "anthropic",
    });
    const own = plan("copilot", { args: ["--model", "m"], env: { COPILOT_PROVIDER_API_KEY: "k" } });
    expect(own.env["COPILOT_PROVIDER_API_KEY"]).toBeUndefined();
    expect(refused("copilot", { env: { OPENAI_API_KEY } }).code).toBe("no_model");
    expect(refused("copilot", { env: model })).toMatchObject({ code: "no_key", exit: 1 });
    expect(refused("copilot", { env: { ...model, COPILOT_PROVIDER_TYPE: "azure" } }).code).toBe("provider_unknown");
  });

  it("X114 cline: a private copy with the entry's address replaced, and no daemon", () => {
    const path = "/home/u/.cline/data/settings/providers.json";
    const entry = { provider: "openai-compatible", apiKey: "sk-cline-1", baseUrl: "https://api.openai.com/v1" };
    const settings = {
      version: 1,
      providers: { "openai-compatible": { settings: entry, x: 1 }, other: { token: "t2" } },
    };
    const made = plan("cline", { files: { [path]: JSON.stringify(settings) } });
    const copy = "/home/u/.everlong/with/77/cline.json";
    expect(made.env).toEqual({
      CLINE_PROVIDER_SETTINGS_PATH: copy,
      CLINE_SESSION_BACKEND_MODE: "local",
      CLINE_HUB_DISCOVERY_PATH: `${copy}/no-hub`,
    });
    expect(made.files[0]).toMatchObject({ path: copy, mode: 0o600 });
    expect(JSON.parse(made.files[0]?.text ?? "")).toEqual({
      ...settings,
      providers: {
        ...settings.providers,
        "openai-compatible": { settings: { ...entry, baseUrl: `${B}/v1` }, x: 1 },
      },
    });
    expect(made.secrets).toEqual([TOKEN, "sk-cline-1", "t2"]);
    expect(refused("cline")).toMatchObject({ code: "no_entry", exit: 1, next: expect.stringContaining("cline auth") });
  });

  it("X114 letta: the gateway as its LM Studio", () => {
    expect(plan("letta", { args: ["-p", "x"], env: { OPENAI_API_KEY } })).toMatchObject({
      args: ["--backend", "local", "-p", "x"],
      env: { LMSTUDIO_BASE_URL: `${B}/v1`, LMSTUDIO_API_KEY: OPENAI_API_KEY },
    });
    expect(plan("letta", { args: ["agents", "list"] }).args).toEqual(["agents", "list"]);
  });

  it.each(["droid", "warp", "crush"])("X114 %s: the entry to add by hand, exit 1", (agent) => {
    expect(refused(agent)).toMatchObject({ code: "by_hand", exit: 1, entry: expect.stringContaining(U) });
  });

  it("X114 any other program gets the variables of the SDKs", () => {
    expect(plan("--", { args: ["python", "x.py"] })).toMatchObject({
      command: "python",
      args: ["x.py"],
      env: {
        OPENAI_BASE_URL: `${B}/v1`,
        OPENAI_API_BASE: `${B}/v1`,
        ANTHROPIC_BASE_URL: B,
        GOOGLE_GEMINI_BASE_URL: B,
      },
    });
  });

  it.each([
    ["qwen", "OPENAI_API_KEY"],
    ["letta", "LMSTUDIO_API_KEY"],
  ])("X114 %s without a key gets the token when the gateway has one, and never otherwise", (agent, name) => {
    expect(plan(agent, { upstreams: keyed }).env[name]).toBe(TOKEN);
    expect(plan(agent).env[name]).toBeUndefined();
    expect(plan(agent, { upstreams: keyed, env: { [name]: "mine" } }).env[name] ?? "mine").toBe("mine");
  });

  it("X114 the token is never an argument", () => {
    const env = { OPENAI_API_KEY, GEMINI_API_KEY: "g", COPILOT_MODEL: "m" };
    for (const agent of ["codex", "claude", "gemini", "opencode", "qwen", "pi", "copilot", "letta"]) {
      expect(plan(agent, { env, upstreams: keyed }).args.join(" "), agent).not.toContain(TOKEN);
    }
  });
});

describe("X113 a base URL that the user has set is where the gateway forwards to", () => {
  const own = "https://llm.acme.example/v1";
  const upstreams = [...vendors, { name: "acme", url: "https://llm.acme.example/v1", key: false }];

  it.each([
    ["claude", "ANTHROPIC_BASE_URL", `${B}/up/acme`],
    ["gemini", "GOOGLE_GEMINI_BASE_URL", `${B}/up/acme`],
    ["qwen", "OPENAI_BASE_URL", `${B}/up/acme/v1`],
    ["letta", "LMSTUDIO_BASE_URL", `${B}/up/acme/v1`],
  ])("X113 %s goes by the upstream's name", (agent, variable, base) => {
    const env = { [variable]: own, GEMINI_API_KEY: "g" };
    expect(plan(agent, { env, upstreams }).env[variable]).toBe(base);
  });

  it("X113 a gateway that does not lead there is refused: a credential must not go elsewhere", () => {
    expect(refused("claude", { env: { ANTHROPIC_BASE_URL: own } })).toMatchObject({ code: "upstream_unset", exit: 1 });
    expect(refused("qwen", { env: { OPENAI_BASE_URL: "https://u:p@x.example" } }).code).toBe("base_url");
  });

  it.each(["https://api.anthropic.com", "https://api.anthropic.com/v1/", "http://localhost:4747", `${U}/`])(
    "X113 %s is the usual way",
    (base) => {
      expect(plan("claude", { env: { ANTHROPIC_BASE_URL: base } }).env["ANTHROPIC_BASE_URL"]).toBe(B);
    },
  );

  it("X113 codex: the provider of its own settings", () => {
    const path = "/home/u/.codex/config.toml";
    const config = `model_provider = "acme"\n[model_providers.acme]\nbase_url = "${own}"\nenv_key = "ACME_KEY"\n`;
    const env = { ACME_KEY: "k", OPENAI_API_KEY };
    expect(plan("codex", { env, upstreams, files: { [path]: config } }).args[3]).toContain(
      `base_url="${U}/up/acme/v1",wire_api="responses",env_key="ACME_KEY"`,
    );
    expect(refused("codex", { env, files: { [path]: config } }).code).toBe("upstream_unset");
    const azure = `${config}query_params = { v = "1" }\n`;
    expect(refused("codex", { env, upstreams, files: { [path]: azure } }).code).toBe("provider_unknown");
  });
});

it("X111 an agent that is not known is wrong usage", () => {
  expect(refused("nosuch")).toMatchObject({ code: "unknown_agent", exit: 2 });
  expect(refused("--").exit).toBe(2);
  expect(refused("toString").exit).toBe(2);
});
