// Requests of the real clients and what kind they are.
import { describe, expect, it } from "vitest";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import { scanBody } from "../body/scan.ts";
import type { ScannedBody } from "../contract.ts";
import { historyOf } from "../history/chain.ts";
import { type ClassifyInput, classify } from "./classify.ts";
import { COMPACTION_MARKS, SIDE_MARKS } from "./marks.ts";
import { systemHead } from "./system-head.ts";
import { overlap, toolNames } from "./tool-names.ts";

function scanned(wire: WireName, value: unknown): ScannedBody {
  const body = scanBody(Buffer.from(JSON.stringify(value)), wire);
  if (!body.ok) throw new Error(body.error);
  return body.value;
}
const kindOf = (wire: WireName, value: unknown, more: Partial<ClassifyInput> = {}) => {
  const body = scanned(wire, value);
  const { items } = historyOf(body, "k");
  const route = { wire, task: "generate" } as const;
  return classify({
    route,
    headers: {},
    family: "claude",
    body,
    items,
    key: "k",
    main: undefined,
    share: 0,
    lane: undefined,
    ...more,
  }).kind;
};
const tools = (...names: string[]) => names.map((name) => ({ name, input_schema: {} }));
const claude = (text: string, more: object = {}) => ({
  system: [
    { type: "text", text: "x-anthropic-billing-header: cc_version=1; cch=0;" },
    { type: "text", text: "You are Claude" },
  ],
  messages: [{ role: "user", content: text }],
  tools: tools("Bash", "Read", "Edit"),
  ...more,
});
const MAIN = scanned("anthropic", claude("go"));
const main = { tools: toolNames(MAIN), system: systemHead(MAIN, "k") };

describe("classify", () => {
  it("X26 trigger and server state come first, whatever else is there", () => {
    const input = [{ role: "user", content: "hi" }, { type: "compaction_trigger" }];
    expect(kindOf("openai-responses", { input, previous_response_id: "r" })).toBe("trigger");
    expect(kindOf("openai-responses", { input: "hi", previous_response_id: "r" })).toBe("server-state");
    expect(kindOf("openai-responses", { input: "hi", conversation: { id: "c" } })).toBe("server-state");
    expect(kindOf("openai-responses", { input: "hi", previous_response_id: null })).toBe("main");
  });

  it("X26 routes and headers tell", () => {
    const wire = "openai-responses";
    expect(kindOf(wire, { input: "hi" }, { route: { wire, task: "count" } })).toBe("count");
    expect(kindOf(wire, { input: "hi" }, { route: { wire, task: "compact" } })).toBe("compaction");
    const metadata = JSON.stringify({ request_kind: "compaction", turn_id: "t" });
    expect(kindOf(wire, { input: "hi" }, { headers: { "x-codex-turn-metadata": metadata } })).toBe("compaction");
    expect(kindOf(wire, { input: "hi" }, { headers: { "x-codex-turn-metadata": "{" } })).toBe("main");
    expect(kindOf(wire, { input: "hi" }, { headers: { "x-interaction-type": "conversation-compaction" } })).toBe(
      "compaction",
    );
    expect(kindOf(wire, { input: "hi" }, { headers: { "x-interaction-type": "conversation-agent" } })).toBe("main");
  });

  it.each(COMPACTION_MARKS)("X27 $client $version: $where mark is recognised", ({ where, text }) => {
    const said = `Something before it.\n\n${text} And more of it.`;
    const system = { system: said, messages: [{ role: "user", content: "the whole history as one text" }] };
    const user = claude("go", {
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: "done" },
        { role: "user", content: said },
      ],
    });
    expect(kindOf("anthropic", where === "user" ? user : system, { main })).toBe("compaction");
    // The persona of an agent that has tools is no request for a summary.
    if (where === "system")
      expect(kindOf("anthropic", { ...system, tools: tools("Bash", "Read", "Edit") }, { main })).toBe("agent");
  });

  it("X27 a mark that a tool read, that is quoted in a sentence or that was said before is none", () => {
    const [codex] = COMPACTION_MARKS;
    const mark = codex?.text ?? "";
    const turn = (content: unknown) =>
      claude("go", {
        messages: [
          { role: "user", content: mark },
          { role: "assistant", content: "ok" },
          { role: "user", content },
        ],
      });
    expect(kindOf("anthropic", turn("next"))).toBe("main");
    expect(kindOf("anthropic", turn(`what does "${mark}" mean?`))).toBe("main");
    const result = { type: "tool_result", tool_use_id: "1", content: mark };
    expect(kindOf("anthropic", turn([result]))).toBe("main");
    expect(kindOf("anthropic", turn([result, { type: "text", text: mark }]))).toBe("compaction");
    expect(kindOf("gemini", { contents: [{ role: "user", parts: [{ text: mark }] }] })).toBe("compaction");
  });

  it("X27 without a mark: no tools, most of a main lane, and a wish for a summary of what was said", () => {
    const asks = "Please summarise our conversation so that we can go on.";
    const bare = claude(asks, { tools: undefined });
    expect(kindOf("anthropic", bare, { main, share: 0.5 })).toBe("compaction");
    expect(kindOf("anthropic", claude(asks, { tool_choice: { type: "none" } }), { main, share: 0.9 })).toBe(
      "compaction",
    );
    expect(kindOf("anthropic", bare, { main, share: 0.4 })).toBe("aux");
    expect(kindOf("anthropic", claude(asks), { main, share: 0.9 })).toBe("main");
    expect(
      kindOf("anthropic", claude("Write a summary of the README", { tools: undefined }), { main, share: 0.9 }),
    ).toBe("aux");
    const none = {
      contents: [{ role: "user", parts: [{ text: asks }] }],
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      toolConfig: { functionCallingConfig: { mode: "NONE" } },
    };
    expect(kindOf("gemini", none, { main, share: 0.9 })).toBe("compaction");
  });

  it.each(SIDE_MARKS)("N26 $client $version: a side request is known by its $where text", ({ where, text }) => {
    const said = `Something before it.\n\n${text} And more of it.`;
    const bare = { messages: [{ role: "user", content: "go" }] };
    if (where === "system") expect(kindOf("anthropic", { ...bare, system: said })).toBe("aux");
    if (where === "system") expect(kindOf("anthropic", claude("go", { system: said }), { main })).toBe("aux");
    if (where !== "user") return;
    expect(kindOf("anthropic", { messages: [{ role: "user", content: said }] })).toBe("aux");
    expect(kindOf("anthropic", claude(said), { main })).toBe("main");
    expect(kindOf("anthropic", { messages: [{ role: "user", content: `what is "${text}"?` }] })).toBe("main");
  });

  it("N26 an agent's request for an answer in a fixed shape is for itself; a program's may be its conversation", () => {
    const shaped: [WireName, object][] = [
      ["anthropic", { ...claude("go", { tools: undefined }), output_config: { format: { type: "json_schema" } } }],
      ["openai-chat", { messages: [{ role: "user", content: "go" }], response_format: { type: "json_object" } }],
      ["openai-responses", { input: "go", text: { format: { type: "json_schema" } } }],
      ["gemini", { contents: [{ role: "user", parts: [{ text: "go" }] }], generationConfig: { responseSchema: {} } }],
    ];
    for (const [wire, body] of shaped) {
      expect([wire, kindOf(wire, body)]).toEqual([wire, "aux"]);
      expect(kindOf(wire, body, { family: "sdk" })).toBe("main");
    }
    expect(kindOf("anthropic", { ...claude("go"), output_config: { format: { type: "json_schema" } } })).toBe("main");
  });

  it("X29 while no main lane offers tools all is main", () => {
    expect(kindOf("anthropic", claude("title?", { tools: undefined }))).toBe("main");
  });

  it("X29 aux: no tools; or a known history with other tools", () => {
    const lane = { kind: "main" as const, tools: main.tools };
    expect(kindOf("anthropic", claude("title?", { tools: [] }), { main, lane })).toBe("aux");
    const extraction = claude("extract", { tools: tools("write_memory", "Read") });
    expect(kindOf("anthropic", extraction, { main, lane })).toBe("aux");
    expect(kindOf("anthropic", claude("go on"), { main, lane })).toBe("main");
  });

  it("X29 agent: a new history with other tools or another system text; billing lines do not count", () => {
    expect(kindOf("anthropic", claude("sub", { tools: tools("Bash", "WebFetch", "Glob") }), { main })).toBe("agent");
    expect(kindOf("anthropic", claude("sub", { system: "You are a reviewer" }), { main })).toBe("agent");
    const billed = [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2; cch=9;" },
      { type: "text", text: "You are Claude" },
    ];
    expect(kindOf("anthropic", claude("new chat", { system: billed }), { main })).toBe("main");
  });

  it("X29 an agent goes on as one; a lane that gains tools stays what it is", () => {
    const sub = claude("sub", { system: "You are a reviewer", tools: tools("Glob", "Grep") });
    expect(kindOf("anthropic", sub, { main, lane: { kind: "agent", tools: ["Glob", "Grep"] } })).toBe("agent");
    const more = tools("Bash", "Read", "Edit", ...Array.from({ length: 20 }, (_, i) => `mcp__${i}`));
    expect(
      kindOf("anthropic", claude("go", { tools: more }), { main, lane: { kind: "main", tools: main.tools } }),
    ).toBe("main");
  });
});

describe("what requests are compared by", () => {
  it("X29 tool names of every wire", () => {
    expect(
      toolNames(
        scanned("openai-chat", {
          messages: [],
          tools: [
            { type: "function", function: { name: "b" } },
            { type: "custom", custom: { name: "a" } },
          ],
        }),
      ),
    ).toEqual(["a", "b"]);
    expect(
      toolNames(
        scanned("openai-responses", { input: "", tools: [{ type: "function", name: "f" }, { type: "web_search" }] }),
      ),
    ).toEqual(["f", "web_search"]);
    expect(toolNames(MAIN)).toEqual(["Bash", "Edit", "Read"]);
    expect(
      toolNames(
        scanned("gemini", {
          contents: [],
          tools: [{ functionDeclarations: [{ name: "x" }, { name: "y" }] }, { googleSearch: {} }],
        }),
      ),
    ).toEqual(["googleSearch", "x", "y"]);
    expect(toolNames(scanned("gemini", { contents: [] }))).toEqual([]);
  });

  it("X29 overlap is Jaccard's", () => {
    expect(overlap(["a", "b", "c"], ["b", "c", "d"])).toBe(0.5);
    expect(overlap(["a"], [])).toBe(0);
    expect(overlap([], [])).toBe(1);
  });

  it("X29 the head of the system text: field or leading items, 500 characters, keyed", () => {
    const chat = (text: string, role = "system") =>
      scanned("openai-chat", {
        messages: [
          { role, content: text },
          { role: "user", content: "hi" },
        ],
      });
    const head = systemHead(chat("You are x"), "k");
    expect(systemHead(scanned("openai-responses", { instructions: "You are x", input: "hi" }), "k")).toBe(head);
    expect(
      systemHead(scanned("gemini", { systemInstruction: { parts: [{ text: "You are x" }] }, contents: [] }), "k"),
    ).toBe(head);
    expect(systemHead(scanned("gemini", { systemInstruction: { text: "You are x" }, contents: [] }), "k")).toBe(head);
    expect(systemHead(chat("You are x", "developer"), "k")).toBe(head);
    expect(systemHead(chat("You are y"), "k")).not.toBe(head);
    expect(systemHead(chat("You are x"), "other")).not.toBe(head);
    expect(systemHead(chat(`${"a".repeat(500)}today`), "k")).toBe(systemHead(chat(`${"a".repeat(500)}tomorrow`), "k"));
  });

  it("X29 tools that codex sends as an item of the input count, nested ones by their names", () => {
    const tools = [
      {
        type: "namespace",
        name: "functions",
        tools: [
          { type: "custom", name: "exec" },
          { type: "function", name: "wait" },
        ],
      },
    ];
    const value = {
      input: [
        { type: "additional_tools", role: "developer", tools },
        { role: "user", content: "go" },
      ],
    };
    expect(toolNames({ wire: "openai-responses", value })).toEqual(["exec", "wait"]);
    const [item] = wireOf("openai-responses").history.toItems(value);
    expect(item).toMatchObject({ role: "developer", kind: "message" }); // no cut takes it away
  });
});
