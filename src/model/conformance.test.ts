// A2.4: the same cases on every wire, against the scripted server, which refuses what the providers refuse.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { calls, empty, text } from "../../test/model-server/reply.ts";
import { type ModelServer, startModelServer } from "../../test/model-server/server.ts";
import { answerOf, assistant, caller, item, KINDS, requestFor, result, user } from "./conformance-fixture.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
let image: string;
beforeAll(async () => {
  image = join(await mkdtemp(join(tmpdir(), "conformance-")), "dot.png");
  await writeFile(image, PNG);
});

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  await server.close();
  expect(server.rejected.map((request) => request.violation)).toEqual([]);
});

const sent = () => server.requests.at(-1)!;

describe.each(Object.entries(KINDS))("A2.4 %s", (name, kind) => {
  const { target, call, ask, parts, shown } = caller(kind, () => server.url);
  const readsReasoning = name !== "openai-chat at OpenAI";

  it("A2.7 text streams and finishes with stop", async () => {
    server.script(text("Hello there, all of you.", { chunk: 3 }));
    const answer = answerOf(await ask());
    expect(answer).toMatchObject({ content: "Hello there, all of you.", toolRequests: [], finishReason: "stop" });
    expect(shown("text")).toBe(answer.content);
    expect(parts().length).toBeGreaterThan(3);
    expect(answer.ttftMs).toBeGreaterThan(0);
  });

  it("A2.7 AI4 parallel calls arrive whole and in order, and their results go back in that order", async () => {
    server.script(
      calls(
        [
          { name: "view", args: { path: "a" } },
          { name: "bash", args: {} },
          { name: "view", args: { path: "ü 🌍" } },
        ],
        { text: "Looking." },
      ),
      text("Done."),
    );
    const question = user("go");
    const answer = answerOf(await call(requestFor([question])));
    expect(answer.finishReason).toBe("tool_calls");
    expect(answer.toolRequests.map(({ name, arguments: given, cut }) => [name, given, cut])).toEqual([
      ["view", { path: "a" }, undefined],
      ["bash", {}, undefined],
      ["view", { path: "ü 🌍" }, undefined],
    ]);
    for (const { toolCallId } of answer.toolRequests) {
      expect(
        parts()
          .filter((part) => "toolCallId" in part && part.toolCallId === toolCallId)
          .map((part) => part.type),
      ).toEqual(expect.arrayContaining(["call_start", "call_end"]));
    }
    const results = answer.toolRequests.map((request, n) => result(request, `result number ${n}`));
    answerOf(await call(requestFor([question, assistant(answer), ...results.toReversed()])));
    const at = [0, 1, 2].map((n) => sent().rawBody.indexOf(`result number ${n}`));
    expect(at.toSorted((a, b) => a - b)).toEqual(at);
    expect(at[0]).toBeGreaterThan(0);
  });

  it("A2.21 images go with the prompt and with a result; a model without them gets a note", async () => {
    const attachments = [{ kind: "image" as const, path: image }];
    server.script(calls([{ name: "view", args: { path: image } }]), text("A dot."), text("Nothing."));
    const question = user("look", attachments);
    const answer = answerOf(await call(requestFor([question])));
    expect(sent().rawBody.split(PNG.toString("base64")).length - 1).toBe(1);
    const history = [question, assistant(answer), result(answer.toolRequests[0]!, "here", attachments)];
    answerOf(await call(requestFor(history)));
    expect(sent().rawBody.split(PNG.toString("base64")).length - 1).toBe(2);
    const { entry } = target();
    answerOf(
      await call(
        requestFor(history),
        {},
        target({ entry: { ...entry, supports: { ...entry.supports, images: false } } }),
      ),
    );
    expect(sent().rawBody).not.toContain(PNG.toString("base64"));
    expect(sent().rawBody).toContain("dot.png is not shown: this model takes no images");
  });

  it("A2.10 reasoning goes back to the model that made it, word for word, and to nobody else", async () => {
    server.script(
      calls([{ name: "view", args: { path: "a" } }], { reasoning: "Let me think hard.", text: "Looking." }),
      text("One."),
      text("Two."),
    );
    const question = user("go");
    const answer = answerOf(await call(requestFor([question])));
    if (readsReasoning)
      expect([answer.reasoningText, shown("reasoning")]).toEqual(["Let me think hard.", "Let me think hard."]);
    const history = [question, assistant(answer), result(answer.toolRequests[0]!, "text of a")];
    answerOf(await call(requestFor(history)));
    expect(sent().rawBody.includes("Let me think hard.")).toBe(readsReasoning);
    answerOf(
      await call(requestFor(history), {}, target({ name: kind.wire === "gemini" ? "gemini-2.5-pro" : "another" })),
    );
    expect(sent().rawBody).not.toMatch(/Let me think hard|sig_|enc_|dGhvdWdodD/);
    expect(sent().rawBody).toContain("Looking.");
  });

  it("A2.11 usage counts the whole prompt, cached parts included, and costs what they cost", async () => {
    const cacheWrite = kind.wire === "gemini" ? 0 : 20;
    server.script(
      text("ok", { usage: { input: 1000, output: 100, cacheRead: 400, cacheWrite, reasoning: 30 } }),
      text("ok", { usage: null }),
    );
    const { usage } = answerOf(await ask());
    expect(usage).toMatchObject({
      inputTokens: 1000,
      outputTokens: 100,
      cacheReadTokens: 400,
      cacheWriteTokens: cacheWrite,
    });
    expect(usage?.reasoningTokens).toBe(30);
    expect(usage?.cost).toBeCloseTo((600 * 2 + 400 * 0.5 + 100 * 10) / 1e6, 10);
    expect(answerOf(await ask()).usage).toBeUndefined();
  });

  it("A2.4 odd Unicode arrives and leaves unharmed; half a pair is replaced", async () => {
    const odd = "𝒳 \u202e👩‍👩‍👧 \u0000\u2028 naïve \\ud800 \\\\ end";
    server.script(text(odd, { chunk: 1 }), calls([{ name: "view", args: { path: odd } }]), text("ok"));
    expect(answerOf(await ask()).content).toBe(odd);
    const answer = answerOf(await ask());
    expect(answer.toolRequests[0]?.arguments).toEqual({ path: odd });
    await call(
      requestFor([
        user(`${odd} \ud83c and \\\ud83c`),
        assistant(answer),
        result(answer.toolRequests[0]!, `${odd}\udc00`),
      ]),
    );
    expect(JSON.stringify(sent().body)).toContain(JSON.stringify(`${odd} \ufffd and \\\ufffd`).slice(1, -1));
  });

  it("A2.9 an empty answer is an answer without anything; finish length keeps the text and marks the cut call", async () => {
    server.script(empty(), text("As far as", { finish: "length" }), text("No.", { finish: "content_filter" }));
    expect(answerOf(await ask())).toMatchObject({ content: "", toolRequests: [], finishReason: "stop" });
    expect(answerOf(await ask())).toMatchObject({ content: "As far as", finishReason: "length" });
    expect(answerOf(await ask())).toMatchObject({ finishReason: "content_filter" });
    if (kind.wire === "gemini") return; // sends arguments as an object, never in pieces
    server.script(
      calls(
        [
          { name: "view", args: { path: "a" } },
          { name: "bash", args: '{"command":"rm -r' },
        ],
        { finish: "length" },
      ),
      calls([{ name: "bash", args: "" }], { finish: "length" }),
    );
    const cut = answerOf(await ask());
    expect(cut.toolRequests.map((request) => request.cut)).toEqual([undefined, true]);
    expect(cut.toolRequests[1]?.arguments).toBe('{"command":"rm -r');
    expect(answerOf(await ask()).toolRequests).toMatchObject([{ cut: true }]);
  });

  it("AB5 broken JSON is kept as text, and goes back as an object", async () => {
    if (kind.wire === "gemini") return;
    server.script(calls([{ name: "bash", args: '{"command": ls}' }]), text("ok"));
    const answer = answerOf(await ask());
    expect(answer.toolRequests).toMatchObject([{ name: "bash", arguments: '{"command": ls}' }]);
    answerOf(await call(requestFor([user("q"), assistant(answer), result(answer.toolRequests[0]!, "not JSON")])));
    expect(sent().rawBody).toContain("invalid_json");
  });

  it("AB5 doubled call ids are told apart", async () => {
    server.script(
      calls([
        { name: "view", id: "same" },
        { name: "bash", id: "same" },
      ]),
      text("ok"),
    );
    const answer = answerOf(await ask());
    expect(answer.toolRequests.map((request) => request.name)).toEqual(["view", "bash"]);
    expect(new Set(answer.toolRequests.map((request) => request.toolCallId)).size).toBe(2);
    answerOf(
      await call(
        requestFor([user("q"), assistant(answer), ...answer.toolRequests.map((request) => result(request, "r"))]),
      ),
    );
  });

  it("A2.12 keeps to the caching rules of its wire; A2.16 a full window as stop reason is a context limit", async () => {
    server.script(text("ok", { reasoning: "hm" }));
    const items = [item({ role: "user", content: "summary" }, "compaction"), user("q")];
    answerOf(await call(requestFor(items)));
    const body = sent().body as Record<string, unknown>;
    expect(sent().rawBody.split('"cache_control"').length - 1).toBe(kind.wire === "anthropic" ? 4 : 0);
    if (kind.wire === "anthropic") {
      expect(body["max_tokens"]).toBe(8192);
      server.script(text("So", { finishRaw: "model_context_window_exceeded" }));
      expect(await ask()).toMatchObject({ type: "context_limit", unit: "tokens" });
    }
    if (kind.wire === "openai-responses") {
      expect(body).toMatchObject({
        store: false,
        prompt_cache_key: "session-1",
        include: ["reasoning.encrypted_content"],
      });
    }
  });

  it("A2.22 says who asked and what for; the session goes to loopback; configured headers win over the SDK's", async () => {
    server.script(text("ok"), text("ok"));
    await call(
      requestFor([user("q")], { initiator: "agent", interaction: "conversation-subagent" }),
      {},
      target({ headers: { "x-team": "blue" } }),
    );
    expect(sent().headers).toMatchObject({
      "x-initiator": "agent",
      "x-interaction-type": "conversation-subagent",
      "x-everlong-session": "session-1",
      "x-team": "blue",
    });
    expect(Object.values(sent().headers).join()).toContain("test-key-0123456789");
    const { apiKey: _key, ...keyless } = target({ headers: { AUTHORIZATION: "Bearer mine" } });
    await ask({}, keyless);
    expect(sent().headers["authorization"]).toBe("Bearer mine");
    expect(sent().headers).not.toHaveProperty("x-api-key");
    expect(sent().headers).not.toHaveProperty("x-goog-api-key");
  });
});
