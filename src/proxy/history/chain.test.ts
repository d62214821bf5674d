// Chains: the same history gives the same links, however it is written; one more item adds one more link.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moves } from "../../model/wire/wire-fixture.ts";
import { scanBody } from "../body/scan.ts";
import { historyOf } from "./chain.ts";
import { itemsOf, owns, rawsOf, rewritten, WIRES } from "./history-fixture.ts";

const cases = fc.tuple(fc.constantFrom(...WIRES), moves);

describe("chains", () => {
  it("X22 XI10 a history that is written anew has the same chain", () => {
    fc.assert(
      fc.property(cases, ([wire, made]) => {
        const raws = rawsOf(wire, made);
        const before = JSON.stringify(raws);
        const chain = owns(itemsOf(wire, raws));
        expect(owns(itemsOf(wire, raws.map(rewritten)))).toEqual(chain);
        expect(owns(itemsOf(wire, JSON.parse(before)))).toEqual(chain);
        expect(JSON.stringify(raws)).toBe(before);
      }),
    );
  });

  it("X23 the chain of a history's beginning is the beginning of its chain, and no other link is alike", () => {
    fc.assert(
      fc.property(cases, fc.nat(), ([wire, made], cut) => {
        const raws = rawsOf(wire, made);
        const whole = itemsOf(wire, raws);
        const length = cut % (raws.length + 1);
        const ids = whole.map(({ id }) => id);
        expect(itemsOf(wire, raws.slice(0, length)).map(({ id }) => id)).toEqual(ids.slice(0, length));
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  it("X22 different texts have different hashes, and equal ones the same wherever they stand", () => {
    const said = fc.array(fc.string({ unit: "binary" }), { maxLength: 20 });
    fc.assert(
      fc.property(said, (texts) => {
        const items = itemsOf(
          "openai-chat",
          texts.map((content) => ({ role: "user", content })),
        );
        const byText = new Map(texts.map((text, at) => [text.trim(), items[at]?.own]));
        expect(owns(items)).toEqual(texts.map((text) => byText.get(text.trim())));
        byText.delete("");
        expect(new Set(byText.values()).size).toBe(byText.size);
      }),
    );
  });

  it("X22 system items are not in the chain, and a changed system text changes no link", () => {
    const raws = (text: string) => [
      { role: "system", content: text },
      { role: "user", content: "hi" },
      { role: "developer", content: text },
      { role: "assistant", content: "yes" },
    ];
    const items = itemsOf("openai-chat", raws("one"));
    expect(items.map(({ id, own }) => [id, own !== undefined])).toEqual([
      ["s0", false],
      [expect.stringMatching(/^[0-9a-f]{32}$/), true],
      ["s2", false],
      [expect.stringMatching(/^[0-9a-f]{32}$/), true],
    ]);
    expect(itemsOf("openai-chat", raws("two")).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  });

  it("X22 an item with nothing left is named after the link before it", () => {
    const reminder = { role: "user", content: "<system-reminder>x</system-reminder>" };
    const items = itemsOf("anthropic", [reminder, { role: "user", content: "hi" }, reminder, reminder]);
    const link = items[1]?.id;
    expect(items.map(({ id }) => id)).toEqual(["+1", link, `${link}+1`, `${link}+2`]);
  });

  it("X22 hashes are keyed", () => {
    const raws = [{ role: "user", content: "hi" }];
    expect(owns(itemsOf("openai-chat", raws, "one"))).not.toEqual(owns(itemsOf("openai-chat", raws, "two")));
  });

  it("X3 positions are those of the scanned body, a text input included", () => {
    for (const input of ["hi", [{ role: "user", content: "hi" }]]) {
      const body = scanBody(Buffer.from(JSON.stringify({ model: "m", input })), "openai-responses");
      if (!body.ok) throw new Error(body.error);
      const { items, tail } = historyOf(body.value, "k");
      expect(items.map(({ at, id }) => [at, id])).toEqual([[0, tail]]);
      expect(tail).toBe(itemsOf("openai-responses", "hi")[0]?.id);
    }
  });
});
