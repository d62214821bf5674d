// Shortening: where a text is cut, what its marker says, and that an item comes down to its size on every wire.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countItem } from "../../model/tokens/measure.ts";
import { anthropicHistory as anthropic } from "../../model/wire/anthropic/history.ts";
import { geminiHistory as gemini } from "../../model/wire/gemini/history.ts";
import { openaiChatHistory as openaiChat } from "../../model/wire/openai-chat/history.ts";
import { openaiResponsesHistory as openaiResponses } from "../../model/wire/openai-responses/history.ts";
import { ownRules } from "../../model/wire/own.ts";
import { toItems } from "../../model/wire/own-fixture.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { isShortenable, shortenItem } from "./shorten-item.ts";
import { shortenText } from "./shorten-text.ts";
import { inputOf, prompt, sized, sizeOf, step, textOf } from "./truncate-fixture.ts";
import { markerOf, noticeText } from "./words.ts";

const marker = (omitted: number): string => `<${omitted}>`;
const parts = (short: string) => {
  const [, head = "", omitted = "", tail = ""] = /^(.*)<(\d+)>(.*)$/s.exec(short) ?? [];
  return { head, omitted: Number(omitted), tail };
};

describe("text", () => {
  it("C42 keeps 60 % head and 40 % tail, and says how much is missing", () => {
    const text = "x".repeat(10_000);
    const { head, omitted, tail } = parts(shortenText(text, 1_007, marker));
    expect([head.length, omitted, tail.length]).toEqual([600, 9_000, 400]);
  });

  it("C42 cuts at a line end when one is within 200 characters, else where it stands", () => {
    const lines = Array.from({ length: 200 }, (_, i) => `line ${i} `.padEnd(99, "y")).join("\n");
    const near = parts(shortenText(lines, 2_000, marker));
    expect(near.head.endsWith("\n")).toBe(true);
    expect(near.tail).toMatch(/^line \d+ /);
    expect(near.head.length).toBeGreaterThan(0.6 * 2_000 - 210);
    const far = parts(shortenText(`a\n${"z".repeat(5_000)}\nb`, 1_006, marker));
    expect([far.head.length, far.tail.length]).toEqual([600, 400]);
  });

  it("C42 never cuts inside a character or surrogate pair, never grows, and head and tail are the text's own", () => {
    const unit = fc.constantFrom("a", "é", "e\u0301", "😀", "👩‍👩‍👧", "漢", "\r\n", "\n", " ", "🇩🇪");
    const segments = new Intl.Segmenter("en", { granularity: "grapheme" });
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 400 }), fc.nat({ max: 300 }), (units, chars) => {
        const text = units.join("");
        const short = shortenText(text, chars, marker);
        if (short === text) return;
        expect(short.length).toBeLessThan(text.length);
        const { head, omitted, tail } = parts(short);
        expect(head.length + omitted + tail.length).toBe(text.length);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        const starts = new Set([text.length, ...Array.from(segments.segment(text), ({ index }) => index)]);
        expect(starts.has(head.length) && starts.has(text.length - tail.length)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("C42 CB14 a text of lone surrogates or one endless character is cut all the same, no pair is split", () => {
    for (const text of ["\ud800".repeat(2_000), `e${"\u0301".repeat(2_000)}`, "\0\u2028".repeat(1_000)]) {
      expect(shortenText(text, 500, marker).length).toBeLessThanOrEqual(500);
    }
    expect(shortenText("😀".repeat(2_000), 501, marker).isWellFormed()).toBe(true);
  });
});

describe("words", () => {
  const [item] = toItems([prompt("x")]) as [ContextItem];
  const originals = { refOf: () => "t3.2", place: "the session log", recallOn: true };

  it("C43 C117 the marker names the characters, the ref, the place and the call; without recall only the place", () => {
    const text = markerOf(item, originals)(1_234);
    expect(text).toMatch(/1234 characters/);
    expect(text).toContain('t3.2 in the session log; call recall with id "t3.2"');
    const off = markerOf(item, { ...originals, recallOn: false })(1_234);
    expect(off).toContain("the session log");
    expect(off).not.toContain("recall");
  });

  it("C45 the notice says how many messages, which turns and how to recall them, in at most 120 tokens", async () => {
    const omitted = Array.from({ length: 123_456 }, (_, i) => ({ ...item, turn: 10_000 + i }));
    const text = noticeText(omitted, originals);
    expect(text).toContain("123456 earlier messages of t10000-t133455");
    expect(text).toContain('recall with id "t10000-t133455"');
    expect(await countItem({ ...item, raw: prompt(text) })).toBeLessThanOrEqual(120);
    expect(noticeText(omitted.slice(0, 1), originals)).toContain("of t10000 are");
    expect(noticeText(omitted, { ...originals, recallOn: false })).not.toContain("recall");
  });
});

describe("item", () => {
  const long = textOf(3_000);
  const seen = <Raw>([item]: ContextItem<Raw>[], at = 0): ContextItem<Raw> => sized([item!])[at]!;
  const cases: [string, ContextItem, Parameters<typeof inputOf>[1]][] = [
    ["own prompt", seen(toItems([prompt(long)])), ownRules as never],
    ["own result", seen(toItems(step("a", long).slice(1))), ownRules as never],
    ["chat text", seen(openaiChat.toItems({ messages: [{ role: "user", content: long }] })), openaiChat],
    [
      "chat parts",
      seen(
        openaiChat.toItems({
          messages: [{ role: "tool", tool_call_id: "a", content: [{ type: "text", text: long }] }],
        }),
      ),
      openaiChat,
    ],
    [
      "responses output",
      seen(openaiResponses.toItems({ input: [{ type: "function_call_output", call_id: "a", output: long }] })),
      openaiResponses,
    ],
    [
      "responses shell output",
      seen(
        openaiResponses.toItems({
          input: [{ type: "shell_call_output", call_id: "a", output: [{ stdout: long, stderr: "", outcome: {} }] }],
        }),
      ),
      openaiResponses,
    ],
    [
      "anthropic results",
      seen(
        anthropic.toItems({
          messages: [
            {
              role: "user",
              content: [
                { type: "tool_result", tool_use_id: "a", content: long },
                { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "short" }] },
              ],
            },
          ],
        }),
      ),
      anthropic,
    ],
    [
      "anthropic document",
      seen(
        anthropic.toItems({
          messages: [
            {
              role: "user",
              content: [{ type: "document", source: { type: "text", media_type: "text/plain", data: long } }],
            },
          ],
        }),
      ),
      anthropic,
    ],
    [
      "gemini response of many fields",
      seen(
        gemini.toItems({
          contents: [
            {
              role: "user",
              parts: [{ functionResponse: { name: "f", response: { rows: long.split("\n"), ok: true } } }],
            },
          ],
        }),
      ),
      gemini,
    ],
  ];

  it.each(cases)("C36 C42 %s comes down to its size in a new raw object, with a marker", async (_, item, rules) => {
    const before = JSON.stringify(item.raw);
    const short = await shortenItem(item, 800, inputOf([], rules));
    expect(short?.tokens).toBeLessThanOrEqual(800);
    expect(short?.tokens).toBeGreaterThan(500);
    expect(short?.tokens).toBe(sizeOf(short!));
    const after = JSON.stringify(short?.raw);
    expect(after).toContain("characters left out here");
    expect(after).toContain(`t${item.turn}.${item.id}`);
    expect(JSON.stringify(item.raw)).toBe(before);
    expect(short?.toolResultFor).toEqual(item.toolResultFor);
  });

  it("C42 short texts of an item stay whole, the long ones share the rest", async () => {
    const [, item] = cases.find(([name]) => name === "anthropic results")!;
    const short = await shortenItem(item, 800, inputOf([], anthropic));
    const raw = short?.raw as { content: unknown[] };
    expect(raw.content[1]).toBe((item.raw as { content: unknown[] }).content[1]);
  });

  it("C12 C44 images stay as they are, also when an item cannot reach its size for them", async () => {
    const image = { type: "image_url", image_url: { url: "https://x/y.png" } };
    const content = [{ type: "text", text: textOf(400) }, image];
    const item = seen(openaiChat.toItems({ messages: [{ role: "user", content }] }));
    const short = await shortenItem(item, 300, inputOf([], openaiChat));
    expect(short?.tokens).toBeLessThan(item.tokens);
    expect((short!.raw as { content: unknown[] }).content[1]).toBe(image);
    const only = seen(openaiChat.toItems({ messages: [{ role: "user", content: [image] }] }));
    expect(await shortenItem(only, 300, inputOf([], openaiChat))).toBeUndefined();
  });

  it("C41 C6 what a model wrote, system text and unknown items are never shortened", () => {
    const items = openaiResponses.toItems({
      input: [
        { role: "system", content: long },
        { role: "assistant", content: long },
        { type: "function_call", call_id: "a", arguments: long },
        { type: "novel", output: long },
      ],
    });
    expect(items.filter(isShortenable)).toEqual([]);
  });

  it("CB11 5 MB come down in a few counts of the target's size, by the real tokeniser too", async () => {
    const text = Array.from({ length: 50_000 }, (_, i) => `${i}: the quick brown fox, ${"ab".repeat(35)}`).join("\n");
    const [raw] = toItems([prompt(text)]) as [ContextItem];
    let counted = 0;
    const shaping = inputOf<unknown>([], ownRules as never, {
      count: (item) => {
        counted += JSON.stringify(item.raw).length;
        return countItem(item);
      },
    });
    const item = { ...raw, tokens: await countItem(raw) };
    const short = await shortenItem(item, 7_200, shaping);
    expect(short?.tokens).toBeLessThanOrEqual(7_200);
    expect(short?.tokens).toBeGreaterThan(6_000);
    expect(counted).toBeLessThan(text.length / 10);
  });
});
