// Who said it, and words that say little: what moves an answer up besides the words it shares with the question.
import { describe, expect, it } from "vitest";
import type { Item } from "../item.ts";
import { conversation, EVERYTHING, HOME, idsOf, storeOf } from "../recall-fixture.ts";
import { search } from "../search.ts";
import { relatedWords } from "../text/related-words.ts";

const find = (db: ReturnType<typeof storeOf>, text: string) => search(db, { text, within: EVERYTHING }, relatedWords);

const filler = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `note ${i}: we looked at module ${i % 7} and altered it`);
const item = (id: string, text: string, more: Partial<Item> = {}): Item => ({
  ...{ id, kind: "turn", text, role: "user", seq: 1, place: HOME },
  ...more,
});

describe("who said it", () => {
  it("R19 the words of the person that a question names come before what is said to that person", () => {
    const db = storeOf([
      ...conversation(filler(20)),
      item("own", "the marathon in spring was hard", { role: "Dana", seq: 50 }),
      item("other", "the marathon in spring was hard, Dana", {
        role: "Lee",
        seq: 60,
        place: { ...HOME, session: "b" },
      }),
    ]);
    expect(idsOf(find(db, "what did Dana say about the marathon"))[0]).toBe("own");
    expect(idsOf(find(db, "what did Lee say about the marathon"))[0]).toBe("other");
  });

  it("R19 a name at the beginning of the text is its speaker too", () => {
    const db = storeOf([
      ...conversation(filler(20)),
      item("own", "Dana: the marathon in spring was hard", { role: "", seq: 50 }),
      item("other", "Lee: the marathon in spring was hard, Dana", { role: "", seq: 60 }),
    ]);
    const found = find(db, "what did Dana say about the marathon");
    expect(found.results.find((r) => r.id === "own")?.parts.role).toBeGreaterThan(0);
    expect(found.results.find((r) => r.id === "other")?.parts.role).toBe(0);
    expect(idsOf(found)[0]).toBe("own");
  });
});

describe("words", () => {
  it("R17 words that everybody uses count less than what is asked about", () => {
    const db = storeOf([
      ...conversation(filler(30)),
      item("light", "it happened", { seq: 100 }),
      item("asked", "our kayak leaked again although we had glued it twice with resin in the cold garage of Ben", {
        seq: 200,
      }),
    ]);
    expect(idsOf(find(db, "what happened with the kayak"))[0]).toBe("asked");
  });

  it("R17 a kind of thing finds its members, and one name of a thing the others", () => {
    const db = storeOf([
      ...conversation(filler(30)),
      item("stool", "she finally sanded the stool", { seq: 100 }),
      item("mother", "lunch with my mother went well", { seq: 200 }),
    ]);
    expect(idsOf(find(db, "which furniture was it"))[0]).toBe("stool");
    expect(idsOf(find(db, "the meal with mum"))[0]).toBe("mother");
  });
});
