// The prompt of a history: ids, roles, cache marks, notes.
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import type { Message } from "../schema/message.ts";
import { item, KINDS, result, targetFor, user } from "./conformance-fixture.ts";
import { buildPrompt } from "./prompt.ts";
import { callIds, callName } from "./prompt-ids.ts";
import { wireOf } from "./wire/registry.ts";

const target = (kind: string) => targetFor(KINDS[kind]!, "http://127.0.0.1");
const says = (content: string, more: Partial<Extract<Message, { role: "assistant" }>> = {}) =>
  item({ role: "assistant", content, toolRequests: [], ...more });
const roles = (prompt: LanguageModelV4Prompt) => prompt.map((message) => message.role).join(" ");
const marked = (prompt: LanguageModelV4Prompt) =>
  prompt.flatMap((message, at) => (message.providerOptions ? [at] : []));

describe("A2.21 ids and names", () => {
  it("A2.21 fit the target, differ, and stay what they were when history grows", () => {
    const given = ["call.1", "call:1", "call_1", "x".repeat(80), "x".repeat(80), "", "ok-1"];
    for (const wire of ["openai-chat", "openai-responses", "anthropic", "gemini"] as const) {
      const next = callIds(wireOf(wire).prompt.maxCallIdChars);
      const ids = given.map((id) => next(id));
      expect(new Set(ids).size).toBe(given.length);
      expect(ids.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id) && (wire !== "openai-chat" || id.length <= 40))).toBe(
        true,
      );
      expect(ids.at(-1)).toBe("ok-1");
      const again = callIds(wireOf(wire).prompt.maxCallIdChars);
      expect(given.slice(0, 4).map((id) => again(id))).toEqual(ids.slice(0, 4));
    }
    expect(["functions.bash", "", "7zip", "n".repeat(90), "view"].map(callName)).toEqual([
      "functions_bash",
      "unknown",
      "_7zip",
      "n".repeat(64),
      "view",
    ]);
  });
});

describe("A2.12 cache marks", () => {
  it("A2.12 stand on system, the latest compaction message and the newest item", async () => {
    const items = [
      item({ role: "user", content: "old summary" }, "compaction"),
      item({ role: "user", content: "summary" }, "compaction"),
      says("a"),
      user("b"),
    ];
    expect(marked(await buildPrompt("S", items, target("anthropic")))).toEqual([0, 2, 4]);
    expect(marked(await buildPrompt("S", items.slice(0, 2), target("anthropic")))).toEqual([0, 2]);
  });
});

describe("AI4 roles", () => {
  it("P10 a user speaks first, last and between on the wires that want it", async () => {
    const items = [says("one"), says("two")];
    expect(roles(await buildPrompt("", items, target("anthropic")))).toBe("user assistant user assistant user");
    expect(roles(await buildPrompt("", items, target("gemini")))).toBe("user assistant user assistant user");
    expect(roles(await buildPrompt("S", items, target("openai-chat")))).toBe("system assistant assistant");
  });

  it("A2.10 provider data that no longer fits the calls is left out whole", async () => {
    const { provider, name: model } = KINDS["anthropic"]!;
    const content = [{ type: "reasoning", text: "hm" }, { type: "tool-call" }, { type: "tool-call" }];
    const request = { toolCallId: "c", name: "view", arguments: {} };
    const message = says("text", { toolRequests: [request], providerData: { provider, model, content } });
    const prompt = await buildPrompt("", [user("q"), message, result(request, "r")], target("anthropic"));
    expect(prompt[1]?.content).toMatchObject([
      { type: "text", text: "text" },
      { type: "tool-call", toolCallId: "c" },
    ]);
  });

  it("A2.21 a result without text says so, and a missing image is a note", async () => {
    const request = { toolCallId: "c", name: "view", arguments: {} };
    const gone = [{ kind: "image" as const, path: "/nowhere/a.png" }];
    const items = [user("q", gone), says("", { toolRequests: [request] }), result(request, " ")];
    const text = JSON.stringify(await buildPrompt("", items, target("gemini")));
    expect(text).toContain("(no output)");
    expect(text).toContain("[image /nowhere/a.png is not shown: ENOENT");
  });
});
