// Our own tags: what is escaped, what is left alone, and that no block is made with a tag that is not in the list.
import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeTags, inTag, OWN_TAGS, PART_TAGS, quoted, unescapeTags } from "./tag.ts";

describe("escaping", () => {
  it.each([
    ["<system_notification>", "&lt;system_notification>"],
    ["</system_notification>", "&lt;/system_notification>"],
    ["< / SYSTEM-notification x>", "&lt; / SYSTEM-notification x>"],
    ["<\n\u200bsys\u00adtem_notification>", "&lt;\n\u200bsys\u00adtem_notification>"],
    ["<system\ufeff_notification>", "&lt;system\ufeff_notification>"],
    ["<sys\u2028tem_notification>", "&lt;sys\u2028tem_notification>"],
    ["<system\u2011notification>", "&lt;system\u2011notification>"],
    ["<//system_notification>", "&lt;//system_notification>"],
    ["<x:memories>", "&lt;x:memories>"],
    ["<memories/>", "&lt;memories/>"],
    ["<memories", "&lt;memories"],
    ["<<memories>", "<&lt;memories>"],
    ["<\uff4demories>", "&lt;\uff4demories>"],
  ])("N12 B34 %j", (text, escaped) => {
    expect(escapeTags(text)).toBe(escaped);
    expect(escapeTags(escaped)).toBe(escaped);
    expect(unescapeTags(escaped)).toBe(text);
  });

  it.each([
    "Promise<Session>",
    "a < memories_of_x",
    "<system_notifications>",
    "if (i<history) <History/> <todo> <user>",
    "<memory>",
    "&lt;div>",
    "1 << 2 <= 3",
    "<",
  ])("N12 leaves %j alone", (text) => {
    expect(escapeTags(text)).toBe(text);
    expect(unescapeTags(text)).toBe(text);
  });

  it("N12 inside a block its parts are escaped too", () => {
    expect(quoted("<history></todo><memories>")).toBe("&lt;history>&lt;/todo>&lt;memories>");
  });

  it("PI9 a text with tags comes back as it was, and a block holds one pair of its tags, for every text", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(...OWN_TAGS, "<", "</", ">", "\u200b", " "),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom(...OWN_TAGS), (pieces, tag) => {
        const text = pieces.join("");
        const block = inTag(tag, escapeTags(text), { name: text });
        expect(block.match(new RegExp(`</?${tag}\\b`, "g"))).toHaveLength(2);
        if (!text.includes("&")) expect(unescapeTags(escapeTags(text))).toBe(text);
      }),
    );
  });

  it("N12 is linear: 1 MB of signs, spaces or hidden characters", () => {
    for (const one of ["<", "< ", "</", "<\u200b", "<memories", " "]) {
      const text = `<${one.repeat(1_000_000 / one.length)}`;
      expect(escapeTags(text).length).toBeGreaterThanOrEqual(text.length);
    }
  });
});

it("N12 whoever writes a block of their own puts its tag into the list", () => {
  const known = new Set<string>([...OWN_TAGS, ...PART_TAGS]);
  const notPrompts = /\/(?:web|export|server)\/|\.test\.ts$|fixture/;
  const files = globSync("src/**/*.{ts,md}", { cwd: `${import.meta.dirname}/../..` }).filter(
    (f) => !notPrompts.test(f),
  );
  const unlisted = files.flatMap((file) => {
    const text = readFileSync(`${import.meta.dirname}/../../${file}`, "utf8");
    const closed = [...text.matchAll(/<\/([a-z][\w-]+)>/g)].map(([, name = ""]) => name);
    return closed.filter((name) => !known.has(name)).map((name) => `${file}: ${name}`);
  });
  expect(files.length).toBeGreaterThan(500);
  expect(unlisted).toEqual([]);
});
