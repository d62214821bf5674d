// What a search finds, in which order, and why.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item } from "./item.ts";
import { total, WEIGHTS } from "./rank/weights.ts";
import { conversation, find, HOME, idsOf, storeOf } from "./recall-fixture.ts";

const filler = (n: number): string[] =>
  Array.from({ length: n }, (_, i) => `note ${i}: we looked at module ${i % 7} and changed some lines of it`);
const item = (id: string, text: string, more: Partial<Item> = {}): Item => ({
  ...{ id, kind: "turn", text, role: "user", seq: Number(id.replace(/\D/g, "")) || 0, place: HOME },
  ...more,
});

describe("finding", () => {
  it("R5 RE1 shows a fact 3,000 and 50,000 characters deep in a tool result", () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `line ${i} of the log says that nothing happened`);
    const text = lines.join("\n");
    const deep = `${text.slice(0, 3000)}\nthe flux capacitor needs 1.21 gigawatts\n${text.slice(3000, 50_000)}\nplutonium\n${text.slice(50_000)}`;
    const db = storeOf([item("t1", deep, { kind: "tool", role: "tool" }), ...conversation(filler(20))]);
    for (const [query, shown] of [
      ["how many gigawatts does the capacitor need?", "1.21 gigawatts"],
      ["plutonium", "plutonium"],
    ] as const) {
      const [first] = find(db, query).results;
      expect(first?.id).toBe("t1");
      expect(first?.snippets.map((s) => s.text).join()).toContain(shown);
      for (const s of first?.snippets ?? []) expect(deep.slice(s.start, s.end)).toBe(s.text.replaceAll("…", ""));
    }
  });

  it("R13 finds a path by its base name, a part, and a name in another spelling; the whole match first", () => {
    const db = storeOf([
      ...conversation(filler(10)),
      item("x1", "src/auth/login.ts holds the form"),
      item("x2", "we call get_user_by_id there"),
      item("x3", "the user has an id, get it by name"),
    ]);
    for (const query of ["login", "login.ts", "auth/login.ts", "where is src/auth/login.ts?"])
      expect(idsOf(find(db, query))[0], query).toBe("x1");
    expect(idsOf(find(db, "getUserById"))[0]).toBe("x2");
  });

  it("RB2 finds C++, .env, a/b\\c, #12, one ideograph and a Thai word as text", () => {
    const texts = ["we use C++ here", "put it into .env", "the folder a/b\\c", "see #12", "お茶が好き", "ผมชอบกินข้าวผัด"];
    const db = storeOf([...conversation(filler(8)), ...texts.map((t, i) => item(`x${i}`, t, { seq: 100 + i * 10 }))]);
    for (const [query, id] of [
      ["C++", "x0"],
      [".env", "x1"],
      ["a/b\\c", "x2"],
      ["#12", "x3"],
      ["茶", "x4"],
      ["ข้าวผัด", "x5"],
      ["kanji 好", "x4"],
    ] as const)
      expect(idsOf(find(db, query))[0], query).toBe(id);
  });

  it("finds words that begin alike when the word itself was never said", () => {
    const db = storeOf([...conversation(filler(30)), item("x1", "hazelnuts give me an allergy")]);
    expect(idsOf(find(db, "what am I allergic to"))[0]).toBe("x1");
  });

  it("N51 a past question that only repeats the query ranks below what answers it, and the answer beside it above", () => {
    const db = storeOf([
      ...conversation(filler(30)),
      item("asked", "When do we deploy the billing service?", { seq: 100 }),
      item("reply", "I could not find that out.", { seq: 101, role: "assistant" }),
      item("fact", "The billing service: we deploy it on Fridays", { place: { ...HOME, session: "another" } }),
    ]);
    expect(idsOf(find(db, "when do we deploy the billing service"))[0]).toBe("fact");
    const all = find(db, "when do we deploy the billing service", { limit: 40 });
    expect(idsOf(all), "it is still found").toContain("asked");
    const answered = storeOf([
      ...conversation(filler(30)),
      item("asked", "When do we deploy the billing service?", { seq: 100 }),
      item("reply", "Billing goes out on Fridays.", { seq: 101, role: "assistant" }),
    ]);
    expect(idsOf(find(answered, "when do we deploy the billing service")).slice(0, 2).sort()).toEqual([
      "asked",
      "reply",
    ]);
  });

  it("R12 a query of stop words alone keeps them", () => {
    const db = storeOf([...conversation(filler(5)), item("x1", "to be or not to be")]);
    expect(idsOf(find(db, "to be or not to be"))[0]).toBe("x1");
  });

  it("N23 unasked, quotation marks only raise what holds the phrase", () => {
    const db = storeOf([
      item("a1", "the deploy window opens on Friday at noon"),
      item("a2", "Friday is when the window of the deploy tool closes", { seq: 50 }),
    ]);
    const asked = '"when does the deploy window open on Friday?"';
    expect(idsOf(find(db, asked, { floor: true })).sort()).toEqual(["a1", "a2"]);
    const raised = find(db, 'noon window "the deploy tool" Friday', { floor: true });
    expect([idsOf(raised), raised.results[0]?.parts.exact, raised.unmatched]).toEqual([["a2", "a1"], 0.3, undefined]);
  });

  it("R15 N23 what is quoted must stand there as that phrase", () => {
    const db = storeOf([item("a1", "the red green light"), item("a2", "green then red", { seq: 50 })]);
    expect(idsOf(find(db, '"red green"'))).toEqual(["a1"]);
    expect(find(db, '"red green"').unmatched).toBeUndefined();
    expect(find(db, '"zebra crossing"')).toMatchObject({ results: [] });
    // N23: one that stands nowhere gives the matches of its words, and says so.
    const words = find(db, '"green red"');
    expect([idsOf(words).sort(), words.unmatched]).toEqual([["a1", "a2"], ["green red"]]);
    expect(idsOf(find(db, "green red")).sort()).toEqual(["a1", "a2"]);
  });

  it("R18 lifts the messages around a hit, in its session only", () => {
    const db = storeOf([
      ...conversation(["Where shall we celebrate the anniversary?", "By the lake.", "Good.", "Done."]),
      ...conversation(["unrelated words"], { ...HOME, session: "s2" }),
    ]);
    const answer = find(db, "anniversary");
    expect(idsOf(answer), "the reply, its question, what came then").toEqual(["s1-1", "s1-0", "s1-2"]);
    expect(answer.results[0]?.parts.context).toBeGreaterThan(0);
    expect(answer.results[2]?.parts.context).toBeLessThan(answer.results[0]?.parts.context ?? 0);
  });

  it("R19 prefers what the user said, or the one who is asked for", () => {
    const db = storeOf([item("a1", "the blue one", { role: "assistant" }), item("u9", "blue the one", { seq: 90 })]);
    expect(idsOf(find(db, "blue"))[0]).toBe("u9");
    expect(idsOf(find(db, "did you say blue"))[0]).toBe("a1");
  });

  it("R20 raises what was said then and hides nothing", () => {
    const now = Date.UTC(2025, 4, 20, 12);
    const at = (day: number) => Date.UTC(2025, 4, day, 9);
    const items = [18, 19, 20].map((d) =>
      item(`m${d}`, "we talked about the budget", { time: at(d), seq: d * 100, turn: d }),
    );
    const db = storeOf(
      items.map((i, n) => ({ ...i, text: `${i.text} ${["alpha", "beta", "gamma"][n]} round number ${n}` })),
    );
    const first = (q: string, more = {}) => idsOf(find(db, q, { now, ...more }))[0];
    expect(first("budget yesterday")).toBe("m19");
    expect(first("budget on 2025-05-18")).toBe("m18");
    expect(first("budget")).toBe("m20");
    expect(idsOf(find(db, "budget yesterday", { now }))).toHaveLength(3);
  });

  it("R21 R34 sees nothing later than asOf, and nothing outside of since and before", () => {
    const db = storeOf(conversation(["apple one", "apple two", "apple three", "apple four"]));
    const start = Date.UTC(2025, 0, 1);
    expect(idsOf(find(db, "apple", { asOf: start + 60_000 })).sort()).toEqual(["s1-0", "s1-1"]);
    expect(idsOf(find(db, "apple", { since: start + 60_000, before: start + 180_000 })).sort()).toEqual([
      "s1-1",
      "s1-2",
    ]);
    expect(idsOf(find(db, "apple", { roles: ["assistant"] })).sort()).toEqual(["s1-1", "s1-3"]);
    expect(idsOf(find(db, "apple", { kinds: ["tool"] }))).toEqual([]);
  });

  it("R34 kinds that are not asked for stay out, whether the scope holds some or none", () => {
    const said = conversation(["apple one", "apple two"]);
    const db = storeOf([...said, { ...said[0]!, id: "kept", kind: "record", seq: 9 }]);
    expect(idsOf(find(db, "apple", { kinds: ["turn", "tool"] })).sort()).toEqual(["s1-0", "s1-1"]);
    expect(idsOf(find(storeOf(said), "apple", { kinds: ["turn", "tool"] })).sort()).toEqual(["s1-0", "s1-1"]);
  });

  it("R23 folds what says the same into the best", () => {
    const text =
      "please always run the whole test suite before you push anything to the main branch of this repository";
    const db = storeOf([
      item("d1", text),
      item("d30", `${text} ok`, { seq: 300 }),
      item("e60", "run the tests", { seq: 600 }),
    ]);
    const answer = find(db, "run test suite before push");
    expect(answer.results[0]?.also).toHaveLength(1);
    expect(new Set([answer.results[0]?.id, ...(answer.results[0]?.also ?? [])])).toEqual(new Set(["d1", "d30"]));
  });

  it("R24 with a floor, a chance word brings nothing into a prompt", () => {
    const common = Array.from({ length: 200 }, (_, i) =>
      item(`n${i}`, `the weather on day ${i} was fine`, { seq: i * 10 }),
    );
    const db = storeOf([...common, item("k1", "the keycard code is in the weather report", { seq: 5000 })]);
    expect(idsOf(find(db, "weather", { floor: true }))).toEqual([]);
    expect(idsOf(find(db, "weather")).length).toBeGreaterThan(0);
    expect(idsOf(find(db, "keycard", { floor: true }))).toContain("k1");
  });

  it("X58 R24 names near the question help what it finds, and are no reason to show anything", () => {
    const chatter = Array.from({ length: 30 }, (_, i) => `something else, number ${i}`);
    const db = storeOf([
      ...conversation(["the pool is full in src/db/size-limit.ts"], { ...HOME, session: "b" }),
      ...conversation(["the pool is full in src/http/handle-it.ts"], { ...HOME, session: "a" }),
      ...conversation(["src/db/size-limit.ts alone"], { ...HOME, session: "c" }),
      ...conversation(chatter, { ...HOME, session: "d" }),
    ]);
    const hints = "edited src/db/size-limit.ts";
    expect(idsOf(find(db, "full pool"))[0]).toBe("a-0"); // of equals by id
    expect(idsOf(find(db, "full pool", { hints }))[0]).toBe("b-0");
    expect(idsOf(find(db, "full pool", { hints, floor: true })).sort()).toEqual(["a-0", "b-0"]);
    expect(idsOf(find(db, "", { hints }))).toEqual([]);
  });

  it("leaves out what the asker can see already", () => {
    const db = storeOf(conversation(["apple pie", "pie of apples"]));
    expect(idsOf(find(db, "apple pie", { exclude: ["s1-0"] }))).toEqual(["s1-1"]);
  });
});

describe("promises", () => {
  it("R32 RI4 the parts add up to the score, with any signals", () => {
    const db = storeOf([...conversation(filler(15)), item("x1", "module 3 is in src/mod-three.ts, always test it")]);
    for (const signals of [undefined, ["plain"], ["stem", "context"], ["ident", "exact", "role"]] as const)
      for (const r of find(db, "what did we change in src/mod-three.ts module 3", signals ? { signals } : {}).results)
        expect(total(r.parts)).toBeCloseTo(r.score, 9);
  });

  it("R36 explains its plan", () => {
    const db = storeOf(conversation(filler(6)));
    const { plan } = find(db, "module lines", { explain: true });
    expect(plan?.terms.map((t) => `${t.channel} ${t.text} ${t.count} ${t.use}`)).toContain("stem modul 6 searched");
    expect(plan?.candidates).toBe(6);
    expect(Object.keys(plan?.milliseconds ?? {})).toEqual(["find", "vectors", "rank", "show"]);
  });

  it("R36 explained results have their raw scores", () => {
    const db = storeOf(conversation(["the otter sleeps", "well"]));
    expect(find(db, "otter").results[0]?.raw).toBeUndefined();
    expect(find(db, "otter", { explain: true }).results[0]?.raw?.stem).toBeGreaterThan(0);
  });

  it("R17 R22 each channel counts against its best, with the weight of the one set, whoever asks and in whatever words", () => {
    const corpora = [
      ["loadUser in src/user.ts is slow", "the user table is slow", "slow rivers carry sand"],
      ["猫の名前はムギです", "犬の名前はポチです", "名前を忘れました"],
    ];
    const questions = ["why is src/user.ts loadUser slow", "猫の名前は何ですか"];
    for (const [i, texts] of corpora.entries()) {
      const items = conversation(texts).map((one) => ({ ...one, place: { ...HOME, session: one.id } }));
      const { results, plan } = find(storeOf(items), questions[i]!, { explain: true });
      expect(results.length).toBeGreaterThan(1);
      const named = plan!.terms.reduce((sum, t) => sum + (t.channel === "stem" ? t.rarity : 0), 0);
      for (const channel of ["plain", "stem", "ident", "gram"] as const) {
        const best = Math.max(1e-9, channel === "ident" ? named : 0, ...results.map((r) => r.raw![channel]));
        for (const r of results) expect(r.parts[channel]).toBeCloseTo((WEIGHTS[channel] * r.raw![channel]) / best, 9);
      }
    }
  });

  it("R25 terms are searched rarest first while their postings fit; a larger budget searches more", () => {
    const texts = [...filler(60), "the quokka module changed", "a quokka sleeps"];
    const db = storeOf(conversation(texts));
    const searched = (postings: number, allPostings: number) =>
      find(db, "quokka module lines", { bounds: { postings, allPostings, kept: 1000 }, explain: true })
        .plan?.terms.filter((t) => t.channel === "stem")
        .map((t) => [t.text, t.use]);
    expect(searched(50, 200)).toEqual([
      ["quokka", "searched"],
      ["line", "counted"],
      ["modul", "counted"],
    ]);
    expect(searched(100, 65)?.map(([, use]) => use)).toEqual(["searched", "searched", "counted"]);
    expect(searched(100, 1000)?.map(([, use]) => use)).toEqual(["searched", "searched", "searched"]);
  });

  it("R28 what a small scope has is found among more of the same words elsewhere than are ever looked at", () => {
    const own = conversation(["the harbour master is Ines"], { ...HOME, session: "small" });
    const others = conversation(
      Array.from({ length: 500 }, (_, n) => `the harbour master of port ${n}`),
      { ...HOME, session: "large" },
      Date.UTC(2025, 5, 1),
    );
    const db = storeOf([...own, ...others]);
    const within = { scopes: [{ type: "session", session: "small" }] } as const;
    const bounds = { postings: 10, allPostings: 20, kept: 5 };
    const answer = find(db, "harbour master", { within, bounds, explain: true });
    expect(idsOf(answer)).toEqual(["small-0"]);
    expect([answer.plan?.candidates, answer.plan?.terms.map((t) => t.count)]).toEqual([1, [1, 1, 1, 1]]);
  });

  it("RI3 the order of writing changes nothing", () => {
    const items = conversation(filler(25)).map((i, n) => ({
      ...i,
      text: `${i.text} ${["red", "blue"][n % 2]} ${n % 5}`,
    }));
    fc.assert(
      fc.property(fc.shuffledSubarray(items, { minLength: items.length }), (shuffled) => {
        const [a, b] = [storeOf(items), storeOf(shuffled)];
        for (const query of ["red module 3", "changed lines", "blue 4"]) {
          const [x, y] = [find(a, query), find(b, query)];
          expect(y.results.map((r) => [r.id, r.score])).toEqual(x.results.map((r) => [r.id, r.score]));
        }
      }),
      { numRuns: 10 },
    );
  });

  it("RB1 B43 any text is a query: answered or empty, never an error, never syntax", () => {
    const db = storeOf(conversation(["alpha beta", "gamma", 'say "hi" (now)', "NEAR the river", "col:x"]));
    const odd = [
      '"',
      "NEAR(",
      "a* OR",
      "col:x",
      "-",
      "🙂🙂",
      "\ud800",
      "\0",
      "'",
      '""',
      "^a",
      "NOT",
      "AND OR",
      "%_",
      "a".repeat(20_000),
    ];
    odd.push(Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(" "));
    for (const query of odd)
      expect(Array.isArray(find(db, query, { explain: true }).results), query.slice(0, 20)).toBe(true);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (query) => {
        find(db, query);
      }),
      { numRuns: 300 },
    );
    expect(idsOf(find(db, "NEAR("))[0]).toBe("s1-3");
  });

  it("RI7 with no time at all it still answers, and says that it is partial", () => {
    const db = storeOf(conversation(filler(50)));
    const answer = find(db, "module lines changed", { budgetMs: 0 });
    expect(answer.partial).toBe(true);
    expect(answer.skipped).toContain("terms");
  });

  it("R27 when every word is everywhere it answers from the newest", () => {
    const db = storeOf(conversation(filler(400)));
    const bounds = { postings: 50, allPostings: 200, kept: 20 };
    const answer = find(db, "we changed lines", { bounds, explain: true });
    expect(answer.results.length).toBeGreaterThan(0);
    expect(answer.plan?.terms.filter((t) => t.use === "searched")).toHaveLength(2);
  });

  it("R26 words too common to be searched for still count", () => {
    const texts = [...filler(100), ...Array.from({ length: 200 }, (_, i) => `other talk ${i}`)];
    texts.push("zebra and nothing else here at all", "zebra lines of the module that changed");
    const items = conversation(texts).map((i) => ({ ...i, place: { ...HOME, session: i.id } }));
    const answer = find(storeOf(items), "zebra module lines changed", {
      bounds: { postings: 50, allPostings: 200, kept: 20 },
      explain: true,
    });
    expect(answer.plan?.terms.find((t) => t.text === "modul")?.use).toBe("counted");
    expect(idsOf(answer)).toEqual(["s1-301", "s1-300"]);
  });
});
