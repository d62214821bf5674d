// What a person is asked about a memory: whole, unshortened, with where it comes from; and which answers mean what.
import { describe, expect, it } from "vitest";
import { memoryLines } from "../../src/permission/explain-memory.ts";
import { leaveOf } from "../../src/runtime/memory/leave.ts";
import { seenTexts, storesIn } from "../../src/runtime/memory/seen.ts";
import type { DurableEnvelope } from "../../src/schema/event/envelope.ts";

describe("M64 the prompt", () => {
  const long = "every word of a fact is shown ".repeat(16).trim();

  it("M64 a store: fact, citations, scope and origins, complete; hidden characters written out", () => {
    const text = memoryLines({
      kind: "memory",
      summary: "store",
      action: "store",
      subject: "s",
      fact: `${long}\u202e`,
      citations: ["src/a.ts:1", "User: so it is"],
      reason: "why",
      scope: "user",
      origins: [{ kind: "web", ref: "t1/c9" }],
      warnings: ["odd"],
    }).join("\n");
    for (const part of [long, "\\u{202e}", "src/a.ts:1", "User: so it is", "why", "web page (t1/c9)", "odd"])
      expect(text).toContain(part);
    expect(text).toMatch(/all your projects/i);
  });

  it("M64 a vote: fact, direction and reason", () => {
    const text = memoryLines({
      kind: "memory",
      summary: "vote",
      action: "vote",
      fact: long,
      direction: "downvote",
      reason: "it is gone",
    }).join("\n");
    for (const part of [long, "down", "it is gone"]) expect(text).toContain(part);
  });
});

describe("M63 M68 what the door says, as leave", () => {
  it.each([
    [{ type: "allow" }, { type: "approved" }],
    [
      { type: "allow", edited: { fact: "mine" } },
      { type: "approved", edited: { fact: "mine" } },
    ],
    [{ type: "deny", code: "user_not_available", message: "m", covered: true }, { type: "pending" }],
    [
      { type: "deny", code: "user_not_available", message: "m" },
      { type: "denied", by: "user_not_available", message: "m" },
    ],
    [
      { type: "deny", code: "rejected", message: "m" },
      { type: "denied", by: "user", message: "m" },
    ],
    [
      { type: "deny", code: "denied", message: "m" },
      { type: "denied", by: "rule", message: "m" },
    ],
  ] as const)("M63 %j is %j", (permit, leave) => expect(leaveOf(permit)).toEqual(leave));
});

describe("M67 what the session has seen", () => {
  let n = 0;
  const event = (type: string, data: object, agentId?: string) =>
    ({ id: `e${++n}`, type, timestamp: "", parentId: null, data, ...(agentId ? { agentId } : {}) }) as DurableEnvelope;
  const typed = (content: string, source = "user") =>
    event("user.message", { content, source, turnId: "t", messageId: "m", mode: "interactive" });
  const called = (toolCallId: string, toolName: string, content: string, more: object = {}, agentId?: string) => [
    event("tool.execution_start", { toolCallId, toolName, turnId: "T", arguments: {}, ...more }, agentId),
    event("tool.execution_complete", { toolCallId, success: true, result: { content } }, agentId),
  ];

  it("M67 kinds by tool, turns by the user's last message, piped text is not typed, subagents count", () => {
    const chain = [
      typed("first"),
      ...called("a", "web_fetch", "old page"),
      typed("look at this\n<stdin>\npiped words\n</stdin>"),
      typed("go on", "autopilot"),
      ...called("b", "view", "a file"),
      ...called("c", "bash", "fetched", { arguments: { command: "curl -s https://x.test" } }),
      ...called("d", "bash", "listed", { arguments: { command: "ls" } }),
      ...called("e", "gh-issue", "issue", { mcpServerName: "gh" }),
      ...called("f", "web_fetch", "page of a subagent", {}, "agent-1"),
      ...called("g", "recall", "recalled"),
      ...called("h", "store_memory", "Stored as mem_X"),
    ];
    const seen = seenTexts(chain, [{ id: "mem_01ABCDEF", text: "- [01ABCDEF] build: a fact | x | repository" }]);
    expect(seen.map(({ kind, ref, thisTurn }) => [kind, ref, thisTurn])).toEqual([
      ["user", undefined, undefined],
      ["web", "T/a", false],
      ["user", undefined, undefined],
      ["file", "t", undefined],
      ["file", "T/b", true],
      ["web", "T/c", true],
      ["tool", "T/d", true],
      ["mcp", "T/e", true],
      ["web", "T/f", true],
      ["memory", "T/g", true],
      ["memory", "mem_01ABCDEF", undefined],
    ]);
    expect(seen.filter(({ kind }) => kind === "user").map(({ text }) => text.trim())).toEqual([
      "first",
      "look at this",
    ]);
    expect(storesIn(chain)).toBe(1);
  });
});
