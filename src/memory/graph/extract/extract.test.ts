// What a message states: by role, by block, by time; never more than it may give, never a throw.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_FACTS, type SourceMessage } from "./draft.ts";
import { extractFacts } from "./extract.ts";

const at = "2026-03-10T12:00:00Z";
const read = (text: string, role: SourceMessage["role"] = "user", time = at) => extractFacts({ text, role, at: time });
const edges = (text: string, role: SourceMessage["role"] = "user"): string[] => {
  const { facts, endings } = read(text, role);
  return [
    ...facts.map(({ subject, relation, object }) => `${subject.name} ${relation} ${object.name}`),
    ...endings.map(({ subject, relation, object }) => `no longer: ${subject.name} ${relation} ${object.name}`),
  ];
};
const since = (text: string, time = at): (string | undefined)[] => {
  const [fact] = read(text, "user", time).facts;
  return [fact?.validAt, ...(fact?.validUntil === undefined ? [] : [fact.validUntil])];
};

describe("G9 what a message states", () => {
  it("G9 preferences, ownership and terminology come from people and system messages only", () => {
    const said = ["I prefer tabs.", "Alice owns the api.", "SLO means service level objective."];
    const byRole = (role: SourceMessage["role"]) => said.map((text) => edges(text, role).length);
    expect(byRole("user")).toEqual([1, 1, 1]);
    expect(edges("Alice owns the api. The user prefers tabs.", "system")).toEqual([
      "Alice OWNS api",
      "user PREFERS tabs",
    ]);
    expect(byRole("assistant")).toEqual([0, 0, 0]);
    expect(byRole("tool")).toEqual([0, 0, 0]);
  });

  it("G9 what a tool prints is no statement: files, logs and pages it shows become no facts", () => {
    expect(edges("# README\nThis project uses Redis.\nAlice owns the api.\nThe port is now 9090.", "tool")).toEqual([]);
  });

  it("R4 G9 our own blocks, code, quotations and tables are not what was said", () => {
    const words = "The port is now 9090.";
    for (const text of [
      `<graphiti_memory>\n${words}\n</graphiti_memory>`,
      `<everlong_recall>\n${words}\n</everlong_recall>`,
      `<memories>\n${words}\n</memories>`,
      `\`\`\`\n${words}\n\`\`\``,
      `> ${words}`,
      `    ${words}`,
      `| ${words} |`,
      `"${words}"`,
      `He wrote "${words}" there.`,
      `// ${words}`,
    ])
      expect([text, ...edges(text)]).toEqual([text]);
    expect(edges(`<everlong_recall>\nThe port is now 1.\n</everlong_recall>\n${words}`)).toEqual([
      "port HAS_VALUE 9090",
    ]);
  });

  it("G9 questions, conditions, wishes, hearsay, guesses and denials are no facts", () => {
    for (const text of [
      "Does the api use Redis?",
      "does the api use redis",
      "If the api uses Redis, it is slow.",
      "If it breaks, the port is now 9090.",
      "The api would use Redis.",
      "I hope the api uses Redis.",
      "I think the api uses Redis.",
      "Bob says the api uses Redis.",
      "According to Bob, the api uses Redis.",
      "The error message reads: the api uses Redis.",
      "The customer wrote: the port is now 9090.",
      "Maybe the api uses Redis.",
      "The api uses Redis, I think.",
      "The port is now 9090, Bob says.",
      "The port is now 9090 but only if the flag is set.",
      "The api does not use Redis.",
      "The api never uses Redis.",
      "Nothing uses Redis.",
      "The api used Redis.",
      "The port will be 9090.",
      "Let's not use Redis.",
    ])
      expect([text, ...edges(text)]).toEqual([text]);
  });

  it("G9 MODIFIES, AUTHORED and IMPLEMENTS from what git prints, in a tool result or pasted in a fence", () => {
    const log = [
      "commit 4f5e6d7c8b9a0f1e2d3c4b5a69788796a5b4c3d2 (HEAD -> main)",
      "Author: Alice Doe <alice@example.com>",
      "Date:   Mon Feb 2 10:00:00 2026 +0100",
      "",
      "    Tidy the parser",
      "",
      "    Closes #31, ABC-7 and does not fix #99",
      "",
      " src/{old => new}/parse.ts | 4 ++--",
      " .../deeply/nested.ts | 2 +-",
      " 2 files changed, 3 insertions(+), 3 deletions(-)",
      "",
      "commit 0000aaaa0000aaaa0000aaaa0000aaaa0000aaaa",
      "Author: Bob <b@example.com>",
      "Date:   Tue Feb 3 10:00:00 2026 +0000",
      "",
      "    Drop the shim",
      "",
      "D\tsrc/shim.ts",
      "R100\tsrc/a.ts\tsrc/b.ts",
    ].join("\n");
    const [first, second] = ["4f5e6d7c8b9a0f1e2d3c4b5a69788796a5b4c3d2", "0000aaaa0000aaaa0000aaaa0000aaaa0000aaaa"];
    const wanted = [
      `${first} MODIFIES src/new/parse.ts`,
      `Alice Doe AUTHORED ${first}`,
      `${first} IMPLEMENTS #31`,
      `${first} IMPLEMENTS ABC-7`,
      `${second} MODIFIES src/shim.ts`,
      `${second} MODIFIES src/b.ts`,
      `Bob AUTHORED ${second}`,
    ];
    expect(edges(log, "tool")).toEqual(wanted);
    expect(edges(`Look at this:\n\`\`\`\n${log}\n\`\`\``)).toEqual(wanted);
    expect(read(log, "tool").facts.map(({ validAt }) => validAt)).toContain("2026-02-02T09:00:00.000000Z");
    expect(read(log, "tool").facts[0]?.text).toBe("Commit 4f5e6d7c8b modifies src/new/parse.ts: Tidy the parser");
  });

  it("G9 a working tree's diff and status name files, and say of no commit that it modified them", () => {
    const diff = "diff --git a/src/x.ts b/src/x.ts\n--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1 +1 @@\n-a\n+b";
    expect(edges(diff, "tool")).toEqual([]);
    expect(read(diff, "tool").entities).toContainEqual({ name: "src/x.ts", label: "File" });
  });

  it("G9 entities: paths, symbols, packages, commits, branches, numbers, addresses, commands", () => {
    const text = [
      "See `src/a.ts`, loadConfig(), `feature/login`, 1a2b3c4, #12, ABC-9, https://github.com/acme/app/pull/7 and `npm test`.",
      "```ts",
      'import { z } from "zod";',
      'import x from "@acme/core/deep";',
      "export function readAll() {}",
      "```",
      "```",
      "$ npm install -D vitest@5 @types/node",
      "```",
    ].join("\n");
    expect(read(text).entities).toEqual(
      expect.arrayContaining([
        { name: "src/a.ts", label: "File" },
        { name: "loadConfig", label: "Symbol" },
        { name: "feature/login", label: "Branch" },
        { name: "1a2b3c4", label: "Commit" },
        { name: "#12", label: "Task" },
        { name: "ABC-9", label: "Task" },
        { name: "acme/app#7", label: "PullRequest" },
        { name: "npm test", label: "Tool" },
        { name: "zod", label: "Package" },
        { name: "@acme/core", label: "Package" },
        { name: "readAll", label: "Symbol" },
        { name: "vitest", label: "Package" },
        { name: "@types/node", label: "Package" },
      ]),
    );
  });

  it("G9 a word that every object has is a word like any other", () => {
    const { facts } = read("constructor 12 depends on Redis.", "user");
    for (const { subject, object } of facts)
      expect([typeof subject.label, typeof object.label]).toEqual(["string", "string"]);
  });

  it("G9 numbered steps of a procedure follow each other; other lists do not", () => {
    const steps = "1. Run the migrations\n2. `docker build .`\n3. Restart the pods";
    expect(edges(`To deploy:\n${steps}`)).toEqual([
      "`docker build .` FOLLOWS Run the migrations",
      "Restart the pods FOLLOWS `docker build .`",
    ]);
    for (const title of ["My plan:", "Options:", "What about these steps?"])
      expect(edges(`${title}\n${steps}`)).toEqual([]);
    expect(edges("Release steps:\n1. The name\n2. The logo")).toEqual([]);
    expect(edges("Release steps:\n1. npm run build\n2. git tag v1")).toEqual(["git tag v1 FOLLOWS npm run build"]);
    expect(edges("Release steps:\n1. Docker is installed\n2. npm runs")).toEqual([]);
    expect(edges("Some notes:\n1. The port is now 9090.\n2. Alice lives in Rome.")).toEqual([
      "port HAS_VALUE 9090",
      "Alice LIVES_IN Rome",
    ]);
  });

  it("G9 who says I: the speaker when there is one, and never the assistant", () => {
    const facts = extractFacts({ text: "I live in Rome.", role: "user", at, speaker: "Nora" }).facts;
    expect(facts.map(({ subject }) => subject)).toEqual([{ name: "Nora", label: "User" }]);
    expect(edges("I live in Rome. I use grep.", "assistant")).toEqual([]);
  });

  it("G9 G14 each clause has its own time and its own ending", () => {
    expect(edges("We no longer use Redis, but the api uses Kafka.")).toEqual([
      "api USES Kafka",
      "no longer: workspace USES Redis",
    ]);
    expect(edges("We no longer use Redis and Alice lives in Rome.")).toEqual([
      "Alice LIVES_IN Rome",
      "no longer: workspace USES Redis",
    ]);
    const { facts } = read("Alice lives in Rome and Bob moved to Lima yesterday.");
    expect(facts.map(({ validAt }) => validAt)).toEqual(["2026-03-10T12:00:00.000000Z", "2026-03-09T00:00:00.000000Z"]);
    const both = read("Since May 2024, Alice lives in Rome and works at Acme.").facts;
    expect(both.map(({ validAt }) => validAt)).toEqual(["2024-05-01T00:00:00.000000Z", "2024-05-01T00:00:00.000000Z"]);
  });

  it("G9 an intention takes back nothing that was said before it", () => {
    expect(edges("We use Redis for sessions, and Bob will write the docs.")).toEqual(["workspace USES Redis"]);
    expect(edges("Nina, who will speak on Friday, owns the search service.")).toEqual(["Nina OWNS search service"]);
    expect(edges("We use the team plan.")).toEqual(["workspace USES team plan"]);
    for (const text of [
      "Bob will write the docs, and we use Redis.",
      "The plan: we use Redis.",
      "We plan to use Redis.",
      "We use Redis, but that might have changed.",
      "We use Redis, I think.",
      "The api uses Redis, which could be wrong.",
      "the api doesnt use Redis",
    ])
      expect([text, ...edges(text)]).toEqual([text]);
  });

  it("G9 half of a phrase is no fact: adjectives, participles, brackets and lines of changelogs", () => {
    for (const text of [
      "`url.parse()` uses a lenient, non-standard algorithm.",
      "The loader uses a defined and predictable order.",
      "The modules are resolved and cached as URLs.",
      "We use the metadata generated by that.",
      "Constants moved from the process object to require('constants').",
      "repl: the `start` function requires a parameter (cjihrig) #5388.",
      "* [`1bbf143898`] - test: fixtures use Redis",
      "The method takes what follows: the api uses a {FileHandle} object.",
      "Fixes reported memory leak in #33468",
      "Node.js maintains a tier-based support system.",
    ])
      expect([text, ...edges(text)]).toEqual([text]);
    expect(edges("14:15 checkout is healthy again")).toEqual(["checkout HAS_STATUS healthy"]);
    expect(edges("PR #4 is merged and deployed.")).toContain("#4 HAS_STATUS merged");
  });

  it("R4 what a client put into a message is nobody's statement", () => {
    for (const name of ["system-reminder", "environment_context", "user_instructions", "ide_selection"])
      expect(edges(`The port is 9090.\n<${name}>\nThe api uses Redis.\nAlice owns the CLI.\n</${name}>`)).toEqual([
        "port HAS_VALUE 9090",
      ]);
  });

  it("G9 a word that only points is no entity, and a plain term is one only within a fact", () => {
    for (const text of ["`this` uses `Redis`.", "I prefer the second one.", "`it` depends on `session.ts`."])
      expect([text, ...edges(text)]).toEqual([text]);
    const { entities } = read("Look at `it`, `some words` and `src/app.ts`. See https://example.com/page too.");
    expect(entities).toEqual([{ name: "src/app.ts", label: "File" }]);
  });

  it("G9 a change is a fact and an ending, at the same time", () => {
    const { facts, endings } = read("Last month we moved from Jest to Vitest.");
    expect(facts).toMatchObject([
      { relation: "USES", object: { name: "Vitest" }, validAt: "2026-02-01T00:00:00.000000Z" },
    ]);
    expect(endings).toMatchObject([{ relation: "USES", object: { name: "Jest" }, at: "2026-02-01T00:00:00.000000Z" }]);
  });
});

describe("G14 RB10 times", () => {
  it("G14 an absolute time is taken as it is, a relative one from the message, else the message's own", () => {
    expect(since("The port is 9090.")).toEqual(["2026-03-10T12:00:00.000000Z"]);
    for (const [text, time] of [
      ["Since 2025-11-03 the port is 9090.", "2025-11-03T00:00:00.000000Z"],
      ["As of 2025-11-03T08:30:00+02:00 the port is 9090.", "2025-11-03T06:30:00.000000Z"],
      ["As of 2025-11-03 08:30 the port is 9090.", "2025-11-03T08:30:00.000000Z"],
      ["The port is 9090 since 12 May 2024.", "2024-05-12T00:00:00.000000Z"],
      ["The port is 9090 since May 2024.", "2024-05-01T00:00:00.000000Z"],
      ["The port is 9090 since yesterday.", "2026-03-09T00:00:00.000000Z"],
      ["Since last week the port is 9090.", "2026-03-02T00:00:00.000000Z"],
      ["2 hours ago the port was raised to 9090.", "2026-03-10T10:00:00.000000Z"],
      ["3 days ago PR #4 was merged.", "2026-03-07T00:00:00.000000Z"],
      ["PR #4 was merged on Monday.", "2026-03-09T00:00:00.000000Z"],
      ["PR #4 was merged two years ago.", "2024-03-10T00:00:00.000000Z"],
    ] as const)
      expect([text, ...since(text)]).toEqual([text, time]);
    expect(since("The freeze is active until 2026-04-01.")).toEqual([
      "2026-03-10T12:00:00.000000Z",
      "2026-04-01T00:00:00.000000Z",
    ]);
    expect(since("The freeze is active until Friday.")).toEqual([
      "2026-03-10T12:00:00.000000Z",
      "2026-03-13T00:00:00.000000Z",
    ]);
  });

  it("G14 a date that is the value is not the time", () => {
    const [fact] = read("The deadline is 2026-04-01.").facts;
    expect(fact).toMatchObject({ object: { name: "2026-04-01" }, validAt: "2026-03-10T12:00:00.000000Z" });
  });

  it("RB10 years 1 and 9999, no zone, no time at all: nothing negative, nothing lost", () => {
    const text = "The port is now 9090.";
    expect(since(text, "0001-01-01T00:00:00Z")).toEqual(["0001-01-01T00:00:00.000000Z"]);
    expect(since(text, "9999-12-31T23:59:59Z")).toEqual(["9999-12-31T23:59:59.000000Z"]);
    expect(since(text, "2026-03-10T12:00:00")).toEqual(["2026-03-10T12:00:00.000000Z"]);
    expect(since(text, "2026-03-10T13:00:00+01:00")).toEqual(["2026-03-10T12:00:00.000000Z"]);
    expect(since(text, "no time")).toEqual(["no time"]);
    expect(since("Since 0001-01-01 the port is 9090.")).toEqual(["0001-01-01T00:00:00.000000Z"]);
    expect(since("Since 9999-12-31 the port is 9090.")).toEqual(["9999-12-31T00:00:00.000000Z"]);
    for (const time of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "no time"])
      for (const when of [
        "yesterday",
        "9999 years ago",
        "last year",
        "since Monday",
        "until Friday",
        "in 1970",
        "900 weeks ago",
      ]) {
        const [fact] = read(`The port is 9090 ${when}.`, "user", time).facts;
        if (fact && time !== "no time") expect(fact.validAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        expect(fact?.validAt ?? "0001").not.toMatch(/^-|^0000/);
      }
    const contrary = read("The freeze is active until 2020-01-01.").facts;
    expect(contrary).toEqual([]);
  });
});

describe("RB9 bounds", () => {
  const words = fc.constantFrom(
    ...'we I Alice the api port uses is now 9090 , . ? \n `src/a.ts` "x" moved from to no longer decided prefer over for #12 commit 1a2b3c4 1. - > ``` ( ) since 2024-01-01 yesterday May \'s ’s'.split(
      " ",
    ),
  );
  const sentence = fc.array(words, { maxLength: 60 }).map((list) => list.join(" "));
  const role = fc.constantFrom("user", "assistant", "system", "tool") as fc.Arbitrary<SourceMessage["role"]>;

  it("RB9 RI8 any text and any time: no throw, at most 50 facts, names and texts bounded, the same each time", () => {
    fc.assert(
      fc.property(
        fc.oneof(sentence, fc.string({ unit: "binary", maxLength: 400 }), fc.string({ maxLength: 400 })),
        role,
        fc.oneof(fc.constant(at), fc.string()),
        (text, who, time) => {
          const message: SourceMessage = { text, role: who, at: time };
          const extraction = extractFacts(message);
          expect(extractFacts(message)).toEqual(extraction);
          expect(Math.max(extraction.facts.length, extraction.endings.length)).toBeLessThanOrEqual(MAX_FACTS);
          for (const { subject, object, text: fact, relation } of [...extraction.facts, ...extraction.endings]) {
            expect(relation).toMatch(/^[A-Z_]+$/);
            expect(fact.length).toBeLessThanOrEqual(500);
            for (const { name, label } of [subject, object]) {
              expect(name.length).toBeGreaterThan(0);
              expect(name.length).toBeLessThanOrEqual(200);
              expect(extraction.entities).toContainEqual({ name, label });
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it("RB9 a thousand statements give fifty facts, with both ends of each among the entities", () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `Service${i} uses Tool${i}.`).join("\n");
    const { facts, entities } = read(text);
    expect(facts).toHaveLength(MAX_FACTS);
    expect(entities).toHaveLength(2 * MAX_FACTS);
  });

  it("RB9 huge and hostile texts are read to their end: nothing in them is a fact, what follows is", () => {
    for (const text of [
      "a".repeat(1_000_000),
      "(".repeat(10_000),
      `${"word ".repeat(100_000)}.`,
      "`".repeat(50_000),
      '"a '.repeat(50_000),
      "1. x\n".repeat(20_000),
    ])
      expect(read(text).facts).toEqual([]);
    expect(edges(`${"([{".repeat(10_000)}\n\nThe port is now 9090.`)).toEqual(["port HAS_VALUE 9090"]);
  });
});
