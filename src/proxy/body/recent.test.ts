// Bodies that go on with earlier ones: read from where they part, and always what a whole reading gives.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashedItems, historyOf } from "../history/chain.ts";
import { ContentSizes } from "../plan/count.ts";
import { RecentBodies } from "./recent.ts";
import { scanBody } from "./scan.ts";

const HEADERS = { "user-agent": "opencode/1.18.0", "x-session-id": "one" };
const filler = (chars: number, seed: number): string => `${seed} `.repeat(Math.ceil(chars / 2)).slice(0, chars);
const turn = (n: number, chars = 2000): object[] => [
  { role: "assistant", content: null, tool_calls: [{ id: `c${n}`, function: { name: "read", arguments: "{}" } }] },
  { role: "tool", tool_call_id: `c${n}`, content: filler(chars, n) },
];
const turns = (count: number): object[] => Array.from({ length: count }, (_, n) => turn(n)).flat();
const bodyOf = (messages: readonly object[], more: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: "Go" }, ...messages], ...more }));

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What a lane's bodies hold once the gateway has read, hashed and counted them. */
async function memoryOf(chars: number): Promise<{ recent: RecentBodies; held: number }> {
  const recent = new RecentBodies();
  const sizes = new ContentSizes({ most: 1 });
  const before = memoryNow();
  for (let lane = 0; lane < 12; lane++) {
    const count = Math.ceil(100_000 / (chars + 150));
    const bytes = bodyOf(Array.from({ length: count }, (_, n) => turn(n, chars)).flat());
    const body = recent.scan(bytes, "openai-chat", { ...HEADERS, "x-session-id": `s${lane}` });
    if (!body.ok) throw new Error(body.error);
    await sizes.measure({ body: body.value, items: historyOf(body.value, "key").items, limit: 1_000_000 });
  }
  return { recent, held: memoryNow() - before };
}

function memoryNow(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("bodies that came lately", () => {
  it("N33 X120 C149 a request that goes on with the one before it costs its new bytes: read, and hashed", () => {
    const recent = new RecentBodies();
    const first = bodyOf(turns(200), { tools: [{ name: "read" }] });
    const second = bodyOf(turns(201), { tools: [{ name: "read" }] });
    for (const [bytes, most, hashes] of [
      [first, first.length, 401],
      [second, 3000, 2],
      [second, 100, 0],
    ] as const) {
      const [read, hashed] = [recent.scanned, hashedItems.count];
      const body = recent.scan(bytes, "openai-chat", HEADERS);
      if (!body.ok) throw new Error(body.error);
      expect(historyOf(body.value, "key").items).toHaveLength(bytes === first ? 401 : 403);
      expect(recent.scanned - read).toBeLessThanOrEqual(most);
      expect(hashedItems.count - hashed).toBe(hashes);
    }
  });

  it("X3 an item that changed in any one byte is read anew", () => {
    const recent = new RecentBodies();
    const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Go" }, ...turns(12)], n: 1 });
    const whole = JSON.stringify({ role: "user", content: "how far is it to the end" });
    for (let at = 0; at < 20; at++) {
      const edited = whole.replace(/(?<="content":").*(?=")/, (said) => `${said.slice(0, at)}X${said.slice(at + 1)}`);
      const bytes = Buffer.from(text.replace(/\](?=,"n":1)/, `,${edited}]`));
      const body = recent.scan(bytes, "openai-chat", HEADERS);
      expect(body.ok && JSON.stringify((body.value.value["messages"] as object[]).at(-1))).toBe(edited);
    }
  });

  it("N33 of many lanes only so many bytes are kept, and small bodies not at all", () => {
    const recent = new RecentBodies({ most: 2_000_000 });
    const [large, small] = [bodyOf(turns(20)), bodyOf([])];
    for (let lane = 0; lane < 10_000; lane++) {
      const bytes = lane % 50 === 0 ? large : small;
      expect(recent.scan(bytes, "openai-chat", { ...HEADERS, "x-session-id": `s${lane}` }).ok).toBe(true);
    }
    expect(recent.weight).toBeGreaterThan(0);
    expect(recent.weight).toBeLessThanOrEqual(2_000_000);
  });

  it("N33 the weight of what is kept is the memory that it holds, whether items are small or large", async () => {
    for (const chars of [40, 400, 4000]) {
      const { recent, held } = await memoryOf(chars);
      expect(recent.weight).toBeGreaterThan(2_500_000);
      expect(held / recent.weight).toBeGreaterThan(0.5);
      expect(held / recent.weight).toBeLessThan(1.5);
    }
  });

  it("N33 X22 a lane whose every request differs from the last is read as a whole, and keeps its bound", () => {
    const recent = new RecentBodies({ most: 1_000_000 });
    for (let n = 0; n < 100; n++) {
      const bytes = Buffer.from(
        JSON.stringify({ model: `m${n}`, messages: [{ role: "user", content: filler(20_000, n) }] }),
      );
      expect(recent.scan(bytes, "openai-chat", HEADERS)).toEqual(scanBody(bytes, "openai-chat"));
    }
    expect(recent.weight).toBeLessThanOrEqual(1_000_000);
  });

  const step = fc.record({
    keep: fc.constantFrom(0, 0, 0, 1, 2, 3),
    add: fc.constantFrom(0, 0, 1, 2),
    more: fc.constantFrom({}, { tools: [] }, { stream: true, tools: [1.5] }, { a: { b: [1, "}]", null] } }),
    spoil: fc.constantFrom("", "", "", "", "comma", "utf8", "double", "tail", "cut", "number"),
    edit: fc.boolean(),
    pretty: fc.boolean(),
  });

  function bytesOf(
    messages: readonly object[],
    { more, spoil, pretty }: { more: object; spoil: string; pretty: boolean },
  ) {
    const value = { model: "m", messages, ...more };
    const text = pretty ? JSON.stringify(value, null, 1) : JSON.stringify(value);
    if (spoil === "comma") return Buffer.from(text.replace(/\]([^\]]*)$/, ",]$1"));
    if (spoil === "double") return Buffer.from(text.replace(/\}$/, ',"model":"n"}'));
    if (spoil === "tail") return Buffer.from(`${text} x`);
    if (spoil === "cut") return Buffer.from(text.slice(0, -3));
    if (spoil === "number") return Buffer.from(text.replace(/\}\s*\]/, "},7]"));
    const bytes = Buffer.from(text);
    if (spoil === "utf8") bytes[bytes.length - 3] = 0xff;
    return bytes;
  }

  it("X3 XB10 whatever comes after whatever, the reading is that of the whole body", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 8 }), (steps) => {
        const recent = new RecentBodies();
        let messages: object[] = [{ role: "user", content: "Ü" }, ...turns(12)];
        let made = 0;
        for (const { keep, add, edit, ...shape } of steps) {
          messages = messages.slice(0, Math.max(1, messages.length - keep));
          if (edit) messages = [...messages.slice(0, -1), { role: "user", content: `again ${made++} é` }];
          for (let n = 0; n < add; n++) messages = [...messages, ...turn(1000 + made++, 300)];
          const bytes = bytesOf(messages, shape);
          const [ours, whole] = [recent.scan(bytes, "openai-chat", HEADERS), scanBody(bytes, "openai-chat")];
          expect(ours).toEqual(whole);
          if (ours.ok && whole.ok) expect(historyOf(ours.value, "key")).toEqual(historyOf(whole.value, "key"));
        }
      }),
      { numRuns: 40 },
    );
  });
});
