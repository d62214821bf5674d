// Who owns, maintains and looks after what.
import type { RuleRow } from "./row.ts";

export const OWNERSHIP_ROWS: readonly RuleRow[] = [
  {
    pattern: "{subject:person} maintain|maintains {object:holdings} …",
    relation: "OWNS",
    personal: true,
    examples: [["I maintain the CLI.", "user | OWNS | CLI"]],
    counterexamples: [
      "OpenAI maintains backward compatibility.",
      "Who maintains the CLI?",
      "I do not maintain the CLI.",
    ],
  },
  {
    pattern: "{subject:people} own|owns {object:things} …",
    relation: "OWNS",
    personal: true,
    examples: [
      ["Alice owns the payments service.", "Alice | OWNS | payments service"],
      ["Kim and Lee own the importer.", "Kim | OWNS | importer", "Lee | OWNS | importer"],
      ["We own the search index.", "team | OWNS | search index"],
    ],
    counterexamples: ["Nobody owns the CLI.", "Who owns the CLI?", "Alice owns it.", "Alice should own the CLI."],
  },
  {
    pattern: "{subject:person} take|takes|took|taken over {object:holdings} …",
    relation: "OWNS",
    personal: true,
    examples: [
      ["Mia has taken over the billing service from Tom.", "Mia | OWNS | billing service"],
      ["Noor takes over the importer.", "Noor | OWNS | importer"],
    ],
    counterexamples: [
      "Mia took over from Tom.",
      "Could Noor take over the importer?",
      "Has Mia taken over the billing service?",
    ],
  },
  {
    pattern: "{subject:person} take|takes care of {object:holdings}",
    relation: "OWNS",
    personal: true,
    examples: [["Jo takes care of the ingest pipeline.", "Jo | OWNS | ingest pipeline"]],
    counterexamples: ["Who takes care of the ingest pipeline?", "Take care of yourself."],
  },
  {
    pattern: "{subject:person} look|looks after {object:holdings}",
    relation: "OWNS",
    personal: true,
    examples: [["I look after the ingest pipeline.", "user | OWNS | ingest pipeline"]],
    counterexamples: ["Who looks after the ingest pipeline?", "I look after lunch."],
  },
  {
    pattern: "{object:things} is|are owned|maintained by {subject:people}",
    relation: "OWNS",
    personal: true,
    examples: [["The billing service is owned by Bob.", "Bob | OWNS | billing service"]],
    counterexamples: ["It is owned by Bob.", "The billing service is not owned by Bob."],
  },
  {
    pattern: "{subject:person} am|is|are responsible for {object:things}",
    relation: "OWNS",
    personal: true,
    examples: [["Carol is responsible for releases.", "Carol | OWNS | releases"]],
    counterexamples: ["Nobody is responsible for releases.", "The cache is responsible for the bug."],
  },
  {
    pattern: "{subject:person} am|is|are in charge of {object:things}",
    relation: "OWNS",
    personal: true,
    examples: [["Max is in charge of the CLI.", "Max | OWNS | CLI"]],
    counterexamples: ["Who is in charge of the CLI?", "Max is not in charge of the CLI."],
  },
  {
    pattern: "{subject:person} am|is|are the|an|a? new|current|main? owner|maintainer|lead of|for {object:things}",
    relation: "OWNS",
    personal: true,
    examples: [
      ["I'm the maintainer of `everlong`.", "user | OWNS | everlong"],
      ["Nina is the new owner of the landing page.", "Nina | OWNS | landing page"],
    ],
    counterexamples: ["Who is the maintainer of `everlong`?", "I am not the maintainer of `everlong`."],
  },
];
