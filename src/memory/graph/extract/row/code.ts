// Work on code: what blocks, implements and modifies what, which file it moved to, who opened and wrote it, where an incident happened.
import type { RuleRow } from "./row.ts";

export const CODE_ROWS: readonly RuleRow[] = [
  {
    pattern: "{subject:topics} block|blocks {object:holdings} …",
    relation: "BLOCKS",
    examples: [
      ["#14 blocks #15.", "#14 | BLOCKS | #15"],
      ["#14 no longer blocks #15.", "- #14 | BLOCKS | #15"],
    ],
    counterexamples: [
      "Free blocks available to users.",
      "Does #14 block #15?",
      "It blocks #15.",
      "#14 does not block #15.",
    ],
  },
  {
    pattern: "{object:things} is|are blocked by|on {subject:topics} …",
    relation: "BLOCKS",
    examples: [["ABC-9 is blocked by ABC-4.", "ABC-4 | BLOCKS | ABC-9"]],
    counterexamples: ["ABC-9 is not blocked by ABC-4.", "It is blocked by ABC-4."],
  },
  {
    pattern: "{object:work} blocked by|on {subject:work} …",
    relation: "BLOCKS",
    examples: [["ABC-77 blocked by ABC-70.", "ABC-70 | BLOCKS | ABC-77"]],
    counterexamples: ["Blocked by ABC-70.", "ABC-77 never blocked by ABC-70.", "Traffic blocked by rain."],
  },
  {
    pattern: "{subject:change} implements|fixes|closes|resolves|completes|addresses {object:work} …",
    relation: "IMPLEMENTS",
    examples: [
      ["PR #52 implements #40.", "#52 | IMPLEMENTS | #40"],
      ["PR #53 fixes issue #41 and closes #42.", "#53 | IMPLEMENTS | #41", "#53 | IMPLEMENTS | #42"],
    ],
    counterexamples: ["fix #12 please", "This PR closes #7.", "Does PR #52 implement #40?", "PR #52 never closes #40."],
  },
  {
    pattern: "{object:work} is|was|were implemented|fixed|closed|resolved by|in {subject:change} …",
    relation: "IMPLEMENTS",
    examples: [["#40 was fixed in PR #52.", "#52 | IMPLEMENTS | #40"]],
    counterexamples: ["#40 was fixed in a hurry.", "Was #40 fixed in PR #52?"],
  },
  {
    pattern: "i|we? implemented|fixed|closed|resolved {object:work} in|with {subject:change} …",
    relation: "IMPLEMENTS",
    examples: [["Implemented ABC-12 in PR #40.", "#40 | IMPLEMENTS | ABC-12"]],
    counterexamples: ["I have not fixed ABC-12 in PR #40.", "Implemented ABC-12 in a day."],
  },
  {
    pattern:
      "{subject:change} modifies|changes|changed|touches|touched|edits|updates|updated|adds|added|removes|removed|deletes|rewrites {object:files} …",
    relation: "MODIFIES",
    examples: [
      ["PR #60 changes `src/app.ts`.", "#60 | MODIFIES | src/app.ts"],
      [
        "Commit deadbeef1 touches src/a.ts and src/b.ts.",
        "deadbeef1 | MODIFIES | src/a.ts",
        "deadbeef1 | MODIFIES | src/b.ts",
      ],
    ],
    counterexamples: ["I changed `src/app.ts`.", "Does PR #60 change `src/app.ts`?", "PR #60 changes everything."],
  },
  {
    pattern: "{subject:person} opened|created|filed|reported|raised {object:creation} …",
    relation: "CREATED",
    examples: [["Bob opened PR #90.", "Bob | CREATED | #90"]],
    counterexamples: ["Bob opened the door.", "Bob never opened PR #90.", "Has Bob opened PR #90?"],
  },
  {
    pattern: "{object:creation} is|was|were opened|created|filed|reported|raised by {subject:person} …",
    relation: "CREATED",
    examples: [["PR #90 was opened by Bob.", "Bob | CREATED | #90"]],
    counterexamples: ["Was PR #90 opened by Bob?", "It was opened by Bob."],
  },
  {
    pattern: "{subject:person} wrote|authored {object:codes} …",
    relation: "AUTHORED",
    examples: [["Carol wrote `src/app.ts`.", "Carol | AUTHORED | src/app.ts"]],
    counterexamples: ["Carol wrote a letter.", "Carol never wrote `src/app.ts`."],
  },
  {
    pattern: "{object:codes} is|was|were written|authored by {subject:person} …",
    relation: "AUTHORED",
    examples: [["Commit 9f8e7d6 was written by Carol.", "Carol | AUTHORED | 9f8e7d6"]],
    counterexamples: ["The book was written by Carol.", "Was commit 9f8e7d6 written by Carol?"],
  },
  {
    pattern: "{subject:incident} happened|occurred|started on {object:revision} …",
    relation: "HAPPENED_ON",
    examples: [["The outage happened on main.", "outage | HAPPENED_ON | main"]],
    counterexamples: ["The outage happened on purpose.", "It happened on main."],
  },
  {
    pattern: "{subject:topic} was|were? moved to {object:file} …",
    relation: "LOCATED_AT",
    examples: [
      ["The cache directory moved to ~/.cache/widget in 5.0.", "cache directory | LOCATED_AT | ~/.cache/widget"],
    ],
    counterexamples: ["It moved to src/load.ts.", "The cache should be moved to ~/.cache/widget."],
  },
  {
    pattern: "i|we? moved {subject:topic} to {object:file} …",
    relation: "LOCATED_AT",
    examples: [["We moved the handbook to docs/handbook.md.", "handbook | LOCATED_AT | docs/handbook.md"]],
    counterexamples: ["We moved it to src/load.ts.", "We want to move the handbook to docs/handbook.md."],
  },
];
