// What holds for every answer of the offline model, whatever the files and the prompt.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ask, assistant, quotesOf, user } from "./offline-fixture.ts";
import { OFFLINE_LINE } from "./wording.ts";

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
      {
        numRuns: 200,
        examples: [
          [{ "test/config.test.ts": "" }, "config where", ""],
          [{ "test/config.test.ts": "one line" }, "config where", ""],
        ],
      },
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
      { numRuns: 100 },
    );
  });

  it("AI10 a file with CR LF is quoted line by line", async () => {
    const text = "/** Reads. */\r\nexport function parseConfig() {\r\n  return 1;\r\n}\r\n";
    const [quote] = quotesOf((await ask("what does parseConfig do?", { files: { "a.ts": text } })).text);
    expect(quote).toEqual({ source: "a.ts:2", quote: "export function parseConfig() {" });
  });
});
