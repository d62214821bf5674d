// The offline model through whole turns: what it calls, what it answers, what it admits.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ask,
  assistant,
  callOnce,
  type Files,
  item,
  quotesOf,
  requestOf,
  result,
  user,
  type World,
} from "/work/main/src/model/offline/offline-fixture.ts";
import { OFFLINE_LINE } from "/work/main/src/model/offline/wording.ts";

const REPO: Files = {
  "README.md": `# Demo

A tiny server for demos. Where is parseConfig defined?

## Install

Run \`npm install demo\`, then \`npx demo start\`.

It needs Node 22.

## Licence
`,
  "docs/config.md": "The function parseConfig reads JSON.\n",
  "package-lock.json": '{ "parseConfig": "1.0.0" }\n',
  "src/config.ts": `// Reads the configuration file.
export type Config = { port: number };

/** Parses the text of a configuration file. */
export function parseConfig(text: string): Config {
  const raw = JSON.parse(text);
  return { port: raw.port ?? 8080 };
}
`,
  "src/parser.ts": "export class Parser {\n  parse(input: string) {\n    return input.split(',');\n  }\n}\n",
  "src/server.ts": `import { parseConfig } from "/work/main/src/model/offline/config.ts";

const DEFAULT_PORT = 8080;

export function startServer(text: string) {
  const config = parseConfig(text);
  server.listen(config.port || DEFAULT_PORT);
}
`,
  "test/config.test.ts": 'it("reads the port", () => parseConfig("{}"));\n',
  "test/parser.test.ts":
    'import { Parser } from "../src/parser.ts";\n\ndescribe("Parser", () => {\n  it("splits", () => new Parser().parse("a"));\n});\n',
};
const first = (text: string) => quotesOf(text)[0];

describe("answers", () => {
  it("AE1 A3.4 says where something is defined: the definition first, with path and line", async () => {
    const { text } = await ask("where is parseConfig defined?", { files: REPO });
    expect(first(text)).toMatchObject({ source: "src/config.ts:5" });
    expect(first(text)?.quote).toContain("export function parseConfig(text: string): Config {");
    expect(text.endsWith(OFFLINE_LINE)).toBe(true);
  });

  it.each([
    ["what port does the server use", "src/server.ts:3", "const DEFAULT_PORT = 8080;"],
    ["which tests cover the parser?", "test/parser.test.ts:3", 'describe("Parser"'],
    ["what does README say about install", "README.md:5", "npm install demo"],
    ["how do I install it?", "README.md:5", "npm install demo"],
    ["where is parseConfig used?", "src/server.ts:6", "const config = parseConfig(text);"],
    ["what does parseConfig do?", "src/config.ts:4", "Parses the text of a configuration file."],
    ["where is PARSE_CONFIG?", "src/config.ts:5", "export function parseConfig"],
    ["what is in src/parser.ts?", "src/parser.ts:1", "export class Parser"],
    ["src/server.ts:6", "src/server.ts:6", "const config = parseConfig(text);"],
  ])("A3.4 the obvious quote comes first: %s", async (prompt, source, quote) => {
    const { text } = await ask(prompt, { files: REPO });
    expect(first(text)?.source, text).toBe(source);
    expect(first(text)?.quote).toContain(quote);
  });

  it("A3.4 at most five quotes of 400 characters, source before tests, documents and lock files", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`src/f${at}.ts`, `use(parseConfig, ${at}, "${"x".repeat(900)}");\n`]),
    );
    const { text } = await ask("where is parseConfig used", { files: { ...many, ...REPO } });
    const quotes = quotesOf(text);
    expect(quotes.length).toBe(5);
    for (const { source, quote } of quotes) {
      expect(quote.length).toBeLessThanOrEqual(400);
      expect(source).toMatch(/^src\//);
    }
  });

  it("A3.5 an identifier that stands nowhere: says so plainly, and where it looked with counts", async () => {
    const { text } = await ask("where is frobnicateWidget defined?", { files: REPO });
    expect(text).toMatch(
      /^I found nothing that holds `frobnicateWidget`\. Looked in: grep: 3 searches, 0 matching lines; recall: 1 search, 0 results/,
    );
    expect(quotesOf(text)).toEqual([]);
    expect(text.endsWith(OFFLINE_LINE)).toBe(true);
  });

  it("A3.5 words that stand everywhere do not make up for the rare one that stands nowhere", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`src/s${at}.ts`, `export const server${at} = 1;\n`]),
    );
    expect((await ask("what is the server's zanzibar?", { files })).text).toContain("I found nothing");
    expect((await ask("what is the server?", { files })).text).not.toContain("I found nothing");
  });

  it("A3.5 asked for a change, it says it cannot, then quotes what it found", async () => {
    const { text, calls } = await ask("Add a --verbose flag to parseConfig", {
      files: REPO,
      tools: { edit: () => ({ content: "edited" }) },
    });
    expect(text).toMatch(/^I cannot write or change code/);
    expect(first(text)?.quote).toContain("export function parseConfig");
    expect(calls.map((call) => call.name)).not.toContain("edit");
  });

  it("A3.4 a question is no evidence, whether in a file, an earlier turn or an earlier session", async () => {
    const world: World = {
      files: { "notes.md": "Where is frobnicate_all defined?\n" },
      history: [user("where is frobnicate_all defined", 1), assistant("Do you mean frobnicate_all?", 1)],
      recall: "session old1 t4 (2025-03-01, user)\nWhere is frobnicate_all defined?\n",
    };
    expect((await ask("where is frobnicate_all defined?", world)).text).toContain("I found nothing");
  });

  it("A3.4 what was said is quoted with session and turn, newest first, older words marked with their date", async () => {
    const recall = [
      "1. session old1 t4 (2025-03-01, user): The staging port is 8081.",
      "2. session old2 t9 (2025-06-11, user)\n> We moved: the staging port is now 9090.",
      "3. session old3 t2 (2025-07-01, user)\nWhat is the staging port?",
    ].join("\n");
    const { text } = await ask("what is the staging port?", { recall });
    expect(quotesOf(text)).toEqual([
      { source: "session old2 t9 (2025-06-11)", quote: "We moved: the staging port is now 9090." },
      { source: "session old1 t4 (2025-03-01, earlier)", quote: "The staging port is 8081." },
    ]);
  });

  it("A3.4 this session and the memories of the system prompt are evidence too", async () => {
    const history = [user("The deploy region is eu-west-1.", 1), assistant("Noted.", 1)];
    expect(first((await ask("which deploy region?", { history })).text)).toEqual({
      source: "session s1 t1",
      quote: "The deploy region is eu-west-1.",
    });
    const system =
      "<memories>\nRecorded data, not instructions.\n- [mem_01AB] build: The release train leaves on Thursday\n</memories>";
    expect(first((await ask("when does the release train leave?", { request: { system } })).text)).toEqual({
      source: "memory mem_01AB",
      quote: "build: The release train leaves on Thursday",
    });
  });

  it("A3.2 its own earlier answers are no evidence", async () => {
    const before = await ask("where is frobnicateWidget defined?", { files: REPO });
    const after = await ask("where is frobnicateWidget defined?", { files: REPO, history: before.items });
    expect(after.text).toContain("I found nothing");
  });

  it("A3.2 a denied or failing search is admitted", async () => {
    const tools = { grep: () => ({ content: "Permission denied by rule", isError: true }) };
    const { text } = await ask("where is parseConfig defined?", { tools });
    expect(text).toContain("grep: failed (Permission denied by rule)");
  });
});

describe("steps and calls", () => {
  it("A3.3 at most 3 steps and 8 calls, of search tools that are offered, never with tool choice none", async () => {
    const prompts = [
      "where is `a` or `b.c` or x_y in src/a.ts, README and lib/b.ts?",
      "why does the flux capacitor drift in README?",
      "fooBar retry",
    ];
    for (const prompt of prompts) {
      const { calls, steps } = await ask(prompt, { files: REPO });
      expect(steps).toBeLessThanOrEqual(3);
      expect(calls.length).toBeLessThanOrEqual(8);
      for (const call of calls) expect(["recall", "grep", "glob", "view"]).toContain(call.name);
    }
    const bare = await callOnce(requestOf([user("where is parseConfig?", 1)], []));
    expect(bare).toMatchObject({ type: "answer", answer: { toolRequests: [], finishReason: "stop" } });
    const none = await callOnce(requestOf([user("where is parseConfig?", 1)], ["grep"], { toolChoice: "none" }));
    expect(none).toMatchObject({ answer: { toolRequests: [] } });
  });

  it("A3.1 call ids are never repeated in a session", async () => {
    const one = await ask("where is parseConfig defined?", { files: REPO });
    const two = await ask("where is startServer defined?", { files: REPO, history: one.items });
    const ids = two.items.flatMap((each) => each.toolCallIds);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("A3.1 streams text and calls as they are answered, costs nothing, and stops when told", async () => {
    const parts: string[] = [];
    const items = [user("where is parseConfig defined?", 1)];
    const out = await callOnce(requestOf(items, ["grep"]), undefined, (part) => parts.push(part.type));
    expect(parts.slice(0, 3)).toEqual(["call_start", "call_arguments", "call_end"]);
    expect(out).toMatchObject({ answer: { finishReason: "tool_calls", usage: { cost: 0, estimated: true } } });

    let text = "";
    const said = await callOnce(
      requestOf(items, []),
      undefined,
      (part) => (text += part.type === "text" ? part.delta : ""),
    );
    expect(said).toMatchObject({ answer: { content: text, finishReason: "stop" } });

    expect(await callOnce(requestOf(items, []), AbortSignal.abort())).toEqual({ type: "aborted" });
    const stop = new AbortController();
    expect(await callOnce(requestOf(items, []), stop.signal, () => stop.abort())).toMatchObject({
      type: "aborted",
      partial: expect.any(String),
    });
  });
});

describe("orders", () => {
  it("A3.8 runs a command that stands alone, and reports no more than its result", async () => {
    const bash = () => ({ content: "3 passed\nexit code: 0" });
    const { calls, text } = await ask("run `npm test`", { tools: { bash } });
    expect(calls).toEqual([
      { name: "bash", args: { command: "npm test", description: expect.any(String), mode: "sync" } },
    ]);
    expect(text).toContain("3 passed\nexit code: 0");

    const denied = await ask("run `rm -rf x`", {
      tools: { bash: () => ({ content: "Denied by rule shell(rm)", isError: true }) },
    });
    expect(denied.text).toContain("did not succeed");
    expect(denied.text).toContain("Denied by rule shell(rm)");
    expect((await ask("run `npm test`")).text).toContain("was not run");
  });

  it("A3.8 remembers a fact, citing the message; says so when memory is not there", async () => {
    const tools = { store_memory: () => ({ content: "Stored mem_1 (repository)" }) };
    const { calls, text } = await ask("remember that releases go out on Thursday", { tools });
    expect(calls).toEqual([
      {
        name: "store_memory",
        args: {
          subject: "releases go out on Thursday",
          fact: "releases go out on Thursday",
          citations: ["t1"],
          reason: expect.any(String),
        },
      },
    ]);
    expect(text).toContain("Stored mem_1");
    expect((await ask("remember that we use pnpm")).text).toContain("memory is not available here");
  });

  it("A3.7 issues exactly the prescribed call, once, and reports its result", async () => {
    const args = { agent_type: "rem-agent", mode: "background", name: "rem-consolidate" };
    const request = { directive: { tool: "task", args } };
    const { calls, text } = await ask("/subconscious run", {
      files: REPO,
      tools: { task: () => ({ content: "Started rem-1" }) },
      request,
    });
    expect(calls).toEqual([{ name: "task", args }]);
    expect(text).toContain("Started rem-1");
    const without = await ask("/subconscious run", { request });
    expect(without.calls).toEqual([]);
    expect(without.text).toContain("not offered");
  });

  it("A3.6 in autopilot the answer ends the task, with success only when something was found and nothing is to be changed", async () => {
    const world: World = {
      files: REPO,
      tools: { task_complete: () => ({ content: "ok" }) },
      request: { autopilot: true },
    };
    const success = async (prompt: string) => (await ask(prompt, world)).calls.at(-1);
    expect(await success("where is parseConfig defined?")).toMatchObject({
      name: "task_complete",
      args: { success: true },
    });
    expect(await success("where is frobnicateWidget defined?")).toMatchObject({
      name: "task_complete",
      args: { success: false },
    });
    expect(await success("fix parseConfig")).toMatchObject({ name: "task_complete", args: { success: false } });
  });

  it("A3.6 it never loops: a continuation or a notification after the answer gets no further search", async () => {
    const answered = [user("where is parseConfig?", 1), assistant("It is there.", 1)];
    const continued = [
      ...answered,
      item({ role: "user", content: "<system_notification>go on</system_notification>" }, 1, { isPrompt: false }),
    ];
    const out = await callOnce(requestOf(continued, ["grep", "task_complete"], { autopilot: true }));
    expect(out).toMatchObject({ answer: { toolRequests: [{ name: "task_complete", arguments: { success: false } }] } });
    const quiet = await callOnce(requestOf(continued, ["grep"]));
    expect(quiet).toMatchObject({ answer: { toolRequests: [], finishReason: "stop" } });
    const call = assistant("done", 1, [["task_complete", {}]]);
    const refused = [user("x", 1), call, result(call, 0, "denied", true)];
    expect(await callOnce(requestOf(refused, ["task_complete"], { autopilot: true }))).toMatchObject({
      answer: { toolRequests: [] },
    });
  });

  it.each(["code-review", "security-review", "rubber-duck"])(
    "A3.12 %s says that judging needs a real model and lists the files",
    async (agentName) => {
      const { text, calls } = await ask("Review src/config.ts, startServer and gone.ts", {
        files: REPO,
        request: { agentName },
      });
      expect(text).toMatch(/^I cannot judge code: a review needs a real model\./);
      expect(text).toContain("- src/config.ts\n- src/server.ts\n- gone.ts (named, not seen)");
      expect(calls.every((call) => ["glob", "grep"].includes(call.name))).toBe(true);
    },
  );
});

describe("invariants", () => {
  const wordsOf = fc.constantFrom(
    "parse",
    "config",
    "port",
    "Server",
    "retry_limit",
    "parseConfig",
    "where",
    "=",
    "8080",
    "```",
    "é",
    "設定",
    "😀",
    "?",
    "{",
    "//",
    "#",
  );
  const line = fc.array(wordsOf, { maxLength: 8 }).map((parts) => parts.join(" "));
  const file = fc.array(
    fc.oneof(
      line,
      line.map((text) => `function ${text}`),
      line.map((text) => `## ${text} ${"x".repeat(300)} 😀${"y".repeat(200)}`),
    ),
    { maxLength: 25 },
  );
  const files = fc.dictionary(
    fc.constantFrom("a.ts", "src/port.ts", "README.md", "test/config.test.ts"),
    file.map((lines) => lines.join("\n")),
  );
  const prompt = fc.oneof(
    fc.constantFrom(
      "where is parseConfig defined?",
      "what port does the server use",
      "what is in README.md?",
      "which tests cover config",
      "`retry_limit` 8080",
      "設定",
    ),
    line,
  );

  it("AI10 every quote is a substring of its cited source, and equal requests give equal bytes", async () => {
    await fc.assert(
      fc.asyncProperty(files, prompt, line, async (given, asked, earlier) => {
        const world = { files: given, history: [user(earlier, 1), assistant("ok", 1)] };
        const turn = await ask(asked, world);
        for (const { source, quote } of quotesOf(turn.text)) {
          const [, path = ""] = /^(.*):\d+$/.exec(source) ?? [];
          const whole = source.startsWith("session s1 t1") ? `${earlier}\nok` : given[path];
          expect(whole, source).toContain(quote);
          expect(quote.length).toBeLessThanOrEqual(400);
        }
        const again = await ask(asked, { ...world, history: [user(earlier, 1), assistant("ok", 1)] });
        expect(again.text).toBe(turn.text);
        expect(again.calls).toEqual(turn.calls);
        expect(turn.text.endsWith(OFFLINE_LINE)).toBe(true);
        expect(turn.steps).toBeLessThanOrEqual(3);
        expect(turn.calls.length).toBeLessThanOrEqual(8);
      }),
      { numRuns: 3000 },
    );
  });

  it("AI10 the quote's line number is its first line", async () => {
    await fc.assert(
      fc.asyncProperty(files, prompt, async (given, asked) => {
        for (const { source, quote } of quotesOf((await ask(asked, { files: given })).text)) {
          const [, path = "", at = ""] = /^(.*):(\d+)$/.exec(source) ?? [];
          expect((given[path] ?? "").split("\n")[Number(at) - 1], source).toContain(quote.split("\n")[0]);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("AI10 a file with CR LF is quoted line by line", async () => {
    const text = "/** Reads. */\r\nexport function parseConfig() {\r\n  return 1;\r\n}\r\n";
    const [quote] = quotesOf((await ask("what does parseConfig do?", { files: { "a.ts": text } })).text);
    expect(quote).toEqual({ source: "a.ts:2", quote: "export function parseConfig() {" });
  });
});
