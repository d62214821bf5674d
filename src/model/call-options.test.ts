// Headers and the settings that only one wire has.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { familyOf } from "../proxy/identify/family.ts";
import { requestHeaders } from "./call-headers.ts";
import { callOptions } from "./call-options.ts";
import { item, KINDS, requestFor, targetFor, user } from "./conformance-fixture.ts";

const target = (kind: string, more = {}) => targetFor(KINDS[kind]!, "http://127.0.0.1", more);

describe("A2.22 headers", () => {
  it("A2.22 the session is told to loopback addresses only", () => {
    const session = (host: string) =>
      requestHeaders({}, target("anthropic", { baseUrl: `http://${host}/v1` }), requestFor([])).get(
        "x-everlong-session",
      );
    for (const host of ["localhost:80", "127.0.0.1", "127.9.9.9", "[::1]:8080"])
      expect(session(host)).toBe("session-1");
    for (const host of ["127.0.0.1.evil.com", "localhost.evil.com", "10.0.0.1"]) expect(session(host)).toBeNull();
    const away = requestHeaders({}, target("anthropic", { baseUrl: "https://api.anthropic.com/v1" }), requestFor([]));
    expect([away.get("x-everlong-session"), away.get("x-initiator"), away.get("x-interaction-type")]).toEqual([
      null,
      "user",
      "conversation-user",
    ]);
  });
});

describe("X9 who asks", () => {
  it("X9 every request says first that it is ours, so that our own gateway leaves it alone", () => {
    const sent = requestHeaders({ "user-agent": "ai-sdk/1" }, target("anthropic"), requestFor([])).get("user-agent");
    expect(sent).toMatch(/^everlong\/\S+ ai-sdk\/1$/);
    expect(familyOf({ "user-agent": sent ?? "", "x-initiator": "user" }, "always")).toMatchObject({
      reason: "own_agent",
    });
  });
});

describe("A2.12 wire settings", () => {
  it("A2.12 Responses stores nothing and gets the session as its cache key", async () => {
    const { providerOptions } = await callOptions(target("openai-responses"), requestFor([user("q")]));
    expect(providerOptions).toMatchObject({ openai: { store: false, promptCacheKey: "session-1" } });
  });

  it("A2.12 Anthropic has the tools mark on the last tool", async () => {
    const { tools } = await callOptions(target("anthropic"), requestFor([user("q")]));
    expect(tools?.map((tool) => tool.type === "function" && tool.providerOptions !== undefined)).toEqual([false, true]);
  });

  it("A2.6 Anthropic always gets an output size, the others only a configured one", async () => {
    const request = requestFor([user("q")]);
    expect((await callOptions(target("anthropic"), request)).maxOutputTokens).toBe(8192);
    expect((await callOptions(target("anthropic", { maxOutputTokens: 500 }), request)).maxOutputTokens).toBe(500);
    expect((await callOptions(target("openai-chat"), request)).maxOutputTokens).toBeUndefined();
    expect(
      (await callOptions(target("openai-chat", { maxOutputTokens: 500 }), { ...request, maxOutputTokens: 9 }))
        .maxOutputTokens,
    ).toBe(9);
  });

  it("A2.21 an effort is left out for a model without one, and while Anthropic answers another's call", async () => {
    const request = { ...requestFor([user("q")]), reasoningEffort: "high" as const };
    expect((await callOptions(target("anthropic"), request)).reasoning).toBe("high");
    expect((await callOptions(target("openai-chat at OpenAI"), request)).reasoning).toBeUndefined();
    const foreign = item({
      role: "assistant",
      content: "",
      toolRequests: [{ toolCallId: "c", name: "view", arguments: {} }],
    });
    expect((await callOptions(target("anthropic"), { ...request, items: [foreign] })).reasoning).toBeUndefined();
  });

  it("A2.12 no choice of tool is sent without tools", async () => {
    const request = requestFor([user("q")], { tools: [], toolChoice: "none" });
    expect(await callOptions(target("openai-chat"), request)).not.toHaveProperty("toolChoice");
  });
});

describe("A1.4 the environment", () => {
  it("A1.4 an empty variable that the SDK would read does no harm", () => {
    const script =
      'for (const { call } of allWires()) for (const provider of ["openai", "custom"]) await call.load({ provider }); console.log("loaded");';
    const load = `import { allWires } from ${JSON.stringify(import.meta.resolve("./wire/registry.ts"))}; ${script}`;
    const env = {
      ...process.env,
      OPENAI_BASE_URL: "",
      ANTHROPIC_BASE_URL: "",
      OPENAI_API_KEY: "",
      ANTHROPIC_API_KEY: "",
    };
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", load], {
      env,
      encoding: "utf8",
    });
    expect([stdout.trim(), stderr]).toEqual(["loaded", ""]);
  });
});
