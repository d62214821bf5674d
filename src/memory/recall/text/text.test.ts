// Words, stems, names, passages and tokens of texts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sqlite } from "../../../store/sqlite.ts";
import { formsOf, humpsOf, namesOf } from "./identifier.ts";
import { PASSAGE_CHARS, passagesOf } from "./passage.ts";
import { stem } from "./stem.ts";
import { tokensOf } from "./tokens.ts";
import { gramsOf, runsOf, spotsOf, withoutOpaque } from "./words.ts";

describe("words", () => {
  it("R12 folds case, accents and width, and splits at everything that is no letter or number", () => {
    expect(runsOf("Straße, CAFÉ_noir ｗｉｄｅ don't").words).toEqual(["strasse", "cafe", "noir", "wide", "don", "t"]);
    expect(runsOf("नमस्ते दुनिया").words).toEqual(["नमस्ते", "दुनिया"]);
  });

  it("R14 keeps runs of unspaced scripts apart and makes pairs and triples of them", () => {
    expect(runsOf("Nodeの状態 ok")).toEqual({ words: ["node", "ok"], runs: ["の状態"] });
    expect(gramsOf("東京都")).toEqual(["東京", "東京都", "京都", "都"]);
    expect(gramsOf("茶")).toEqual(["茶"]);
    expect(runsOf("ガ").runs).toEqual(["ガ"]);
  });

  it("R6 blanks long encoded runs and keeps every position", () => {
    const text = `see ${"QUJD".repeat(100)} end`;
    expect(withoutOpaque(text)).toBe(`see ${" ".repeat(400)} end`);
    expect(withoutOpaque(`see ${"a".repeat(255)} end`)).toContain("aaa");
  });

  it("says where each word stands", () => {
    const text = "Öl für 東京!";
    const spots = spotsOf(text);
    expect(spots.map((s) => [text.slice(s.start, s.end), s.word])).toEqual([
      ["Öl", "ol"],
      ["für", "fur"],
      ["東京", "東京"],
    ]);
  });

  it("R6 no analyser is super-linear: a megabyte of one letter, of short runs, of one ideograph", () => {
    for (const text of ["a".repeat(1 << 20), `${"a".repeat(255)} `.repeat(4096), "字".repeat(1 << 18)]) {
      for (const p of passagesOf(withoutOpaque(text))) tokensOf(p.text);
    }
  });
});

describe("stems", () => {
  it("R12 are those of SQLite's Porter stemmer", () => {
    const words = fc.sample(fc.stringMatching(/^[a-z]{3,14}$/), 1000);
    const endings = "s es ed ing ation ational izer ness iveness ful ly ity ement ion able ical".split(" ");
    for (const base of ["relat", "conform", "hop", "happi", "oper", "sens", "allow", "roll"])
      words.push(...endings.map((e) => base + e));
    const db = new (sqlite().DatabaseSync)(":memory:");
    db.exec(
      "CREATE VIRTUAL TABLE t USING fts5 (w, tokenize = 'porter ascii'); CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)",
    );
    const insert = db.prepare("INSERT INTO t (rowid, w) VALUES (?, ?)");
    for (const [i, word] of words.entries()) insert.run(i + 1, word);
    for (const row of db.prepare("SELECT term, doc FROM v").all()) {
      const word = words[Number(row["doc"]) - 1]!;
      expect(stem(word), word).toBe(row["term"]);
    }
  });
});

describe("names", () => {
  it("R13 gives a path all of its ends, and its name without the ending", () => {
    const forms = formsOf("src/auth/login.ts");
    expect(forms).toEqual(expect.arrayContaining(["src/auth/login.ts", "auth/login.ts", "login.ts", "login"]));
  });

  it("R13 getUserById, get_user_by_id and get-user-by-id are one", () => {
    const shared = ["getUserById", "get_user_by_id", "get-user-by-id", "GET_USER_BY_ID"].map((n) => formsOf(n));
    for (const forms of shared) expect(forms).toContain("getuserbyid");
  });

  it("R13 knows names of every kind and leaves plain words alone", () => {
    const raw = (text: string) => namesOf(text).map((n) => n.raw);
    expect(raw("see C++ and .env, a/b\\c, #12, ABC-123, v1.2.3 or 7be21f0.")).toEqual(
      expect.arrayContaining(["C++", ".env", "a/b\\c", "#12", "ABC-123", "v1.2.3", "7be21f0"]),
    );
    expect(raw("std::vector at https://example.org/a/b?x, src/main.ts:42:7 and TS2345")).toEqual(
      expect.arrayContaining(["std::vector", "https://example.org/a/b", "src/main.ts", "TS2345"]),
    );
    expect(raw("The quick brown fox. It jumps; twice!")).toEqual([]);
  });

  it("R13 finds the words inside of camelCase", () => {
    expect(humpsOf("parseHTTPResponse openDB plain")).toEqual(["parse", "http", "response", "open", "db"]);
  });
});

describe("passages", () => {
  it("R5 together are the text, none longer than the bound, none ending inside a surrogate pair", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\n\n", "\n", ". ", "x".repeat(900), "😀".repeat(500)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const passages = passagesOf(text);
        expect(passages.map((p) => p.text).join("")).toBe(text);
        for (const p of passages) {
          expect(p.text.length).toBeLessThanOrEqual(PASSAGE_CHARS);
          expect(text.slice(p.start, p.start + p.text.length)).toBe(p.text);
          if (text.isWellFormed()) expect(p.text.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("R5 cuts at paragraphs before lines, and at lines before words", () => {
    const text = `${"one two\n".repeat(110)}\n${"three four\n".repeat(120)}`;
    const [first, second] = passagesOf(text);
    expect(first?.text.endsWith("\n\n")).toBe(true);
    expect(second?.text.endsWith("\n")).toBe(true);
  });
});
