// What every strategy must do, whatever it keeps records in; an operation that one lacks answers `unsupported`.
import { afterEach, describe, expect, it } from "vitest";
import { readCitation } from "../../src/memory/record/citation.ts";
import type { MemoryRecord, Place, RecordDraft, Scope, Strategy } from "../../src/memory/record/contract.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { type FilteredText, secretRedactor } from "../../src/memory/secret/filter.ts";

export type Made = {
  strategy: Strategy;
  /** Where the records of the suite belong. */
  place: Place;
  /** Another place, of another repository and user, over the same store; undefined where one store is one place. */
  elsewhere: { strategy: Strategy; place: Place } | undefined;
  /** A fact that was deleted is known again. */
  tombstones: boolean;
  end?: () => void | Promise<void>;
};

const redactor = secretRedactor("conformance");
export const filtered = (text: string): FilteredText => {
  const done = redactor.text(text);
  if (!done.ok) throw new Error("the filter failed");
  return done.value.text;
};
export const draft = (place: Place, fact: string, more: Partial<RecordDraft> = {}): RecordDraft => ({
  id: newMemoryId(),
  subject: filtered("build"),
  fact: filtered(fact),
  reason: filtered("it will be needed again"),
  citations: [readCitation(filtered("src/a.ts:3"))],
  scope: "repository",
  place,
  source: { client: "test", sessionId: "s1", toolCallId: "c1", origins: [{ kind: "assistant" }], trust: 0.9 },
  author: { kind: "agent", id: "s1", name: "main agent" },
  status: "active",
  ...more,
});
const actor = { kind: "user", id: "u", name: "u" } as const;
const { signal } = new AbortController();
const promptAsk = (place: Place) => ({
  place,
  scopes: ["repository", "user"] as Scope[],
  maxTokens: 2000,
  maxRecords: 60,
});

/** Runs the suite; `make` gives an empty store each time. */
export function strategyConformance(name: string, make: () => Promise<Made>): void {
  describe(`M26 strategy ${name}`, () => {
    const open: Made[] = [];
    const begin = async (): Promise<Made> => {
      const made = await make();
      open.push(made);
      return made;
    };
    afterEach(async () => {
      for (const made of open.splice(0)) {
        await made.strategy.shutdown(signal);
        await made.end?.();
      }
    });
    const put = async (
      { strategy, place }: Made,
      fact: string,
      more: Partial<RecordDraft> = {},
    ): Promise<MemoryRecord> => {
      const stored = await strategy.store(draft(place, fact, more), signal);
      if (stored.type !== "stored") throw new Error(`${fact}: ${stored.type}`);
      return stored.record;
    };

    it("M26 an empty one has no prompt text and defines its tools", async () => {
      const { strategy, place } = await begin();
      const given = await strategy.prompt(promptAsk(place), signal);
      if (given.type !== "prompted") throw new Error(given.cause);
      expect(given.answer).toMatchObject({ enabled: true, prompt: null, counts: { total: 0 } });
      expect(given.answer.tools.store?.name).toBe("store_memory");
      expect(given.answer.tools.vote !== undefined).toBe(strategy.supportsVoting);
      const properties = given.answer.tools.store?.inputSchema["properties"];
      expect(Object.hasOwn(properties ?? {}, "scope")).toBe(strategy.supportsScopes);
    });

    it("M8 what is stored comes back whole, with provenance and author", async () => {
      const made = await begin();
      const record = await put(made, "npm run build makes dist");
      expect(record).toMatchObject({
        subject: "build",
        fact: "npm run build makes dist",
        scope: "repository",
        version: 1,
        status: { type: "active" },
        author: { kind: "agent", id: "s1" },
        votes: { up: 0, down: 0, mine: null },
      });
      expect(record.id).toMatch(/^mem_[0-9A-Z]{26}$/);
      expect(record.citations.map(({ raw, kind }) => ({ raw, kind }))).toEqual([{ raw: "src/a.ts:3", kind: "file" }]);
      const got = await made.strategy.get(record.id, { place: made.place }, signal);
      if (got.type !== "unsupported") expect(got).toMatchObject({ type: "got", record: { id: record.id } });
    });

    it("M21 the same folded fact is stored once", async () => {
      const made = await begin();
      const first = await put(made, "Use tabs for indentation");
      const again = await made.strategy.store(draft(made.place, "Use  tabs for indentation"), signal);
      expect(again).toMatchObject({ type: "already_stored", id: first.id });
      const listed = await made.strategy.list({ place: made.place }, signal);
      if (listed.type !== "unsupported") expect(listed).toMatchObject({ records: [{ id: first.id }] });
    });

    it("M146 the same draft again is one record", async () => {
      const made = await begin();
      const one = draft(made.place, "Retries carry the same id");
      expect(await made.strategy.store(one, signal)).toMatchObject({ type: "stored", record: { id: one.id } });
      const again = await made.strategy.store(one, signal);
      expect(["stored", "already_stored"]).toContain(again.type);
      expect(again.type === "stored" ? again.record.id : again.type === "already_stored" && again.id).toBe(one.id);
    });

    it("M13 a record of one place is in no other", async (test) => {
      const made = await begin();
      if (!made.elsewhere) return test.skip();
      await put(made, "Only here");
      const { strategy, place } = made.elsewhere;
      const given = await strategy.prompt(promptAsk(place), signal);
      expect(given).toMatchObject({ answer: { prompt: null } });
      expect((await strategy.find("Only here", { place }, signal)).type).not.toBe("found");
    });

    it("M17 M23 votes: one for each actor, the other direction replaces it", async () => {
      const made = await begin();
      const { strategy, place } = made;
      const ballot = {
        fact: filtered("Votes count once"),
        reason: filtered("seen"),
        place,
        actor: { key: "agent:s1", kind: "agent" },
      } as const;
      if (!strategy.supportsVoting) {
        expect(await strategy.vote({ ...ballot, direction: "upvote" }, signal)).toEqual({ type: "unsupported" });
        return;
      }
      await put(made, "Votes count once");
      for (let i = 0; i < 3; i++) await strategy.vote({ ...ballot, direction: "upvote" }, signal);
      const down = await strategy.vote({ ...ballot, direction: "downvote" }, signal);
      if (down.type === "voted") expect(down.record.votes).toMatchObject({ up: 0, down: 1 });
      else expect(down.type).toBe("counted");
    });

    it("M26 edit and delete do it, or say that they cannot", async () => {
      const made = await begin();
      const { strategy, place } = made;
      const record = await put(made, "Ports begin at 4000");
      const change = { fact: filtered("Ports begin at 5000") };
      const old = await strategy.edit(record.id, change, { actor, version: 99, place }, signal);
      if (old.type !== "unsupported") {
        expect(old).toMatchObject({ type: "conflict", current: { fact: "Ports begin at 4000" } });
        const edited = await strategy.edit(record.id, change, { actor, version: record.version, place }, signal);
        expect(edited).toMatchObject({ type: "edited", record: { fact: "Ports begin at 5000" } });
      }
      const deleted = await strategy.delete(record.id, { actor, place }, signal);
      if (deleted.type === "unsupported") return;
      expect(deleted).toEqual({ type: "deleted", id: record.id });
      expect((await strategy.get(record.id, { place }, signal)).type).toBe("not_found");
      const given = await strategy.prompt(promptAsk(place), signal);
      expect(given).toMatchObject({ answer: { prompt: null } });
      const again = await strategy.store(draft(place, "Ports begin at 5000"), signal);
      expect(again.type).toBe(made.tombstones ? "deleted_before" : "stored");
    });

    it("M26 unknown ids are values", async () => {
      const { strategy, place } = await begin();
      const id = newMemoryId();
      const answers = [
        await strategy.get(id, { place }, signal),
        await strategy.edit(id, {}, { actor, place }, signal),
        await strategy.delete(id, { actor, place }, signal),
        await strategy.resolve(id, { how: "accept" }, { actor, place }, signal),
      ];
      for (const { type } of answers) expect(["not_found", "unsupported"]).toContain(type);
    });
  });
}
