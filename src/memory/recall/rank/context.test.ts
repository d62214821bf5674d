// What messages lend each other, and how results are spread.
import { describe, expect, it } from "vitest";
import { conversation, find, storeOf } from "../recall-fixture.ts";
import { search } from "../search.ts";
import { relatedWords } from "../text/related-words.ts";
import { lentShare, nearbyMessage } from "./context.ts";
import { analyseQuery } from "./query.ts";

const idsOf = (answer: { results: { id: string }[] }) => answer.results.map((r) => r.id);
const EVERYTHING = { within: { scopes: [{ type: "all" as const }] } };
const filler = Array.from({ length: 20 }, (_, i) => `remark ${i} on the weather of that week`);

describe("context", () => {
  it("R18 a short reply is found by the question before it, and before the message that came earlier", () => {
    const db = storeOf(
      conversation([...filler, "we had soup today", "what colour did you paint the boat?", "Green, in the end.", "ah"]),
    );
    const ids = idsOf(find(db, "which colour does the boat have"));
    expect(ids.indexOf("s1-22")).toBeLessThan(ids.indexOf("s1-20"));
    expect(ids.indexOf("s1-22")).toBeLessThan(2);
  });

  it("R18 an empty remark between a hint and its story parts nothing; a long message is lent less", () => {
    const message = (seq: number, role: string, text: string) => nearbyMessage({ seq, role }, [{ start: 0, text }]);
    const hint = message(1, "Tom", "Did I tell you about the roof?");
    const story = message(3, "Tom", "The slates were cracked, eleven thousand.");
    expect(lentShare(hint, story, message(2, "Priya", "No, what happened?"))).toBe(lentShare(hint, story));
    const remark = message(2, "Priya", "I bought bread, cheese, apples and flowers today");
    expect(lentShare(hint, story, remark)).toBeLessThan(lentShare(hint, story));
    const lecture = message(3, "Tom", "slates and beams and gutters ".repeat(20));
    expect(lentShare(hint, lecture)).toBeLessThan(lentShare(hint, story) / 2);
  });

  it("R23 neighbours of one hit do not take every place, and everything asked for comes from several sessions", () => {
    const chat = (session: string) => ({ session, repository: "acme/app", level: "session" as const });
    const texts = [
      "the deploy of billing failed",
      "why the deploy?",
      "deploy keys",
      "deploy again",
      "deploy done",
      "ok",
    ];
    const db = storeOf([
      ...conversation([...texts, ...texts], chat("s1")),
      ...["s2", "s3", "s4"].flatMap((s) =>
        conversation(
          [`in ${s} we tell at length how the deploy of ${s} went and what ${s} learned`, ...filler],
          chat(s),
        ),
      ),
    ]);
    const sessions = (query: string) => new Set(idsOf(find(db, query)).map((id) => id.split("-")[0]));
    expect([...sessions("list all deploys")].sort()).toEqual(["s1", "s2", "s3", "s4"]);
    const { results } = find(db, "list all deploys", { explain: true });
    expect(results.some((r) => r.parts.spread < 0)).toBe(true);
  });
});

describe("words of like use", () => {
  it("R12 a question in other words finds what was said, below what has the word itself", () => {
    const db = storeOf(conversation([...filler, "the exam is on the ninth of June", "nice hat", "more tea", "bye"]));
    const ask = (text: string) => search(db, { text, ...EVERYTHING }, relatedWords);
    expect(idsOf(ask("graduation tests"))[0]).toBe("s1-20");
    expect(ask("graduation tests").results[0]?.parts.near).toBeGreaterThan(0);
    expect(ask("when is the exam").results[0]?.parts).toMatchObject({ near: 0 });
    expect(idsOf(search(db, { text: "graduation tests", ...EVERYTHING }))).not.toContain("s1-20");
  });

  it("R24 words of like use alone bring nothing into a prompt", () => {
    const db = storeOf(conversation([...filler, "the exam is on the ninth of June"]));
    expect(search(db, { text: "graduation tests", floor: true, ...EVERYTHING }, relatedWords).results).toEqual([]);
  });

  it("R12 names, days and numbers have none", () => {
    const near = (text: string) =>
      analyseQuery(text, "", () => ["other"]).terms.flatMap((t) => (t.channel === "near" ? [t.text] : []));
    expect(near("did Mark run on Monday in seven towns")).toEqual(["run", "town"]);
    expect(near("Run the tests")).toEqual(["run", "test"]);
  });

  it("R19 whose words are asked for is read from what is asked, not from a polite form", () => {
    const speaker = (text: string) => analyseQuery(text).speaker;
    expect(speaker("could you remind me what I told you about the roof")).toBe("user");
    expect(speaker("can you list the pets in the flat")).toBeUndefined();
    expect(speaker("which lock did you recommend")).toBe("assistant");
    expect(speaker("what were your suggestions for the garden")).toBe("assistant");
  });
});
