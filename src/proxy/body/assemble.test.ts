// What is sent differs from what came only where a plan says so: the value is the one expected, all other bytes stay.
import { isDeepStrictEqual } from "node:util";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { HistoryPiece, ScannedBody } from "../contract.ts";
import { assemble } from "./assemble.ts";
import { bodyText, itemText, WIRES } from "./body-fixture.ts";
import { expectedHistory, type Given, takes } from "./expected-fixture.ts";
import { canTake } from "./message.ts";
import { scanBody } from "./scan.ts";

const scanned = (text: string, wire: WireName): ScannedBody => {
  const result = scanBody(Buffer.from(text), wire);
  if (!result.ok) throw new Error(`unparsable: ${text}`);
  return result.value;
};
const historyIn = (body: ScannedBody): unknown[] => {
  const history = body.value[wireOf(body.wire).history.key];
  return Array.isArray(history) ? history : [history];
};
const kept = (at: number, texts: Partial<HistoryPiece> = {}): HistoryPiece =>
  ({ type: "kept", at, id: `i${at}`, ...texts }) as HistoryPiece;
const made = (json: string, texts: Partial<HistoryPiece> = {}): HistoryPiece =>
  ({ type: "made", json, id: "made", ...texts }) as HistoryPiece;

/** A plan's pieces: some items left out, some made ones between, texts wherever they can go. */
const text = fc.oneof(fc.string({ unit: "binary", maxLength: 8 }), fc.constantFrom("\ud83d", '"\\\n', "</x>"));
const texts = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record(
    { append: fc.array(text, { maxLength: 2 }), prepend: fc.array(text, { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
);
const someMade = (wire: WireName): Arbitrary<string[]> => fc.array(itemText(wire), { maxLength: 1 });
function piecesFor(body: ScannedBody): Arbitrary<HistoryPiece[]> {
  const place = fc.record({ drop: fc.nat(2), texts, before: someMade(body.wire), madeTexts: texts });
  const fits = (item: number | string, added: Partial<HistoryPiece>): Partial<HistoryPiece> =>
    canTake(body, item) ? added : {};
  return fc
    .tuple(...body.items.map(() => place), place)
    .map((places) =>
      places.flatMap(({ drop, texts: added, before, madeTexts }, at) => [
        ...before.map((json) => made(json, fits(json, madeTexts))),
        ...(drop === 0 || at === body.items.length ? [] : [kept(at, fits(at, added))]),
      ]),
    );
}
const planned: Arbitrary<{ body: ScannedBody; pieces: HistoryPiece[] }> = fc
  .constantFrom(...WIRES)
  .chain((wire) => bodyText(wire).map((json) => scanned(json, wire)))
  .chain((body) => piecesFor(body).map((pieces) => ({ body, pieces })));

const givenOf = (body: ScannedBody, pieces: readonly HistoryPiece[]): Given[] =>
  pieces.map((piece) => ({
    value: piece.type === "kept" ? historyIn(body)[piece.at] : JSON.parse(piece.json),
    at: piece.type === "kept" ? piece.at : undefined,
    append: piece.append ?? [],
    prepend: piece.prepend ?? [],
  }));
const slice = (body: ScannedBody, at: number): string =>
  body.bytes.toString("utf8", body.items[at]?.start, body.items[at]?.end);

/** What was added is added in one place: the rest stands before and after it. */
function isInsertion(before: string, after: string): boolean {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length && before.at(-1 - end) === after.at(-1 - end)) end++;
  return start + end >= before.length;
}

describe("assemble", () => {
  it("X3 X78 random plans over random bodies: the value is the one expected", () => {
    fc.assert(
      fc.property(planned, ({ body, pieces }) => {
        const sent = JSON.parse(assemble(body, pieces).toString());
        const name = wireOf(body.wire).history.key;
        const expected = expectedHistory(body.wire, givenOf(body, pieces));
        expect(isDeepStrictEqual(sent[name], expected.history)).toBe(true);
        expect(isDeepStrictEqual({ ...sent, [name]: 0 }, { ...body.value, [name]: 0 })).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it("XI2 PI7 X40 bytes outside the history and of untouched items are those received; an extended item only gains", () => {
    fc.assert(
      fc.property(planned, ({ body, pieces }) => {
        const sent = assemble(body, pieces);
        const { start, end } = body.history;
        const behind = body.bytes.length - end;
        expect(sent.subarray(0, start).equals(body.bytes.subarray(0, start))).toBe(true);
        expect(sent.subarray(sent.length - behind).equals(body.bytes.subarray(end))).toBe(true);
        const again = scanned(sent.toString(), body.wire);
        const { groups } = expectedHistory(body.wire, givenOf(body, pieces));
        if (typeof body.value[wireOf(body.wire).history.key] === "string") return;
        groups.forEach(([first, ...joined], index) => {
          if (first?.at === undefined || joined.length > 0) return;
          const now = slice(again, index);
          const was = slice(body, first.at);
          if (first.append.length + first.prepend.length === 0) expect(now).toBe(was);
          else if (first.append.length === 0 || first.prepend.length === 0) expect(isInsertion(was, now)).toBe(true);
        });
      }),
      { numRuns: 1500 },
    );
  });

  it("XI3 a history that is sent as it came gives the very same buffer", () => {
    fc.assert(
      fc.property(planned, ({ body }) => {
        const same = body.items.map((_, at) => kept(at, at % 2 ? { append: [], prepend: [] } : {}));
        expect(assemble(body, same)).toBe(body.bytes);
      }),
    );
  });

  it("X78 canTake says which items take a text, in the body and as JSON", () => {
    fc.assert(
      fc.property(planned, ({ body }) => {
        historyIn(body).forEach((value, at) => {
          expect(canTake(body, at)).toBe(takes(value, body.wire));
          expect(canTake(body, slice(body, at))).toBe(takes(value, body.wire));
        });
      }),
    );
  });

  const around = (wire: WireName, history: string): string =>
    `{ "a":1.0, "${wireOf(wire).history.key}": ${history},"z":1e400 }`;
  const sentFor = (wire: WireName, history: string, pieces: HistoryPiece[]): string =>
    assemble(scanned(around(wire, history), wire), pieces).toString();

  const APPENDED: [WireName, string, string][] = [
    ["openai-chat", '{"role":"user", "content":"a\\u00e9" }', '{"role":"user", "content":"a\\u00e9\\n\\nT" }'],
    ["openai-chat", '{"content":"","role":"tool"}', '{"content":"T","role":"tool"}'],
    [
      "openai-chat",
      '{"role":"user","content":[ {"type":"image_url"} ]}',
      '{"role":"user","content":[ {"type":"image_url"},{"type":"text","text":"T"} ]}',
    ],
    [
      "openai-responses",
      '{"role":"user","content":[]}',
      '{"role":"user","content":[{"type":"input_text","text":"T"}]}',
    ],
    [
      "openai-responses",
      '{"type":"message","role":"user","content":"a"}',
      '{"type":"message","role":"user","content":"a\\n\\nT"}',
    ],
    ["anthropic", '{"role":"user","content":"a"}', '{"role":"user","content":"a\\n\\nT"}'],
    [
      "anthropic",
      '{"role":"user","content":[{"type":"tool_result","content":"1.0"}]}',
      '{"role":"user","content":[{"type":"tool_result","content":"1.0"},{"type":"text","text":"T"}]}',
    ],
    ["gemini", '{"parts":[{"text":"a"}\n]}', '{"parts":[{"text":"a"},{"text":"T"}\n]}'],
    ["anthropic", '{"content":[1],"role":"user","content":"b"}', '{"content":[1],"role":"user","content":"b\\n\\nT"}'],
  ];
  it.each(APPENDED)("X78 %s: a text goes to the end of %s", (wire, before, after) => {
    expect(sentFor(wire, `[${before}]`, [kept(0, { append: ["T"] })])).toBe(around(wire, `[${after}]`));
    expect(sentFor(wire, "[]", [made(before, { append: ["T"] })])).toBe(around(wire, `[${after}]`));
  });

  const PREPENDED: [WireName, string, string][] = [
    ["openai-chat", '{"role":"user","content":"a"}', '{"role":"user","content":"T\\n\\na"}'],
    ["openai-chat", '{"role":"user","content":[ 1]}', '{"role":"user","content":[ {"type":"text","text":"T"},1]}'],
    [
      "anthropic",
      '{"role":"user","content":[{"type":"tool_result"}, 1]}',
      '{"role":"user","content":[{"type":"tool_result"},{"type":"text","text":"T"}, 1]}',
    ],
    [
      "gemini",
      '{"role":"user","parts":[{"functionResponse":{}},{"text":"a"}]}',
      '{"role":"user","parts":[{"functionResponse":{}},{"text":"T"},{"text":"a"}]}',
    ],
  ];
  it.each(PREPENDED)("X74 %s: a text goes before the user's own in %s, after results", (wire, before, after) => {
    expect(sentFor(wire, `[${before}]`, [kept(0, { prepend: ["T"] })])).toBe(around(wire, `[${after}]`));
  });

  it("X78 several texts keep their order: recall first, then state", () => {
    const both = { append: ["R", "S"] };
    expect(sentFor("openai-chat", '[{"role":"user","content":"a"}]', [kept(0, both)])).toContain('"a\\n\\nR\\n\\nS"');
    expect(sentFor("gemini", '[{"parts":[]}]', [kept(0, both)])).toContain('[{"text":"R"},{"text":"S"}]');
  });

  it("X78 a text input is added to after a blank line, and is a message when others stand beside it", () => {
    const wire = "openai-responses";
    expect(sentFor(wire, '"a\\/b"', [kept(0, { append: ["T"] })])).toBe(around(wire, '"a\\/b\\n\\nT"'));
    expect(sentFor(wire, '"a\\/b"', [kept(0), made('{"x":1.0}')])).toBe(
      around(wire, '[{"type":"message","role":"user","content":"a\\/b"},{"x":1.0}]'),
    );
    expect(sentFor(wire, '"a"', [made('{"x":1}')])).toBe(around(wire, '[{"x":1}]'));
  });

  it("XI2 what stood between two items stays there; a gap closes with a comma", () => {
    const wire = "openai-chat";
    expect(sentFor(wire, '[ {"n":1} ,\n{"n":2}\t, {"n":3} ,{"n":4} ]', [kept(0), kept(1), kept(3)])).toBe(
      around(wire, '[ {"n":1} ,\n{"n":2},{"n":4} ]'),
    );
    expect(sentFor(wire, '[ {"n":1} , {"n":2} ]', [])).toBe(around(wire, "[  ]"));
  });

  it("X44 claude: user messages that a cut brought together are one, results first, a text by its very literal", () => {
    const history = [
      '{"role":"user", "content":"t\\u00e9\\/"}',
      '{"role":"assistant","content":"gone"}',
      '{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result", "content":1.0}]}',
    ].join(",");
    expect(sentFor("anthropic", `[${history}]`, [kept(0, { append: ["N"] }), kept(2)])).toBe(
      around(
        "anthropic",
        '[{"role":"user","content":[{"type":"tool_result", "content":1.0},{"type":"text","text":"t\\u00e9\\/"},' +
          '{"type":"text","text":"N"},{"type":"text","text":"x"}]}]',
      ),
    );
  });

  it("X44 gemini: the same with parts, and a made message joins too", () => {
    const history = '[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[]},{"parts":[{"text":"b"}]}]';
    expect(sentFor("gemini", history, [kept(0), made('{"role":"user","parts":[{"text":"n"}]}'), kept(2)])).toBe(
      around("gemini", '[{"role":"user","parts":[{"text":"a"},{"text":"n"},{"text":"b"}]}]'),
    );
  });

  it("XI2 user messages that the client sent one after another stay two, and other wires join none", () => {
    const pair = '{"role":"user","content":"a"},{"role":"user","content":"b"}';
    const last = '{"role":"assistant","content":"c"}';
    expect(sentFor("anthropic", `[${pair},${last}]`, [kept(0), kept(1)])).toBe(around("anthropic", `[${pair}]`));
    const [first, second] = ['{"role":"user","content":"a"}', '{"role":"user","content":"b"}'];
    expect(sentFor("openai-chat", `[${first},${last},${second}]`, [kept(0), kept(2)])).toBe(
      around("openai-chat", `[${pair}]`),
    );
  });

  it("XB11 odd members go on as they came, also beside a text of ours", () => {
    const odd =
      '{"__proto__":{"a":1},"big":12345678901234567890,"n":1e400,"n":-0,"s":"\\ud800\u2028","role":"user","content":"a"}';
    expect(sentFor("anthropic", `[${odd},{}]`, [kept(0)])).toBe(around("anthropic", `[${odd}]`));
    expect(sentFor("anthropic", `[${odd}]`, [kept(0, { append: ["T"] })])).toBe(
      around("anthropic", `[${odd.replace('"a"}', '"a\\n\\nT"}')}]`),
    );
  });

  it.each([
    ["openai-chat", '{"role":"assistant","content":"a"}'],
    ["openai-chat", '{"role":"system","content":"a"}'],
    ["openai-chat", '{"role":"user","content":null}'],
    ["openai-responses", '{"type":"function_call_output","output":"a"}'],
    ["openai-responses", '{"role":"assistant","content":[]}'],
    ["openai-responses", '{"type":"new_kind","role":"user","content":"a"}'],
    ["anthropic", '{"role":"user"}'],
    ["gemini", '{"role":"user","parts":"a"}'],
    ["gemini", '{"role":"model","parts":[]}'],
  ] as [WireName, string][])("X62 %s: %s takes no text", (wire, item) => {
    const body = scanned(around(wire, `[${item}]`), wire);
    expect(canTake(body, 0)).toBe(false);
    expect(canTake(body, item)).toBe(false);
    expect(() => assemble(body, [kept(0, { append: ["T"] })])).toThrow("can take none");
  });

  it("X40 pieces out of the client's order, doubled or from nowhere are a bug", () => {
    const body = scanned(around("openai-chat", "[{},{}]"), "openai-chat");
    for (const wrong of [[kept(1), kept(0)], [kept(0), kept(0)], [kept(2)], [made("{")]]) {
      expect(() => assemble(body, wrong)).toThrow();
    }
  });
});
