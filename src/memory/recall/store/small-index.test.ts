// A small index in memory answers as the database does.
import { describe, expect, it } from "vitest";
import { runUnit } from "../../../store/embedded-store.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { TermQuestion } from "../../../store/term-step.ts";
import { askTerms } from "../../../store/terms.ts";
import { frameOf } from "../rank/match.ts";
import { conversation, EVERYTHING, find, idsOf, storeOf } from "../recall-fixture.ts";
import { KnownRows } from "./known-rows.ts";
import { Reader } from "./read.ts";
import { type ResolvedScope, resolveScope, type Within } from "./scope.ts";
import { SmallIndex } from "./small-index.ts";
import { RecallWriter } from "./write.ts";

const always = (): boolean => true;
const said = conversation([
  "where is the lighthouse keeper",
  "on the northern cliff, in src/keeper.ts",
  "and who keeps it",
  "an old sailor keeps the light",
  "灯台はどこですか",
]);
const frame = { realms: [], and: [], not: [] };
const questions: TermQuestion[] = [
  { match: { groups: [{ tokens: ["the"] }], frame }, want: "ids" },
  { match: { groups: [{ tokens: ["lighthouse", "sailor", "nowhere"] }], frame }, want: "ids", most: 1 },
  { match: { groups: [{ tokens: ["the"] }, { tokens: ["~keep", "sailor"] }], frame }, want: "ids" },
  { match: { groups: [{ tokens: [] }], frame }, want: "count" },
  { match: { groups: [{ tokens: ["the"] }], frame: { ...frame, not: ["%user"] } }, want: "few", most: 9 },
  { match: { groups: [{ tokens: ["the"] }], frame: { ...frame, and: [["%user", "%tool"]] } }, want: "few", most: 1 },
  { match: { groups: [{ tokens: ["the"] }], frame }, want: "count" },
  { match: { groups: [{ tokens: [], beginnings: ["keep"] }], frame }, want: "ids" },
  { match: { groups: [], frame: { ...frame, not: ["#tool"], left: ["#turn"] } }, want: "count" },
];

const scopeIn = (db: Database, within: Within): ResolvedScope => {
  const scope = runUnit(db, resolveScope(within));
  if (!scope) throw new Error("nothing was stored there");
  return scope;
};
const indexOf = (db: Database, known: KnownRows, within: Within): SmallIndex | undefined => {
  runUnit(db, known.renew());
  return runUnit(db, known.indexFor(scopeIn(db, within)));
};

describe("a small index in memory", () => {
  it("R31 gives what the database gives, also of what came later", () => {
    const db = storeOf(said.slice(0, 3));
    const small = new SmallIndex(undefined);
    runUnit(db, small.renew());
    new RecallWriter(db).add(said.slice(3));
    runUnit(db, small.renew());
    const asked = runUnit(db, askTerms(questions, always));
    expect(runUnit(db, small.ask(questions, always))).toEqual(asked);
    expect(asked.map(({ count }) => count)).toContain(3);
  });

  it("R18 knows the messages around one as the database does", () => {
    const db = storeOf(said);
    const small = new SmallIndex(undefined);
    runUnit(db, small.renew());
    const reader = new Reader();
    const items = runUnit(db, reader.items([1, 2, 3, 4, 5]));
    const bySql = runUnit(db, reader.neighbours(items, Number.MAX_SAFE_INTEGER));
    const numbers = (sides: readonly { id: number }[][]) => sides.map((side) => side.map(({ id }) => id));
    expect(items.map(({ home, seq }) => numbers(small.around(home, seq, Number.MAX_SAFE_INTEGER)))).toEqual(
      bySql.map(numbers),
    );
  });

  it("R31 asks the database for the first thing only, and for what is rarely asked", () => {
    const db = storeOf(said);
    const small = new SmallIndex(undefined);
    runUnit(db, small.renew());
    const asked: TermQuestion[] = [];
    const unit = small.ask(questions, always);
    for (let next = unit.next(); !next.done; ) {
      const some = next.value.type === "ask_terms" ? next.value.questions : [];
      asked.push(...some);
      next = unit.next(runUnit(db, askTerms(some, always)));
    }
    expect(asked).toEqual(questions.filter((_, i) => i === 0 || i >= questions.length - 2));
  });

  it("R31 takes the place of the database from the second search on, with the same answers", () => {
    const db = storeOf(said);
    const known = new KnownRows();
    const held = [1, 2].map(() => indexOf(db, known, EVERYTHING) !== undefined);
    expect(held).toEqual([false, true]);
    const [first, second] = [1, 2].map(() => find(db, "who keeps the light").results);
    expect(second).toEqual(first);
    expect(idsOf(find(db, "灯台"))[0]).toBe(said[4]?.id);
  });

  it("R31 N33 of a large store it holds the session that is asked, read ahead a little at a time", () => {
    const pages = (name: string, count: number) =>
      conversation(
        Array.from({ length: count }, (_, n) => `the keeper wrote page ${n}, and who keeps it is an old sailor`),
        { session: name, level: "session" },
      );
    const own = pages("own", 90);
    const db = storeOf([...own.slice(0, 70), ...pages("other", 2_000), ...own.slice(70)]);
    const within: Within = { scopes: [{ type: "session", session: "own" }] };
    const known = new KnownRows();
    expect(indexOf(db, known, EVERYTHING)).toBeUndefined();
    const ahead = (): number => runUnit(db, known.readAhead(scopeIn(db, within)));
    expect(ahead()).toBeGreaterThan(0);
    expect(indexOf(db, known, within), "half read").toBeUndefined();
    while (ahead());
    const small = indexOf(db, known, within);
    const scoped = frameOf(scopeIn(db, within), {});
    const asked = questions.map(({ match, ...rest }) => ({ ...rest, match: { ...match, frame: scoped } }));
    const answers = runUnit(db, askTerms(asked, always));
    expect(small && runUnit(db, small.ask(asked, always))).toEqual(answers);
    expect(answers[0]?.count).toBe(90);
    const [first, second] = [1, 2].map(() => find(db, "which page did the keeper write", { within }));
    expect(second).toEqual(first);
  });
});
