// The ledger: what is taken in, what closes what, that telling twice changes nothing, and that it stays in its room.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareCommand, changedByShell, onlyLooks, readOutcome } from "./command.ts";
import type { Happening } from "./happening.ts";
import { emptyLedger, foldLedger, openFailures } from "./ledger.ts";
import { chooseEntries, entriesText, ledgerEntries } from "./render.ts";
import { tellingSentences } from "./words.ts";

const ran = (turn: number, command: string, text: string): Happening[] => [
  { type: "call", turn, item: 2, callId: `c${turn}`, tool: "bash", args: { command } },
  { type: "result", turn, item: 3, callId: `c${turn}`, text },
];
const fold = (happenings: readonly Happening[]) => foldLedger(emptyLedger(), happenings);

describe("N36 what is taken in", () => {
  it.each([
    ["Never touch vendor/quince.", 4],
    ["Please don't push to main.", 4],
    ["Remember: the window is Tuesday.", 4],
    ["We decided on Zstandard.", 4],
    ["Actually it was the other one.", 3],
    ["Use tabs here.", 2],
    ["The staging port is 8081.", 1],
    ["Bitte niemals die Tabelle ändern.", 4],
    ["数据库备份必须保存在法兰克福机房。", 4],
    ["Never the wrong one?", 0],
    ["Add a flag", 0],
    ["ok", 0],
  ])("N36 %s is worth %i", (sentence, worth) => {
    expect(tellingSentences(sentence)[0]?.worth ?? 0).toBe(worth);
  });

  it("N36 pasted code and output are nobody's words", () => {
    const pasted = "Look:\n```\nthis must never be told\n```\n    at must (never.ts:1)\n> always quoted\nKeep it.";
    expect(tellingSentences(pasted).map(({ text }) => text)).toEqual(["Keep it."]);
  });

  it.each([
    ["bash -lc 'cd /repo && FOO=1 npm test 2>&1 | tail -20'", "npm test"],
    ["timeout 60 npx vitest run a.test.ts || true", "vitest run a.test.ts"],
    ["# a note\ncargo test", "cargo test"],
  ])("N28 the name of %j", (command, name) => {
    expect(bareCommand(command)).toBe(name);
  });

  it.each([
    ["cat a | head -3 && ls", true],
    ["git status && git diff", true],
    ["cd x; grep -rn y .", true],
    ["cat > a.ts", false],
    ["npm test | tail", false],
    ["git push", false],
  ])("N28 %j only looks: %s", (command, looks) => {
    expect(onlyLooks(command)).toBe(looks);
  });

  it("N28 files that plain commands change", () => {
    expect(changedByShell("rm -rf a b; mv c d && sed -i 's/x/y/' e.ts && echo hi > 'f g' 2>/dev/null")).toEqual([
      { path: "a", did: "deleted" },
      { path: "b", did: "deleted" },
      { path: "d", did: "moved" },
      { path: "e.ts", did: "edited" },
      { path: "f g", did: "written" },
    ]);
  });

  it("N36 a pipe hides the exit code of a check, not its words", () => {
    expect(readOutcome("Tests: 2 failed, 3 passed\nexit code: 0", undefined, "npm test | tail -5").failed).toBe(true);
    expect(readOutcome("0 failed, 3 passed\nexit code: 0", undefined, "npm test").failed).toBe(false);
    expect(readOutcome("src/errors.ts: class error {}", undefined, "node gen.js").failed).toBe(false);
  });
});

describe("N36 what closes what", () => {
  it("N36 a failure stays open until the same command, or the whole suite, passes later", () => {
    const failing = ran(1, "npm test -- a.test.ts", "FAIL\nexit code: 1");
    expect(openFailures(fold(failing)).map(({ command }) => command)).toEqual(["npm test -- a.test.ts"]);
    expect(openFailures(fold([...failing, ...ran(2, "npm run lint", "exit code: 0")]))).toHaveLength(1);
    expect(openFailures(fold([...failing, ...ran(2, "npm test", "exit code: 0")]))).toEqual([]);
    expect(
      openFailures(fold([...ran(1, "npm test", "exit code: 0"), ...ran(2, "npm test -- a", "exit code: 1")])),
    ).toHaveLength(1);
  });

  it("N36 a change that failed is told as failed, with what landed before", () => {
    const edit = (turn: number, failed: boolean): Happening[] => [
      {
        type: "call",
        turn,
        item: 2,
        callId: `e${turn}`,
        tool: "edit",
        args: { path: "a.ts", old_str: "x", new_str: "y\nz" },
      },
      { type: "result", turn, item: 3, callId: `e${turn}`, text: failed ? "old_str was not found" : "ok", failed },
    ];
    const text = (happenings: Happening[]): string => entriesText(ledgerEntries(fold(happenings)));
    expect(text([...edit(1, false), ...edit(2, false)])).toContain("[t2.2] a.ts: edited 2x (+4 -2)");
    expect(text([...edit(1, false), ...edit(2, true)])).toContain(
      "a.ts: edited (+2 -1); last change failed: old_str was not found",
    );
  });

  it("N36 todos: open ones with the turn in which they were set; a client's list replaces its last", () => {
    const list = (turn: number, ...titles: string[]): Happening => ({
      ...{ type: "call", turn, item: 2, tool: "TodoWrite" },
      args: { todos: titles.map((content) => ({ content, status: content === "b" ? "completed" : "pending" })) },
    });
    expect(
      ledgerEntries(fold([list(1, "a", "b"), list(4, "a", "b", "c")])).map(({ turn, text }) => [turn, text]),
    ).toEqual([
      [1, "a (pending)"],
      [4, "c (pending)"],
    ]);
  });
});

it("N36 any happenings: the lines stay in their room, and telling them twice changes nothing", () => {
  const place = { turn: fc.integer({ min: 1, max: 20 }), item: fc.integer({ min: 1, max: 9 }) };
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.constantFrom(
      "valueOf",
      "constructor",
      "Never do it.",
      "exit code: 1",
      "We decided on x1.",
      "a > b; rm c",
      "*** Add File: x",
    ),
  );
  const happening = fc.oneof(
    fc.record({ ...place, type: fc.constantFrom("prompt" as const, "answer" as const), text }),
    fc.record({
      ...place,
      type: fc.constant("call" as const),
      callId: fc.constantFrom("a", "b", undefined),
      tool: fc.constantFrom("bash", "edit", "x"),
      args: fc.oneof(fc.record({ path: text, command: text }), text, fc.constant(null)),
    }),
    fc.record({ ...place, type: fc.constant("result" as const), callId: fc.constantFrom("a", "b", undefined), text }),
  );
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), fc.integer({ min: 0, max: 2_000 }), (all, room) => {
      const told = all.toSorted((a, b) => a.turn - b.turn || a.item - b.item) as Happening[];
      const ledger = fold(told);
      const shown = entriesText(chooseEntries(ledgerEntries(ledger), room, ({ length }) => length));
      expect(shown.length).toBeLessThanOrEqual(room);
      const words = (of: typeof ledger) => [of.asks, of.words, of.choices];
      expect(words(foldLedger(ledger, told))).toEqual(words(ledger));
    }),
    { numRuns: 200 },
  );
});
