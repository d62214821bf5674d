// A body is seen with its bytes, or it is not managed; nothing that comes in makes the scan throw.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { ByteSpan, ScannedBody } from "../contract.ts";
import { WIRES, wireAndBody } from "./body-fixture.ts";
import { scanBody } from "./scan.ts";

const scan = (text: string | Buffer, wire: WireName = "openai-chat") => scanBody(Buffer.from(text), wire);
const scanned = (text: string, wire: WireName = "openai-chat"): ScannedBody => {
  const result = scan(text, wire);
  if (!result.ok) throw new Error(`unparsable: ${text}`);
  return result.value;
};
const unparsable = { ok: false, error: "unparsable" };
const textAt = (body: ScannedBody, { start, end }: ByteSpan): string => body.bytes.toString("utf8", start, end);

describe("scanBody", () => {
  it("X3 gives the value and the exact places of the history and its items, for random bodies of all wires", () => {
    fc.assert(
      fc.property(wireAndBody, ({ wire, text }) => {
        const body = scanned(text, wire);
        expect(isDeepStrictEqual({ ...body.value }, { ...JSON.parse(text) })).toBe(true);
        const history = body.value[wireOf(wire).history.key];
        expect(isDeepStrictEqual(JSON.parse(textAt(body, body.history)), history)).toBe(true);
        const values = Array.isArray(history) ? history : [history];
        expect(body.items.length).toBe(values.length);
        body.items.forEach((span, at) => {
          expect(textAt(body, span)).toBe(textAt(body, span).trim());
          expect(isDeepStrictEqual(JSON.parse(textAt(body, span)), values[at])).toBe(true);
        });
      }),
      { numRuns: 500 },
    );
  });

  it("X3 finds items between odd white space, and none in an empty history", () => {
    const body = scanned(' {"model" : "m" , "messages" :\n [ {"a":"]"} ,\t{} ] , "z":[{}]}\n');
    expect(body.items.map((span) => textAt(body, span))).toEqual(['{"a":"]"}', "{}"]);
    expect(textAt(body, body.history)).toBe('[ {"a":"]"} ,\t{} ]');
    expect(scanned('{"messages":[ ]}').items).toEqual([]);
  });

  it("X3 a text input of Responses is one item that spans it", () => {
    const body = scanned('{"input" : "a\\"b" }', "openai-responses");
    expect(body.items).toEqual([body.history]);
    expect(textAt(body, body.history)).toBe('"a\\"b"');
  });

  it.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["no JSON", "model=gpt"],
    ["a cut off body", '{"messages":[{"role":"user"'],
    ["a cut off string", '{"messages":[{"role":"us'],
    ["a string that ends in a backslash", '{"messages":["\\'],
    ["a comma too many", '{"messages":[{},]}'],
    ["a bracket of the other kind", '{"messages":[{"a":[1}]]}'],
    ["a bare word", '{"messages":[{"a":nope}]}'],
    ["a bad escape", '{"messages":[],"\\x":1}'],
    ["a raw line break in a string", '{"messages":[{"a":"\n"}]}'],
    ["more after the end", '{"messages":[]} {}'],
    ["a byte order mark", '\ufeff{"messages":[]}'],
    ["a list", '[{"messages":[]}]'],
    ["a text", '"messages"'],
    ["null", "null"],
    ["no messages", '{"model":"m"}'],
    ["messages only deeper", '{"a":{"messages":[]}}'],
    ["an inherited name", '{"__proto__":{"messages":[]}}'],
    ["null messages", '{"messages":null}'],
    ["text messages", '{"messages":"hi"}'],
    ["messages as an object", '{"messages":{"0":{}}}'],
    ["a message that is none", '{"messages":[{},"hi"]}'],
    ["doubled messages", '{"messages":[],"messages":[]}'],
    ["a doubled key", '{"model":"a","messages":[],"model":"a"}'],
    ["a doubled key, once escaped", '{"model":"a","messages":[],"m\\u006fdel":"b"}'],
  ])("XB10 X110 %s is unparsable", (_what, text) => {
    expect(scan(text)).toEqual(unparsable);
  });

  it("X110 bytes that are no UTF-8 are unparsable, whatever they would mean", () => {
    for (const bytes of ["\xff", "\xed\xa0\x80", "\xc0\xaf", "\xe6\xbc"]) {
      expect(scan(Buffer.from(`{"messages":[{"a":"${bytes}"}]}`, "latin1"))).toEqual(unparsable);
    }
    expect(scan(Buffer.from('{"messages":[]}', "utf16le"))).toEqual(unparsable);
  });

  it("X110 a body may be 256 deep and no deeper, in the history and beside it", () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    for (const [around, own] of [
      [(inner: string) => `{"messages":[{"a":${inner}}]}`, 3],
      [(inner: string) => `{"messages":[],"a":${inner}}`, 1],
    ] as const) {
      expect(scan(around(nested(256 - own))).ok).toBe(true);
      expect(scan(around(nested(257 - own)))).toEqual(unparsable);
      expect(scan(around(nested(100_000)))).toEqual(unparsable);
    }
    expect(scan("[".repeat(5_000_000))).toEqual(unparsable);
    expect(scan('{"messages":'.repeat(1_000_000))).toEqual(unparsable);
  });

  it("X110 XB10 bodies of over 500,000 members are unparsable: keys, elements, at any level", () => {
    const nested = (count: number): string => `{${Array(count).fill('"k":0').join(",")}}`;
    const keys = Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":0`).join(",");
    expect(scan(`{"messages":[${nested(499_900)}]}`).ok).toBe(true);
    expect(scan(`{"messages":[${nested(500_001)}]}`)).toEqual(unparsable);
    expect(scan(`{"messages":[],${keys}}`)).toEqual(unparsable);
    expect(scan(`{"messages":[${Array(500_001).fill("{}").join(",")}]}`)).toEqual(unparsable);
    expect(scan(`{"messages":[${nested(250_001)}],"tools":${nested(250_001)}}`)).toEqual(unparsable);
  });

  it("X110 XB11 a member called __proto__ is a field like any other and nobody's prototype", () => {
    const { value } = scanned('{"__proto__":{"evil":1},"messages":[{"role":"user","__proto__":{"evil":1}}]}');
    const [item] = value["messages"] as Record<string, unknown>[];
    expect(value["evil"]).toBeUndefined();
    expect(item?.["evil"]).toBeUndefined();
    expect({ ...item }).not.toHaveProperty("evil");
    expect(Object.keys(item ?? {})).toEqual(["role", "__proto__"]);
    expect(({} as Record<string, unknown>)["evil"]).toBeUndefined();
    for (const name of ["constructor", "toString", "hasOwnProperty"]) expect(value[name]).toBeUndefined();
  });

  it("XB11 lone surrogates, 1e400, doubled nested keys and U+2028 are managed", () => {
    const body = scanned('{"messages":[{"a":"\\ud800\u2028","a":1e400}]}');
    expect(body.value).toEqual({ messages: [{ a: Number.POSITIVE_INFINITY }] });
  });

  it("XB10 whatever is done to a body's bytes, the scan ends with a value or with unparsable, as JSON.parse would", () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('"\\{}[],: 0é')));
    fc.assert(
      fc.property(wireAndBody, fc.array(change, { minLength: 1, maxLength: 3 }), ({ wire, text }, changes) => {
        const bytes = Buffer.from(text);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        const result = scanBody(bytes, wire);
        if (!result.ok) return;
        expect(isDeepStrictEqual({ ...result.value.value }, { ...JSON.parse(bytes.toString()) })).toBe(true);
        for (const span of result.value.items) JSON.parse(textAt(result.value, span));
      }),
      { numRuns: 1000 },
    );
  });

  it("XB10 random bytes never make it throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...WIRES), (bytes, wire) => {
        expect(scanBody(Buffer.from(bytes), wire)).toEqual(unparsable);
      }),
    );
  });
});
