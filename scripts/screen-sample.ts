// A short session with every kind of block, drawn as the terminal would: what `screens.mjs sample` makes a picture of.
import type { TranscriptBlock } from "../src/runtime/client/transcript.ts";
import { renderBlock, spaceAbove } from "../src/tui/block/render.ts";
import { loadHighlighter } from "../src/tui/markdown/highlight.ts";
import { lookOf } from "../src/tui/theme/look.ts";
import { themes } from "../src/tui/theme/theme.ts";

const begun = { id: "e", at: "2026-11-17T12:00:00.000Z" };
const call = { ...begun, kind: "tool", toolCallId: "c", files: [], lines: 3 } as const;

const ANSWER = `# Result
The port is set in **src/main.js**, and read once at start; see [the manual](https://example.org/port).

\`\`\`js
// The environment wins over the file.
const port = Number(process.env.PORT ?? config.port ?? 8080);
server.listen(port, () => console.log(\`listening on \${port}\`));
\`\`\`

| name | value | where it comes from |
|------|------:|---------------------|
| port | 8080  | \`src/main.js:12\` |
| host | localhost | the default of the library, since nothing sets it |

- the test fails because the port is *taken*, not because it is wrong
- second point with a rather long line that has to wrap somewhere near the right edge of the window
  1. free it with \`lsof -i :8080\`
  2. or set \`PORT\`
- [x] checked on main

> Changing the default would break the deploy script.`;

const DIFF = `--- src/main.js
+++ src/main.js
@@ -10,5 +10,6 @@
 import { config } from "./config.js";
 
-const port = config.port || 8080;
+const port = Number(process.env.PORT ?? config.port ?? 8080);
+if (!Number.isInteger(port)) throw new Error("PORT must be a number");
 
 server.listen(port);`;

const talk: TranscriptBlock[] = [
  {
    ...begun,
    kind: "user",
    text: "where is the port set, and why does the test fail?",
    source: "user",
    attachments: [],
  },
  {
    ...begun,
    kind: "recall",
    state: "recalled",
    scopes: [
      { scope: "pins", count: 1 },
      { scope: "facts", count: 3 },
    ],
    items: [],
    durationMs: 41,
    isPartial: false,
  },
  { ...begun, kind: "reasoning", messageId: "m", state: "complete", text: "one\ntwo\nthree" },
  {
    ...call,
    tool: "grep",
    args: { pattern: "port", glob: "*.js" },
    state: "success",
    output: "src/main.js:12\nsrc/config.js:3",
    durationMs: 80,
  },
  {
    ...call,
    tool: "bash",
    args: { command: "npm test -- server" },
    state: "success",
    durationMs: 12_300,
    output: `${Array.from({ length: 28 }, (_, i) => `  ✓ case ${i + 1}`).join("\n")}\n  ✗ listens on the configured port\n    Error: listen EADDRINUSE: address already in use :::8080\n[exit code 1, 12.3 s]`,
  },
  { ...begun, kind: "assistant", messageId: "m", state: "complete", text: ANSWER },
  {
    ...call,
    tool: "edit",
    args: { path: "src/main.js" },
    state: "success",
    output: DIFF,
    durationMs: 30,
    files: [{ path: "src/main.js", operation: "edit", added: 2, removed: 1 }],
  },
  {
    ...begun,
    kind: "tool",
    toolCallId: "r",
    tool: "bash",
    args: { command: "npm run build" },
    state: "running",
    tail: "vite v8 building\n312 modules transformed",
  },
];

const quiet: TranscriptBlock[] = [
  {
    ...begun,
    kind: "compaction",
    state: "applied",
    trigger: "threshold",
    model: "anthropic/claude-sonnet-5",
    before: { tokens: 103_000, messages: 84 },
    after: { tokens: 12_400, messages: 9 },
    checkpoint: 3,
    title: "Port and tests",
    durationMs: 8200,
  },
  {
    ...begun,
    kind: "compaction",
    state: "failed",
    trigger: "manual",
    model: "m",
    reason: "the model failed: 529 overloaded",
  },
  { ...begun, kind: "truncation", tokens: 9100, messages: 12, by: "BasicTruncator" },
  {
    ...begun,
    kind: "memory",
    action: "stored",
    subject: "test port",
    scope: "repository",
    detail: "Stored as mem_4f2 (scope repository). 1 secret was redacted.",
  },
  {
    ...begun,
    kind: "memory",
    action: "refused",
    subject: "deploy key",
    detail: "Without the credential nothing is left to remember.",
    code: "memory_secret",
  },
  {
    ...begun,
    kind: "board",
    action: "added",
    name: "ports",
    description: "which ports the services use",
    agent: "rem-consolidate",
  },
  {
    ...begun,
    kind: "inbox",
    sender: "librarian",
    summary: "an earlier session changed the port for the same reason",
    entryId: "in_7",
  },
  {
    ...begun,
    kind: "task",
    state: "started",
    name: "explore the deploy script",
    agentType: "explore",
    model: "openai/gpt-6-mini",
  },
  {
    ...begun,
    kind: "task",
    state: "completed",
    name: "explore the deploy script",
    agentType: "explore",
    model: "openai/gpt-6-mini",
    turns: 3,
    toolCalls: 11,
    tokens: 18_200,
    cost: 0.0121,
    durationMs: 41_000,
  },
  { ...begun, kind: "model", before: "opus", now: "sonnet", why: "the cost guard", agent: "review" },
  { ...begun, kind: "hook", name: "hooks.json", event: "preToolUse", decision: "deny", reason: "no pushes on Friday" },
  { ...begun, kind: "retry", reason: "The provider is overloaded (529).", attempt: 2, delayMs: 8000, discards: true },
  { ...begun, kind: "mode", before: "interactive", now: "plan" },
  {
    ...begun,
    kind: "permission",
    result: "denied",
    request: { kind: "shell", command: "git push --force" },
    rule: "shell(git push:*)",
    reason: "A rule in .everlong/settings.json denies it.",
  },
  { ...begun, kind: "promotion", state: "promoted", text: "preference: tabs over spaces, for this workspace" },
  { ...begun, kind: "checkpoint", events: 9, restored: ["src/main.js"], skipped: [] },
  {
    ...begun,
    kind: "notice",
    level: "warning",
    about: "mcp",
    text: "The server tickets does not answer; its tools are left out.",
  },
  {
    ...begun,
    kind: "error",
    text: "The provider at api.openai.com refused the key in OPENAI_API_KEY (401). Your prompt and session are saved.",
    hint: "Set a valid key, then: everlong --resume 7f3a",
    code: "provider_auth",
  },
  {
    ...begun,
    kind: "shell",
    command: "git status --short",
    output: " M src/main.js\n[exit code 0, 0.1 s]",
    success: true,
    isShared: true,
  },
  { ...begun, kind: "interrupted", reason: "user" },
  { ...begun, kind: "event", type: "session.levitated", data: {} },
];

type Sample = { width: number; theme: string; isAscii: boolean; part: string };

export async function sampleScreen({ width, theme, isAscii, part }: Sample): Promise<string[]> {
  const highlight = await loadHighlighter();
  const name = theme in themes ? (theme as keyof typeof themes) : "dark";
  const look = lookOf({ theme: themes[name], isAscii, highlight, now: Date.parse(begun.at) + 4000 });
  const blocks = part === "quiet" ? quiet : talk;
  return blocks.flatMap((block, at) => [
    ...Array(spaceAbove(blocks[at - 1], block)).fill(""),
    ...renderBlock(block, width, look),
  ]);
}
