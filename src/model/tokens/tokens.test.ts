// Counting: exact, linear, cached, and not at all while nothing depends on it.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { ContextItem } from "../../schema/context-item.ts";
import { TokenCounter } from "./counter.ts";
import { estimateTokens, upperBound } from "./estimate.ts";
import { countItem, exactly, measure, systemPart, toolPart } from "./measure.ts";
import { slices } from "./slice.ts";
import { loadRanks, NO_RANK } from "./token-table.ts";

const reference = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
const source = readFileSync(new URL("./tokens.test.ts", import.meta.url), "utf8");
const letters = (n: number, make: (i: number) => number): string =>
  Array.from({ length: n }, (_, i) => String.fromCharCode(make(i))).join("");
const hostile: Record<string, (n: number) => string> = {
  "one letter": (n) => "a".repeat(n),
  blanks: (n) => " ".repeat(n),
  base64: (n) => letters(n, (i) => 65 + ((i * 7919 + ((i * i) % 1013)) % 26) + (i % 3 === 0 ? 32 : 0)),
  CJK: (n) => letters(n, (i) => 0x4e00 + ((i * 7919 + ((i * i) % 1013)) % 8000)),
  emoji: (n) => "😀".repeat(n / 2),
};

function user(content: string, index = 0): ContextItem {
  const raw = { role: "user", content };
  return {
    id: String(index),
    role: "user",
    kind: "message",
    isPrompt: true,
    turn: 1,
    toolCallIds: [],
    toolResultFor: [],
    tokens: 0,
    raw,
  };
}
const item = (raw: unknown, kind: ContextItem["kind"] = "message"): ContextItem => ({ ...user(""), kind, raw });

describe("the tokeniser", () => {
  it("A2.19 C11 counts what o200k counts", async () => {
    const counter = new TokenCounter();
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.lorem({ maxCount: 40 }), fc.json());
    await fc.assert(
      fc.asyncProperty(text, async (t) => {
        fc.pre(!/\S{257}|\s{257}/.test(t));
        expect(await counter.count(t)).toBe(reference(t));
      }),
    );
    expect(await counter.count(source)).toBe(reference(source));
  });

  it("C11 finds every token of o200k by its bytes, and nothing else", () => {
    const rankOf = loadRanks();
    for (const [rank, token] of o200k.entries()) {
      const bytes = Buffer.from(token);
      if (rankOf(bytes, 0, bytes.length) !== rank) expect.fail(`token ${rank} was not found`);
    }
    const tokens = new Set(o200k.map((token) => Buffer.from(token).toString("latin1")));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 140 }), (bytes) => {
        fc.pre(!tokens.has(Buffer.from(bytes).toString("latin1")));
        expect(rankOf(bytes, 0, bytes.length)).toBe(NO_RANK);
      }),
    );
  });

  it("C11 slices join to the text, and no stretch and no slice is too long", () => {
    const run = fc.tuple(fc.constantFrom(..."a \n😀漢"), fc.integer({ min: 1, max: 900 })).map(([c, n]) => c.repeat(n));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
        const text = runs.join("");
        const cut = [...slices(text)];
        expect(cut.join("")).toBe(text);
        for (const slice of cut) {
          expect(/\S{257}|\s{257}/.test(slice)).toBe(false);
          expect(slice.isWellFormed()).toBe(true);
        }
      }),
    );
    for (const slice of slices("word ".repeat(200_000))) expect(Buffer.byteLength(slice)).toBeLessThan(256 * 1024);
  });

  it("C11 C154 work grows with the length and no faster, whatever the text", () => {
    for (const make of Object.values(hostile)) {
      const [once, twice] = [[...slices(make(100_000))], [...slices(make(200_000))]];
      expect(twice.length / once.length).toBeLessThan(2.02);
      // Merging costs at most the square of a slice, and hostile slices stay at the length of one stretch.
      expect(Math.max(...once.map((s) => s.length))).toBeLessThanOrEqual(257);
    }
  });

  it("B57 special tokens are plain text, 50,000 equal letters are counted", async () => {
    const counter = new TokenCounter();
    expect(await counter.count("<|endoftext|>")).toBeGreaterThan(1);
    expect(await counter.count("a".repeat(50_000))).toBe(50_000 / 8);
    expect([...slices("a".repeat(50_000))]).toHaveLength(Math.ceil(50_000 / 256));
  });

  it("CB14 empty text, lone surrogates, NUL and U+2028 are counted", async () => {
    const counter = new TokenCounter();
    expect(await counter.count("")).toBe(0);
    for (const text of ["\ud800", "a\udfffb", "\0", "a\u2028b", "\ud83d".repeat(600)]) {
      expect(await counter.count(text)).toBeGreaterThan(0);
    }
  });

  it("C11 other work runs while a large text is counted", async () => {
    const counter = new TokenCounter();
    await counter.load();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 0);
    await counter.count("some words of a large text ".repeat(40_000));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(1);
  });
});

describe("estimates", () => {
  it("C10 the upper bound is never below the count", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 120 }), (t) => upperBound(t) >= reference(t)));
  });

  it("C9 the cheap estimate is near the count on ordinary text", () => {
    const prose = "The window fills, older turns are summarised, and nothing that was said is lost. ".repeat(20);
    const json = JSON.stringify(
      Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field_${i}`, { id: i, name: `n${i}` }])),
    );
    for (const text of [source, prose, json]) {
      expect(estimateTokens(text) / reference(text)).toBeGreaterThan(0.75);
      expect(estimateTokens(text) / reference(text)).toBeLessThan(1.25);
    }
  });
});

describe("counting without waiting", () => {
  it("C10 countNow is the bound before the tokeniser is loaded, exact after", async () => {
    const counter = new TokenCounter();
    expect(counter.countNow("hello world")).toBe(11);
    await counter.load();
    expect(counter.countNow("hello world")).toBe(2);
    expect(counter.countNow("x".repeat(70_000))).toBe(70_000);
  });
});

describe("items", () => {
  const counter = new TokenCounter();
  const png = (width: number, height: number): string => {
    const bytes = Buffer.alloc(3000);
    bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes.toString("base64");
  };
  const anthropicImage = (data: string) =>
    item({ role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }] });

  it("C12 four tokens of overhead for each item, roles and ids free", async () => {
    expect(await countItem(user(""), counter)).toBe(4);
    expect(await countItem(item({ role: "tool", tool_call_id: "call_abcdefghijk", content: "ok" }), counter)).toBe(
      4 + reference("ok"),
    );
    expect(await exactly(systemPart("be brief"), counter)).toBe(4 + reference("be brief"));
  });

  it("C12 images by their size within 85..1600, on every wire", async () => {
    const tokens = Math.ceil((900 * 600) / 750);
    const url = `data:image/png;base64,${png(900, 600)}`;
    const inGemini = { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: png(900, 600) } }] };
    expect(await countItem(anthropicImage(png(900, 600)), counter)).toBe(4 + tokens);
    expect(await countItem(item({ role: "user", content: [{ type: "image_url", image_url: { url } }] }), counter)).toBe(
      4 + tokens,
    );
    expect(
      await countItem(
        item({ type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: url }] }),
        counter,
      ),
    ).toBe(4 + tokens);
    expect(await countItem(item(inGemini), counter)).toBe(4 + tokens);
    expect(await countItem(anthropicImage(png(4, 4)), counter)).toBe(4 + 85);
    expect(await countItem(anthropicImage(png(9000, 9000)), counter)).toBe(4 + 1600);
  });

  it("C12 unreadable and remote images 1600, a PDF 2000 a page, blobs bytes/4", async () => {
    expect(await countItem(anthropicImage("AAAA"), counter)).toBe(4 + 1600);
    const remote = { role: "user", content: [{ type: "image_url", image_url: { url: "https://h/i.png" } }] };
    expect(await countItem(item(remote), counter)).toBe(4 + 1600);
    const pdf = Buffer.from("%PDF-1.4 /Type /Pages /Type /Page /Type/Page x").toString("base64");
    const document = {
      role: "user",
      content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } }],
    };
    expect(await countItem(item(document), counter)).toBe(4 + 4000);
    expect(
      await countItem(
        item({ type: "reasoning", summary: [], encrypted_content: "x".repeat(400) }, "reasoning"),
        counter,
      ),
    ).toBe(4 + 100);
    expect(await countItem(item({ type: "novel", data: "y".repeat(100) }, "opaque"), counter)).toBe(
      4 + Math.ceil(127 / 4),
    );
  });

  it("C12 our own attachments count by what was noted about them, never as text", async () => {
    const attachments = [{ kind: "image", path: "/tmp/a-long-path-that-is-not-sent.png", width: 900, height: 600 }];
    expect(await countItem(item({ role: "user", content: "", attachments }), counter)).toBe(4 + 720);
    const [file] = [{ kind: "document", path: "x.pdf", pages: 3 }];
    expect(await countItem(item({ role: "user", content: "", attachments: [file] }), counter)).toBe(4 + 6000);
  });

  it("C12 a call counts its name and arguments, whether text or object", async () => {
    const chat = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "view", arguments: '{"path":"a.ts"}' } }],
    };
    const own = {
      role: "assistant",
      content: "",
      toolRequests: [{ toolCallId: "c1", name: "view", arguments: { path: "a.ts" } }],
    };
    expect(await countItem(item(chat), counter)).toBe(4 + reference('view\n{"path":"a.ts"}'));
    expect(await countItem(item(own), counter)).toBe(4 + reference('\nview\n{"path":"a.ts"}'));
  });

  it("C9 tool definitions count as the JSON that is sent", async () => {
    const tool = { name: "view", description: "Shows a file.", parameters: { type: "object" } };
    expect(await exactly(toolPart(tool), counter)).toBe(4 + reference(JSON.stringify(tool)));
  });
});

describe("a request", () => {
  const request = (items: ContextItem[], limit = 1000) => ({
    system: "You help.",
    tools: [{ name: "view" }],
    items,
    limit,
  });

  it("C10 far below the limit the tokeniser is not loaded, above half of it counts are exact", async () => {
    const counter = new TokenCounter();
    const small = await measure(request([user("hello")], 100_000), counter);
    expect(small.exact).toBe(false);
    expect(counter.loaded).toBe(false);
    const near = await measure(request([user("hello there ".repeat(60))]), counter);
    expect(near.exact).toBe(true);
    expect(near.conversationTokens).toBe(4 + reference("hello there ".repeat(60)));
  });

  it("C10 C149 at 10,000 messages, adding one tokenises only what is new", async () => {
    const counter = new TokenCounter();
    const items = Array.from({ length: 10_000 }, (_, i) =>
      user(`message ${i} says something about file-${i % 97}.ts`, i),
    );
    await measure(request(items), counter);
    const before = counter.tokenisedChars;
    const added = user("One more message, which nobody has seen before, of an ordinary length.");
    const measured = await measure(request([...items, added]), counter);
    expect(counter.tokenisedChars - before).toBeLessThanOrEqual(1.05 * 70);
    expect(measured.itemTokens).toHaveLength(10_001);
    // Read back from JSON the objects are new, but their content is not.
    await measure(request(structuredClone(items)), counter);
    expect(counter.tokenisedChars - before).toBeLessThanOrEqual(1.05 * 70);
  });

  it("CI12 cached = fresh, parts add up, appending never lowers a count", async () => {
    const warm = new TokenCounter();
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, async (contents) => {
        const items = contents.map(user);
        let last = 0;
        for (let n = 1; n <= items.length; n++) {
          const now = await measure({ ...request(items.slice(0, n)), exactFrom: 0 }, warm);
          const fresh = await measure(
            { ...request(structuredClone(items.slice(0, n))), exactFrom: 0 },
            new TokenCounter(),
          );
          expect(now).toEqual(fresh);
          expect(now.conversationTokens).toBe(now.itemTokens.reduce((a, b) => a + b, 0));
          expect(now.conversationTokens).toBeGreaterThan(last);
          last = now.conversationTokens;
        }
      }),
      { numRuns: 40 },
    );
  });

  it("C9 system items of a wire count as system, not as conversation", async () => {
    const system = { ...user("obey"), role: "system" as const };
    const measured = await measure({ ...request([system, user("hi")]), exactFrom: 0 }, new TokenCounter());
    expect(measured.systemTokens).toBe(8 + reference("You help.") + reference("obey"));
    expect(measured.conversationTokens).toBe(4 + reference("hi"));
  });

  it("C10 an aborted count gives estimates at once", async () => {
    const counter = new TokenCounter();
    const measured = await measure({ ...request([user("x ".repeat(9000))]), signal: AbortSignal.abort() }, counter);
    expect(measured.exact).toBe(false);
    expect(counter.tokenisedChars).toBe(0);
  });
});
