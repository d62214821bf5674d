// What goes on to be scored when a store is full of one thing.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runUnit } from "../../../store/embedded-store.ts";
import { askTerms } from "../../../store/terms.ts";
import { conversation, find, HOME, idsOf, storeOf } from "../recall-fixture.ts";
import { resolveScope } from "../store/scope.ts";
import { frameOf } from "./match.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe("candidates of a search", () => {
  it("R23 near-duplicates by the hundred take one place and leave room for the best of what differs", () => {
    const twin = (n: number): string =>
      `The nightly backup of the orchard database failed again because the disk of the server in the cellar is full, attempt ${n}`;
    const others = [
      "The backup was moved to another machine",
      "Who looks after the orchard in winter",
      "A new disk was ordered on Monday",
    ];
    const db = storeOf([
      ...conversation(others, { ...HOME, session: "others" }),
      ...conversation(numbers(400).map(twin), { ...HOME, session: "twins" }, Date.UTC(2025, 1, 1)),
    ]);
    const answer = find(db, "backup of the orchard database failed, disk full");
    expect(answer.results.map(({ source }) => source.session).filter((session) => session === "twins")).toHaveLength(1);
    expect(idsOf(answer)).toContain("others-0");
  });

  it("R18 one long conversation about a thing leaves room for other sessions that speak of it", () => {
    const about = (n: number): string => `the lighthouse keeper came to day ${n} with story number ${n * 7}`;
    const elsewhere = numbers(4).map((n) =>
      conversation([`remark ${n}: somebody bought the old lighthouse lamp`], { ...HOME, session: `other${n}` }),
    );
    const db = storeOf([...conversation(numbers(60).map(about), { ...HOME, session: "long" }), ...elsewhere.flat()]);
    const sessions = new Set(
      find(db, "what became of the lighthouse lamp").results.map(({ source }) => source.session),
    );
    expect(sessions.size).toBeGreaterThanOrEqual(2);
  });

  it("R26 a question of 32 very common words is answered", () => {
    const common = numbers(32).map((n) => `word${String.fromCharCode(97 + (n % 26))}${n < 26 ? "x" : "y"}`);
    const db = storeOf(conversation(numbers(300).map((n) => `${common.join(" ")} and thing${n}`)));
    const answer = find(db, common.join(" "));
    expect(answer.partial).toBe(false);
    expect(answer.results.length).toBeGreaterThan(0);
  });

  it("R28 RI2 a rare word in many scopes is found in the same passages whether their rows are asked or the index", () => {
    const words = ["rare", "seldom", "common"];
    const text = (n: number): string => (n % 50 === 0 ? "rare" : n % 20 === 0 ? "seldom" : "common");
    const db = storeOf(
      numbers(30).flatMap((n) =>
        conversation(
          numbers(20).map((i) => text(n * 20 + i)),
          { ...HOME, session: `s${n}`, repository: `r${n % 12}` },
        ),
      ),
    );
    const session = fc.nat({ max: 31 }).map((n) => ({ type: "session", session: `s${n}` }) as const);
    const repository = fc.nat({ max: 12 }).map((n) => ({ type: "repository", repository: `r${n}` }) as const);
    const scopes = fc.array(fc.oneof(session, repository), { minLength: 5, maxLength: 14 });
    const options = { want: fc.constantFrom("ids", "few", "count"), most: fc.constantFrom(undefined, 3, 500) } as const;
    fc.assert(
      fc.property(scopes, fc.constantFrom(...words), fc.record(options), (within, word, { want, most }) => {
        const scope = runUnit(db, resolveScope({ scopes: within }));
        if (!scope || (want === "few" && most === undefined)) return;
        const { scopes: byRow, ...byIndex } = frameOf(scope, { roles: ["user"] });
        const ask = (frame: object) => {
          const match = { groups: [{ tokens: [word] }], frame: { ...byIndex, ...frame } };
          return runUnit(
            db,
            askTerms([{ match, want, ...(most === undefined ? {} : { most }) }], () => true),
          );
        };
        expect(byRow).toHaveLength(scope.ids.length);
        expect(ask({ scopes: byRow })).toEqual(ask({}));
      }),
    );
  });
});
