// On which model a subagent runs: who decides, what is said when it is another than was asked for, and what the guard does.
import { describe, expect, it } from "vitest";
import { onlySession, toolResults, until } from "../agent/scene.ts";
import { type Call, calls, hang, text } from "../model-server/reply.ts";
import { run, start } from "../tool/everlong.ts";
import { cast, eventsOf, task } from "./cast.ts";
import { definition, put } from "./definitions.ts";

const entry = (name: string, price: number, more: object = {}) => ({
  id: `custom/${name}`,
  provider: "custom",
  prices: { input: price, output: price * 4 },
  ...more,
});

/** "dear" costs five times what the session's model does, "cheap" a tenth. */
const CATALOG = [
  entry("scripted", 1, { family: "house" }),
  entry("cheap", 0.1, { family: "house", supports: { reasoning: true } }),
  entry("dear", 5, { family: "house" }),
  entry("double", 2, { family: "guest" }),
];
const models = ["scripted", "cheap", "dear", "double", "unpriced"];

type Setup = { env?: Record<string, string>; settings?: object; agents?: Record<string, Record<string, string>> };

/** One task, and what became of it. */
async function delegate(call: Call, { env = {}, settings, agents = {} }: Setup = {}) {
  const { place, of, server } = await cast([calls([call]), text("ok")], { JOB: [text("the answer")] }, { models, env });
  put(place.home, "models.json", JSON.stringify(CATALOG));
  if (settings) put(place.home, "settings.json", JSON.stringify(settings));
  for (const [name, fields] of Object.entries(agents))
    put(place.home, `agents/${name}.md`, definition({ description: "a test", ...fields }));
  const done = await run(place, ["-p", "go"]);
  expect(done.code, done.stderr).toBe(0);
  const id = onlySession(place);
  const [request] = of("JOB");
  const [started] = eventsOf(place, id, "subagent.started");
  // OI8, whatever the test is about: what is said to run is what is asked.
  expect(started?.["model"]).toBe(request && `custom/${request.model}`);
  const [result = { text: "" }] = toolResults(server.requests.at(-1));
  const [first = "", ...rest] = result.text.split("\n");
  return {
    model: request?.model,
    effort: (request?.body as { reasoning_effort?: string } | undefined)?.reasoning_effort,
    changed: eventsOf(place, id, "subagent.model_changed"),
    completed: eventsOf(place, id, "subagent.completed"),
    started,
    result: result.text,
    first,
    rest: rest.join("\n").trim(),
  };
}

const job = (more: Record<string, unknown> = {}): Call => task("JOB", more);

describe("O31 who decides", () => {
  const agents = {
    clerk: { model: "[nowhere, cheap, double]" },
    plain: { model: "inherit" },
    choosy: { model: "[nowhere, inherit]" },
  };
  const settings = { agent: { models: { clerk: "double", explore: "double" } } };

  it.each<[what: string, call: Call, setup: Setup, model: string]>([
    ["nobody: the session's", job(), {}, "scripted"],
    ["the call before everything", job({ agent_type: "clerk", model: "unpriced" }), { agents, settings }, "unpriced"],
    ["the call, with its provider", job({ model: "custom/cheap" }), {}, "cheap"],
    ["agent.models before the definition", job({ agent_type: "clerk" }), { agents, settings }, "double"],
    ["the definition's first that is here", job({ agent_type: "clerk" }), { agents }, "cheap"],
    ["a definition that inherits", job({ agent_type: "plain" }), { agents }, "scripted"],
    ["a definition that would rather have another", job({ agent_type: "choosy" }), { agents }, "scripted"],
    [
      "agent.models before the setting of explore",
      job({ agent_type: "explore" }),
      { settings, env: { EVERLONG_EXPLORE_MODEL: "cheap" } },
      "double",
    ],
    [
      "the setting of rubber-duck",
      job({ agent_type: "rubber-duck" }),
      { env: { EVERLONG_RUBBER_DUCK_MODEL: "cheap" } },
      "cheap",
    ],
    [
      "O33 auto: another family",
      job({ agent_type: "rubber-duck" }),
      { env: { EVERLONG_RUBBER_DUCK_MODEL: "auto" } },
      "double",
    ],
    ["explore's setting is for explore", job(), { env: { EVERLONG_EXPLORE_MODEL: "cheap" } }, "scripted"],
  ])("O31 OI8 %s", async (_what, call, setup, model) => {
    const got = await delegate(call, setup);
    expect(got.model).toBe(model);
    expect(got.changed).toEqual([]);
    expect(got.result).toBe("the answer");
    expect(got.completed).toMatchObject([{ model: `custom/${model}` }]);
  });

  it("O31 explore runs on its own model at low effort, unless the call says otherwise", async () => {
    const env = { EVERLONG_EXPLORE_MODEL: "cheap", EVERLONG_REASONING_EFFORT: "high" };
    expect(await delegate(job({ agent_type: "explore" }), { env })).toMatchObject({ model: "cheap", effort: "low" });
    const asked = job({ agent_type: "explore", reasoning_effort: "medium" });
    expect(await delegate(asked, { env })).toMatchObject({ model: "cheap", effort: "medium" });
    expect(await delegate(job({ model: "cheap" }), { env })).toMatchObject({ model: "cheap", effort: "high" });
  });

  it("O31 O30 a wrong argument is refused with what there is; nothing starts", async () => {
    const got = await delegate(job({ model: "sonnet-9" }));
    expect(got.result).toContain("unknown_model");
    for (const name of models) expect(got.result).toContain(`custom/${name}`);
    expect(got.started).toBeUndefined();
    expect(got.changed).toEqual([]);
  });

  it.each<[what: string, agentType: string, setup: Setup, requested: string]>([
    ["a definition", "clerk", { agents: { clerk: { model: "[sonnet-9, opus-9]" } } }, "sonnet-9, opus-9"],
    ["agent.models", "task", { settings: { agent: { models: { task: "sonnet-9" } } } }, "sonnet-9"],
    ["the setting of explore", "explore", { env: { EVERLONG_EXPLORE_MODEL: "sonnet-9" } }, "sonnet-9"],
  ])(
    "O31 OB3 OI8 a wrong name in %s: the session's model, in event and first line",
    async (_what, type, setup, requested) => {
      const got = await delegate(job({ agent_type: type }), setup);
      expect(got.model).toBe("scripted");
      expect(got.changed).toMatchObject([{ requested, used: "custom/scripted", reason: "unknown_model" }]);
      expect(got.first).toContain(requested);
      expect(got.first).toContain("custom/scripted");
      expect(got.rest).toBe("the answer");
    },
  );
});

describe("O32 cost guard", () => {
  const dear = { agents: { rich: { model: "dear" } } };

  it.each<[what: string, call: Call, setup: Setup]>([
    ["the call", job({ model: "dear" }), {}],
    ["a definition", job({ agent_type: "rich" }), dear],
  ])("O32 OE4 OI8 %s asks for too much: downgraded in request, event and first line", async (_what, call, setup) => {
    const got = await delegate(call, setup);
    expect(got.model).toBe("scripted");
    expect(got.changed).toMatchObject([
      { requested: "custom/dear", used: "custom/scripted", reason: "cost_guard", ratio: 5 },
    ]);
    expect(got.first).toContain("custom/dear");
    expect(got.first).toContain("5 times");
    expect(got.rest).toBe("the answer");
    expect(got.completed).toMatchObject([{ model: "custom/scripted" }]);
  });

  it("O32 in the background the note is in what the main agent is told", async () => {
    const got = await delegate(job({ model: "dear", mode: "background" }));
    expect(got.model).toBe("scripted");
    expect(got.first).toContain("custom/dear");
  });

  it("O32 refuse: model_too_expensive, and nothing starts", async () => {
    const got = await delegate(job({ model: "dear" }), { env: { EVERLONG_COST_GUARD: "refuse" } });
    expect(got.result).toContain("model_too_expensive");
    expect(got.result).toContain("5 times");
    expect(got.started).toBeUndefined();
  });

  it.each<[what: string, model: string, env: Record<string, string>]>([
    ["off", "dear", { EVERLONG_COST_GUARD: "off" }],
    ["a higher limit", "dear", { EVERLONG_MAX_COST_RATIO: "5" }],
    ["within the limit", "double", {}],
    ["a price that nobody knows", "unpriced", {}],
  ])("O32 %s: it runs as asked", async (_what, model, env) => {
    const got = await delegate(job({ model }), { env });
    expect(got.model).toBe(model);
    expect(got.changed).toEqual([]);
    expect(got.result).toBe("the answer");
  });
});

describe("N42 a server behind EVERLONG_BASE_URL with names of the catalogue", () => {
  const known = ["gpt-5-mini", "gpt-5.5", "gpt-5-nano"];

  const ask = async (model: string) => {
    const cased = await cast([calls([job({ model })]), text("ok")], { JOB: [text("the answer")] }, { models: known });
    const { place, server } = cased;
    const done = await run(place, ["-p", "go", "--model", "gpt-5-mini"]);
    expect(done.code, done.stderr).toBe(0);
    const [result = { text: "" }] = toolResults(server.requests.at(-1));
    return { result: result.text, changed: eventsOf(place, onlySession(place), "subagent.model_changed") };
  };

  it("N42 O32 the guard compares by the catalogue's prices", async () => {
    const { changed, result } = await ask("gpt-5.5");
    expect(changed).toMatchObject([
      { requested: "custom/gpt-5.5", used: "custom/gpt-5-mini", reason: "cost_guard", ratio: 20 },
    ]);
    expect(result).toContain("20 times");
    expect((await ask("gpt-5-nano")).changed).toEqual([]);
  });

  it("N42 O30 unknown_model lists each model once, and its code stands there once", async () => {
    const { result } = await ask("gpt-9");
    expect(result.match(/unknown_model/g)).toHaveLength(1);
    for (const name of known) expect(result.match(new RegExp(`custom/${name}(?=[,.] ?)`, "g")), name).toHaveLength(1);
  });
});

describe("OI8 after a resume", () => {
  it("OI8 O59 an agent whose model is gone goes on with the session's, in event, request and first line", async () => {
    const { place, of, server } = await cast(
      [
        calls([job({ model: "openai/gpt-4.1", mode: "background" })]),
        hang(),
        calls([{ name: "write_agent", args: { agent_id: "worker", message: "go on" } }]),
        calls([{ name: "read_agent", args: { agent_id: "worker", wait: true, timeout: 20 } }]),
        text("ok"),
      ],
      { JOB: [hang(), text("the answer")] },
    );
    const env = { OPENAI_API_KEY: "another-key-0123456789", OPENAI_BASE_URL: `${server.url}/v1` };
    const first = start(place, ["-p", "go"], { env });
    await until("both to hang", () => of("JOB").length === 1 && of("main").length === 2);
    expect(of("JOB")[0]?.model).toBe("gpt-4.1");
    first.kill("SIGKILL");
    await first.done;
    const id = onlySession(place);
    const done = await run(place, ["--resume", id, "-p", "what became of it?"]);
    expect(done.code, done.stderr).toBe(0);
    expect(of("JOB")[1]?.model).toBe("scripted");
    const change = { requested: "openai/gpt-4.1", used: "custom/scripted", reason: "unknown_model" };
    expect(eventsOf(place, id, "subagent.model_changed")).toMatchObject([change]);
    const read = toolResults(server.requests.at(-1)).at(-1)?.text ?? "";
    expect(read).toContain("the answer");
    expect(read).toContain("instead of openai/gpt-4.1");
  });
});
