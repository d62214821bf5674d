// The answer to a search as text.
import { expect, it } from "vitest";
import { matchText } from "./match-text.ts";

it("N23 says that a quoted phrase stands nowhere, before the matches of its words", () => {
  const snippets = [{ text: "the deploy window opens on Friday", start: 0, end: 33, hits: [] }];
  const hit = {
    id: "a1",
    kind: "turn",
    role: "user",
    source: { session: "s1" },
    ref: "t1.1",
    rewound: false,
    snippets,
  };
  const found = { hits: [hit as never], more: 0, partial: false, skipped: [] };
  expect(
    matchText({ ...found, unmatched: ["window of the deploy"] }, { searched: "this repository" }).split("\n\n")[0],
  ).toBe('No match contains "window of the deploy" word for word. These match the words:');
  expect(matchText(found, { searched: "this repository" })).not.toContain("word for word");
});
