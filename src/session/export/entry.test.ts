// Exports hold what the screen showed: every kind, compactions included.
import { expect, it } from "vitest";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { exportEntries } from "./entry.ts";

const chain = (...events: [type: string, data: object][]): DurableEnvelope[] =>
  events.map(
    ([type, data], at) => ({ id: `e${at}`, type, timestamp: "2026", parentId: null, data }) as DurableEnvelope,
  );

const sizes = {
  preCompactionTokens: 90,
  postCompactionTokens: 10,
  preCompactionMessagesLength: 9,
  postCompactionMessagesLength: 2,
};

it("F25 F17 F18 F20 F21 F23 each kind has a title and its facts", () => {
  const entries = exportEntries(
    chain(
      [
        "user.message",
        {
          messageId: "m",
          turnId: "t",
          ref: "t1",
          content: "hi",
          source: "user",
          mode: "interactive",
          recalled: "<everlong_recall>\nFacts:\n- it is so (f1)\n</everlong_recall>",
          recalledMs: 7,
        },
      ],
      [
        "tool.execution_start",
        { toolCallId: "c", toolName: "store_memory", arguments: { subject: "ports", fact: "8080" }, turnId: "t" },
      ],
      [
        "tool.execution_complete",
        {
          toolCallId: "c",
          success: false,
          resultType: "denied",
          result: { content: "", bytes: 0, lines: 0 },
          error: { code: "denied", message: "permission denied" },
          durationMs: 1,
        },
      ],
      [
        "session.compaction_complete",
        {
          success: true,
          outcome: "applied",
          trigger: "threshold",
          model: "m",
          ...sizes,
          checkpointNumber: 2,
          checkpointPath: "checkpoints/002-the-ports.md",
          summaryContent: "we set ports",
        },
      ],
      [
        "session.compaction_complete",
        { success: false, outcome: "failed", failureReason: "timeout", trigger: "manual", model: "m", ...sizes },
      ],
      [
        "hook.end",
        {
          hookInvocationId: "h",
          hookType: "preToolUse",
          source: "hooks.json",
          output: { permissionDecision: "deny", permissionDecisionReason: "not now" },
          success: true,
          durationMs: 1,
        },
      ],
      [
        "system.notification",
        { kind: "new_inbox_message", content: "x", senderName: "librarian", summary: "look", entryId: "in_1" },
      ],
      ["session.error", { errorType: "context_limit", message: "too large" }],
    ),
  );
  expect(entries.map(({ title, text }) => [title, text])).toEqual([
    ["User (t1)", "hi"],
    ["Recalled: 1 facts", "- it is so (f1)"],
    ["Memory refused", expect.stringContaining("permission denied")],
    ["Conversation Compacted", "threshold, 90 → 10 tokens, checkpoint 2, the ports, m\n\nwe set ports"],
    ["Compaction not applied", "manual: it took too long; history unchanged"],
    ["Hook preToolUse: deny", "hooks.json\n\nnot now"],
    ["Inbox: librarian", "look (in_1)"],
    ["Error", "too large\n\n[context_limit]"],
  ]);
});
