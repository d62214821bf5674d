// Which model answers and why, switching between models, and what every request says about itself.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { logOf, newPlace, only, type Place, run, sessionsOf } from "../tool/everlong.ts";
import { bash, onlySession, scene, userTexts } from "./scene.ts";

/** No provider but what the test names. */
const unset = { EVERLONG_BASE_URL: "", EVERLONG_MODEL: "", EVERLONG_API_KEY: "" };
const started = (place: Place, id?: string) => only(logOf(place, id), "session.start")[0]?.data;

describe("A2.2 the model when none is named", () => {
  it("A2.2 a base URL with one listed model: that one, with its reason in session.start", async () => {
    const { server, place } = await scene([text("hi")], { env: { EVERLONG_MODEL: "" } });
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(started(place)).toMatchObject({
      model: "custom/scripted",
      modelReason: expect.stringContaining("only model") as string,
    });
    expect(server.requests[0]?.model).toBe("scripted");
    expect(server.side.map((s) => s.path)).toContain("/v1/models");
  });

  it("A2.2 a base URL with several models: exit 2 asking for a name, nothing sent", async () => {
    const { server, place } = await scene([], { env: { EVERLONG_MODEL: "" }, models: ["one", "two"] });
    const done = await run(place, ["-p", "go"]);
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(/one, two[\s\S]*--model/);
    expect([server.requests.length, sessionsOf(place).length]).toEqual([0, 0]);
  });

  it("A2.2 OPENAI_API_KEY before ANTHROPIC_API_KEY before Ollama; Gemini only when named", async () => {
    const { server, place } = await scene(() => text("hi"), {
      models: ["llama3.2:3b"],
      ollama: { numCtx: 16_384 },
      env: unset,
    });
    const openai = { OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.url };
    const anthropic = { ANTHROPIC_API_KEY: "sk-ant-0123456789", ANTHROPIC_BASE_URL: server.url };
    const ollama = { OLLAMA_HOST: server.url };
    const model = async (env: Record<string, string>) => {
      const before = new Set(sessionsOf(place));
      const done = await run(place, ["-p", "where is x?"], { env });
      expect(done.code, done.stderr).toBe(0);
      return started(
        place,
        sessionsOf(place).find((id) => !before.has(id)),
      );
    };
    const first = await model({ ...openai, ...anthropic, ...ollama });
    expect(first?.model).toMatch(/^openai\//);
    expect(first?.modelReason).toContain("OPENAI_API_KEY");
    const second = await model({ ...anthropic, ...ollama });
    expect(second?.model).toMatch(/^anthropic\//);
    expect(second?.modelReason).toContain("ANTHROPIC_API_KEY");
    // It has 200 ms to answer, which a busy machine may miss.
    let local = await model(ollama);
    for (let n = 0; n < 4 && local?.model === "offline"; n++) local = await model(ollama);
    expect(local?.model).toBe("ollama/llama3.2:3b");
    expect((await model({ GEMINI_API_KEY: "AIza-test-0123456789" }))?.model).toBe("offline");
    expect(server.requests.map((r) => r.wire)).toEqual(["openai-chat", "anthropic", "openai-chat"]);
  });

  it("A2.1 a name that nothing knows: exit 2 with near names; custom/x sends x", async () => {
    const nowhere = newPlace();
    const done = await run(nowhere, ["-p", "go", "--model", "oflfine"]);
    expect(done.code).toBe(2);
    expect(done.stderr).toContain("offline");
    const { server, place } = await scene([text("hi")], { env: { EVERLONG_MODEL: "custom/my/model" } });
    await run(place, ["-p", "go"]);
    expect(server.requests[0]?.model).toBe("my/model");
  });
});

describe("A2.20 switching models", () => {
  it("A2.20 /model lists usable models with limit and multiplier; the current one is marked", async () => {
    const { place } = await scene([]);
    const listed = await run(place, ["-p", "/model"]);
    expect(listed.code, listed.stderr).toBe(0);
    expect(listed.stdout).toMatch(/^\* custom\/scripted {2}prompts up to 128000 tokens, multiplier 1$/m);
    expect(listed.stdout).toMatch(/offline {2}prompts up to \d+ tokens, multiplier 0/);
    expect(listed.stdout).not.toMatch(/anthropic\//);
  });

  it("A2.20 --model on resume and /model NAME write session.model_change; history goes along", async () => {
    const models = ["scripted", "other", "third"];
    const { server, place } = await scene((_r, i) => text(`answer ${i}`), { models });
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    const resumed = await run(place, ["--resume", id, "--model", "custom/other", "-p", "second"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(server.requests[1]?.model).toBe("other");
    expect(userTexts(server.requests[1])).toEqual(["first", "second"]);
    const switched = await run(place, ["--resume", id, "--model", "custom/other", "-p", "/model custom/third"]);
    expect(switched.stdout).toContain("custom/third");
    // Without a model in the environment the session goes on with its own.
    await run(place, ["--resume", id, "-p", "third"], { env: { EVERLONG_MODEL: "" } });
    expect(server.requests[2]?.model).toBe("third");
    const changes = only(logOf(place, id), "session.model_change").map((e) => [
      e.data.previousModel,
      e.data.newModel,
      e.data.cause,
    ]);
    expect(changes[0]).toEqual(["custom/scripted", "custom/other", "resume"]);
    expect(changes[1]).toEqual(["custom/other", "custom/third", "user"]);
    expect(changes).toHaveLength(2);
    const bad = await run(place, ["--resume", id, "-p", "/model nosuch/model"], { env: unset });
    expect(bad.code).not.toBe(0);
  });

  it("N49 /model refuses a name that the server's list does not have, and says what it has", async () => {
    const { server, place } = await scene([text("hi"), text("again")], { models: ["scripted", "qwen3-coder"] });
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    const refused = await run(place, ["--resume", id, "-p", "/model qwen3-codr"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("has no model qwen3-codr");
    expect(refused.stderr).toContain("Did you mean qwen3-coder?");
    expect(refused.stderr).toContain("[unknown_model]");
    const far = await run(place, ["--resume", id, "-p", "/model wholly-unlike"]);
    expect(far.stderr).toContain("It lists scripted, qwen3-coder.");
    expect(only(logOf(place, id), "session.model_change")).toEqual([]);
    // What models.json names needs no list.
    writeFileSync(join(place.home, "models.json"), JSON.stringify([{ id: "custom/own", provider: "custom" }]));
    expect((await run(place, ["--resume", id, "-p", "/model own"])).code).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  it("N49 a server without a list takes any name", async () => {
    const { place } = await scene([text("hi")], { models: [] });
    const done = await run(place, ["-p", "/model anything"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toContain("Model: custom/anything");
  });
});

describe("A2.6 limits", () => {
  it("A2.6 the requested output is lowered so that prompt and output fit the window", async () => {
    const { server, place } = await scene(() => text("ok"));
    const entry = {
      id: "custom/scripted",
      provider: "custom",
      max_context_window_tokens: 20_000,
      max_output_tokens: 18_000,
      multiplier: 1,
    };
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, "models.json"), JSON.stringify([entry]));
    const done = await run(place, ["-p", "word ".repeat(5000), "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    const body = server.requests[0]?.body as { max_tokens?: number; max_completion_tokens?: number };
    const asked = body.max_tokens ?? body.max_completion_tokens ?? 0;
    const prompt = only(done.events, "session.usage_info")[0]?.data.currentTokens ?? 0;
    expect(prompt).toBeGreaterThan(5000);
    expect(asked).toBe(20_000 - prompt);
  });
});

describe("A2.22 headers", () => {
  it("A2.22 who began the request and what it is for; the session on loopback", async () => {
    const { server, place } = await scene([calls([bash("ls")]), text("ok")]);
    await run(place, ["-p", "go"]);
    const seen = server.requests.map((r) => [
      r.headers["x-initiator"],
      r.headers["x-interaction-type"],
      r.headers["x-everlong-session"],
    ]);
    const id = onlySession(place);
    expect(seen).toEqual([
      ["user", "conversation-user", id],
      ["agent", "conversation-agent", id],
    ]);
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer test-key-0123456789");
  });

  it("A2.12 AI11 system text and tools are the same bytes in every step, and history is only appended to", async () => {
    const { server, place } = await scene([calls([bash("ls")]), calls([bash("pwd")]), text("ok"), text("more")]);
    await run(place, ["-p", "go"]);
    await run(place, ["--continue", "-p", "more"]);
    const bodies = server.requests.map((r) => r.body as { messages: unknown[]; tools: unknown });
    for (const [i, body] of bodies.slice(1).entries()) {
      const before = bodies[i];
      expect(JSON.stringify(body.tools)).toBe(JSON.stringify(before?.tools));
      expect(JSON.stringify(body.messages.slice(0, before?.messages.length))).toBe(JSON.stringify(before?.messages));
    }
  });

  it("AI12 EVERLONG_HEADERS are sent, and their values are shown nowhere", async () => {
    const { server, place } = await scene([text("ok")], { env: { EVERLONG_HEADERS: "X-Team: secret-team-value" } });
    const done = await run(place, ["-p", "go", "--output-format", "stream-json"]);
    expect(server.requests[0]?.headers["x-team"]).toBe("secret-team-value");
    expect(done.stdout + done.stderr + (await run(place, ["settings"])).stdout).not.toContain("secret-team-value");
  });
});

describe("AB6 AB8 answers that are no answers", () => {
  it("AB6 an HTML page or a wrong content type is bad_response after retries, with its beginning shown", async () => {
    const server = await startModelServer({
      script: () => ({
        kind: "raw",
        status: 200,
        headers: { "content-type": "text/html" },
        body: "<html>Sign in to the hotel network</html>",
      }),
    });
    const place = newPlace({
      EVERLONG_BASE_URL: server.url,
      EVERLONG_MODEL: "m",
      EVERLONG_RETRY_BASE_MS: "5",
      EVERLONG_RETRY_MAX: "2",
    });
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    await server.close();
    expect(done.code).toBe(1);
    expect(done.json).toMatchObject({
      error: { code: "bad_response", message: expect.stringContaining("hotel network") as string },
    });
    expect(server.requests).toHaveLength(3);
  });
});
