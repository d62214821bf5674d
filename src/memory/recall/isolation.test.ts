// Nobody sees what is not theirs: scopes and identities are inside of every query.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item } from "./item.ts";
import { itemById, listByTime } from "./list.ts";
import { openStore } from "./recall-fixture.ts";
import { search } from "./search.ts";
import type { RecallScope, Within } from "./store/scope.ts";
import { RecallWriter } from "./store/write.ts";

const names = ["a", "b", "a') OR 1=1--", '"@1"', "../../x", "*", "x".repeat(10_000)];
const words = ["shared", "words", "everywhere", "in", "all", "of", "them"];

type Owned = Item & { owner: { identity: string; repository: string; session: string } };

function world() {
  const db = openStore();
  const items: Owned[] = [];
  for (const identity of ["", ...names.slice(0, 2)])
    for (const repository of names)
      for (const session of ["s", "s2"])
        for (let seq = 0; seq < 3; seq++) {
          const owner = { identity, repository, session };
          items.push({
            id: `i${items.length}`,
            kind: "turn",
            text: words.join(" "),
            role: "user",
            seq,
            turn: items.length,
            index: 1,
            time: 1000 + items.length,
            place: { ...owner, level: "session" },
            owner,
          });
        }
  new RecallWriter(db).add(items);
  return { db, byId: new Map(items.map((i) => [i.id, i.owner])) };
}

describe("isolation", () => {
  const { db, byId } = world();
  const key = fc.constantFrom(...names);
  const scope: fc.Arbitrary<RecallScope> = fc.oneof(
    key.map((repository): RecallScope => ({ type: "repository", repository })),
    fc.constantFrom<RecallScope>({ type: "session", session: "s" }, { type: "session", session: "s'--" }),
    fc.constant<RecallScope>({ type: "all" }),
    key.map((workspace): RecallScope => ({ type: "workspace", workspace })),
    fc.constant<RecallScope>({ type: "user" }),
  );
  const within: fc.Arbitrary<Within> = fc.record({
    identity: fc.constantFrom("", "a", "b", "c"),
    scopes: fc.array(scope, { minLength: 1, maxLength: 2 }),
  });
  const mayBeSeen = (id: string, { identity = "", scopes }: Within): boolean => {
    const owner = byId.get(id)!;
    if (owner.identity !== identity && owner.identity !== "") return false;
    return scopes.some(
      (s) =>
        s.type === "all" ||
        (s.type === "repository" && s.repository === owner.repository) ||
        (s.type === "session" && s.session === owner.session),
    );
  };

  it("P28 PI8 RI2 R54 B36 RB6 no search, list or lookup gives a foreign item, whatever the keys", () => {
    fc.assert(
      fc.property(within, fc.subarray(words, { minLength: 1 }), (w, query) => {
        const found = search(db, { text: query.join(" "), within: w, limit: 100 }).results;
        const listed = listByTime(db, { within: w, limit: 100 }).items;
        for (const id of [...found.flatMap((r) => [r.id, ...r.also]), ...listed.map((r) => r.id)])
          expect(mayBeSeen(id, w), JSON.stringify([id, byId.get(id), w]).slice(0, 300)).toBe(true);
        const expected = [...byId.keys()].filter((id) => mayBeSeen(id, w));
        expect(listed.length).toBe(Math.min(100, expected.length));
        for (const id of byId.keys()) expect(itemById(db, w, id) !== undefined).toBe(mayBeSeen(id, w));
      }),
      { numRuns: 150 },
    );
  });

  it("R54 two credentials with one session key share nothing", () => {
    const seen = (identity: string) => {
      const within: Within = { identity, scopes: [{ type: "session", session: "s" }] };
      return listByTime(db, { within, limit: 1000 }).items.map((i) => i.id);
    };
    const own = (identity: string) => seen(identity).filter((id) => byId.get(id)!.identity === identity);
    expect(own("a").length).toBeGreaterThan(0);
    expect(seen("a").filter((id) => own("b").includes(id))).toEqual([]);
  });

  it("R38 R54 the owner of the machine may ask for every identity", () => {
    const { db, byId } = world();
    const within: Within = { everyone: true, scopes: [{ type: "session", session: "s" }] };
    const owners = listByTime(db, { within, limit: 1000 }).items.map((i) => byId.get(i.id)!);
    expect(new Set(owners.map((o) => o.identity)).size).toBe(3);
  });

  it("R52 R28 what belongs to a user is found from everywhere, records of a repository only there, a board on its branch only", () => {
    const store = openStore();
    const item = (id: string, place: Item["place"]): Item => ({
      id,
      kind: "record",
      text: "metric units",
      role: "user",
      seq: 0,
      place,
    });
    new RecallWriter(store).add([
      item("mine", { level: "user", user: "ann", repository: "r1" }),
      item("hers", { level: "user", user: "eve", repository: "r1" }),
      item("repo", { level: "repository", repository: "r1" }),
      item("other", { level: "repository", repository: "r2" }),
      item("board", { level: "branch", repository: "r1", branch: "main" }),
    ]);
    const ask = (...scopes: RecallScope[]) =>
      search(store, { text: "metric", within: { identity: "x", scopes } })
        .results.flatMap((r) => [r.id, ...r.also])
        .sort();
    const of = (repository: string): RecallScope[] => [
      { type: "repository", repository },
      { type: "user", user: "ann" },
    ];
    expect(ask(...of("r1"))).toEqual(["mine", "repo"]);
    expect(ask(...of("r2"))).toEqual(["mine", "other"]);
    expect(ask(...of("r1"), { type: "board", repository: "r1", branch: "main" })).toEqual(["board", "mine", "repo"]);
    for (const [repository, branch] of [
      ["r1", "next"],
      ["r2", "main"],
    ] as const)
      expect(ask({ type: "board", repository, branch })).toEqual([]);
    expect(ask({ type: "branch", repository: "r1", branch: "main" })).toEqual([]);
  });
});
