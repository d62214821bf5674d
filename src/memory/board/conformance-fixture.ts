// For tests: the contract of a store of boards as a suite, whichever database it stands on.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAPACITY } from "../../schema/board.ts";
import type { RowStore, Unit } from "../../store/unit.ts";
import { later, place, text, user } from "./board-fixture.ts";
import { hasOldChanges, listChanges, undoChanges } from "./change.ts";
import { type BoardWriter, type Src, seenOf } from "./item.ts";
import { findItem, listItems } from "./row.ts";
import { adoptItems, countSession, putItem, readItem, removeItem } from "./store.ts";

async function look<T>(store: RowStore, unit: () => Unit<T>): Promise<T> {
  const outcome = await store.read(unit);
  if (!outcome.ok) throw new Error(outcome.error.what);
  return outcome.value;
}
const agent: BoardWriter = { actor: "rem-agent", run: "run_1", source: { session: "s", run: "run_1" } };
const put = async (
  db: RowStore,
  src: Src,
  name: string,
  context?: string,
  writer: BoardWriter = src === "user" ? user : agent,
) => putItem(db, place, { src, text: text(name, context), at: later() }, writer);
const run = async (db: RowStore): Promise<BoardWriter> => ({
  ...agent,
  seen: seenOf(await look(db, () => listItems(place))),
});

export function describeBoardStore(name: string, openBoard: () => Promise<RowStore>, rounds = 10): void {
  describe(`${name}: the board's rows`, () => {
    it("M83 an edit keeps the counters and moves the version; counters do not", async () => {
      const db = await openBoard();
      await put(db, "agent", "build");
      await readItem(db, place, { src: "agent", name: "build", at: later() });
      await countSession(db, place, later());
      expect(await look(db, () => findItem(place, "agent", "build"))).toMatchObject({
        version: 1,
        readCount: 1,
        count: 1,
      });
      await put(db, "agent", "build", "new text");
      expect(await look(db, () => findItem(place, "agent", "build"))).toMatchObject({
        ...{ version: 2, readCount: 1, count: 1, content: "new text", author: "rem-agent" },
        source: { session: "s", run: "run_1" },
      });
    });

    it("M86 lists the user's items first, then by name", async () => {
      const db = await openBoard();
      for (const [src, name] of [
        ["agent", "b"],
        ["user", "z"],
        ["agent", "a"],
      ] as const)
        await put(db, src, name);
      expect((await look(db, () => listItems(place))).map((i) => `${i.src}/${i.name}`)).toEqual([
        "user/z",
        "agent/a",
        "agent/b",
      ]);
      expect(await look(db, () => listItems({ ...place, branch: "other" }))).toEqual([]);
      expect(await look(db, () => listItems({ ...place, repository: "acme/app2" }))).toEqual([]);
    });

    it("M88 a full board refuses new items of anybody and still takes a replacement", async () => {
      const db = await openBoard();
      for (let i = 0; i < CAPACITY; i++) await put(db, i % 2 ? "agent" : "user", `item-${i}`);
      expect(await put(db, "user", "one-more")).toMatchObject({ value: { type: "board_full", userItems: 13 } });
      expect(await put(db, "agent", "item-1", "again")).toMatchObject({
        value: { type: "stored", isNew: false, items: 25 },
      });
      expect(await look(db, () => listItems(place))).toHaveLength(CAPACITY);
    });

    it("MI8 whatever is done in whatever order, at most 25 items, and the user's change only by the user", async () => {
      const step = fc.tuple(
        fc.constantFrom("add", "user-add", "prune", "undo"),
        fc.integer({ min: 0, max: 30 }).map((n) => `item-${n}`),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 90 }), async (steps) => {
          const db = await openBoard();
          for (const [what, name] of steps) {
            const users = (await look(db, () => listItems(place))).filter((i) => i.src === "user");
            if (what === "add") await put(db, "agent", name);
            else if (what === "user-add") await put(db, "user", name);
            else if (what === "prune") await removeItem(db, place, { name, at: later() }, agent);
            else await undoChanges(db, place, { which: "run_1", at: later(), force: true }, "user");
            const after = await look(db, () => listItems(place));
            expect(after.length).toBeLessThanOrEqual(CAPACITY);
            if (what !== "user-add") expect(after.filter((i) => i.src === "user")).toEqual(users);
          }
        }),
        { numRuns: rounds },
      );
    });
  });

  describe(`${name}: a run against what it saw`, () => {
    it("M101 leaves alone what others changed, made or removed since; its own writes go on", async () => {
      const db = await openBoard();
      for (const name of ["mine", "edited", "gone", "remade"]) await put(db, "agent", name, "old");
      const writer = await run(db);
      await putItem(db, place, { src: "agent", text: text("edited", "the user's"), at: later() }, user);
      await putItem(db, place, { src: "agent", text: text("made", "the user's"), at: later() }, user);
      await removeItem(db, place, { name: "gone", at: later() }, user);
      await removeItem(db, place, { name: "remade", at: later() }, user);
      await putItem(db, place, { src: "agent", text: text("remade", "the user's"), at: later() }, user);
      for (const name of ["edited", "made", "gone", "remade"])
        expect(await put(db, "agent", name, "run's", writer)).toMatchObject({ value: { type: "changed_since" } });
      for (const name of ["edited", "made", "remade"])
        expect(await removeItem(db, place, { name, at: later() }, writer)).toMatchObject({
          value: { type: "changed_since" },
        });
      expect(await removeItem(db, place, { name: "gone", at: later() }, writer)).toMatchObject({
        value: { type: "not_found" },
      });
      for (const context of ["first", "second"])
        expect(await put(db, "agent", "mine", context, writer)).toMatchObject({ value: { type: "stored" } });
      expect(await removeItem(db, place, { name: "mine", at: later() }, writer)).toMatchObject({
        value: { type: "removed" },
      });
      expect(await put(db, "agent", "mine", "third", writer)).toMatchObject({ value: { type: "stored", isNew: true } });
      expect((await look(db, () => listItems(place))).map((i) => [i.name, i.content])).toEqual([
        ["edited", "the user's"],
        ["made", "the user's"],
        ["mine", "third"],
        ["remade", "the user's"],
      ]);
    });

    it("M83 counters that move meanwhile do not count as a change", async () => {
      const db = await openBoard();
      await put(db, "agent", "build");
      const writer = await run(db);
      await countSession(db, place, later());
      await readItem(db, place, { src: "agent", name: "build", at: later() });
      expect(await put(db, "agent", "build", "new", writer)).toMatchObject({ value: { type: "stored" } });
    });
  });

  describe(`${name}: the log of changes`, () => {
    it("M90 undo of a run brings every row back as it was, counters too", async () => {
      const db = await openBoard();
      for (const name of ["edited", "pruned"]) await put(db, "agent", name, "before", user);
      await readItem(db, place, { src: "agent", name: "pruned", at: later() });
      const before = (await look(db, () => listItems(place))).map(({ version: _, updatedAt: __, ...rest }) => rest);
      const writer = { ...(await run(db)), run: "run_2" };
      for (const context of ["one", "two"]) await put(db, "agent", "edited", context, writer);
      await put(db, "agent", "added", "x", writer);
      await removeItem(db, place, { name: "pruned", at: later() }, writer);
      expect((await look(db, () => listChanges(place, { run: "run_2" }))).map((c) => c.action)).toEqual([
        "remove",
        "add",
        "edit",
        "edit",
      ]);
      expect(await undoChanges(db, place, { which: "run_2", at: later(), force: false }, "user")).toMatchObject({
        value: { type: "undone" },
      });
      expect((await look(db, () => listItems(place))).map(({ version: _, updatedAt: __, ...rest }) => rest)).toEqual(
        before,
      );
    });

    it("M90 undo refuses what was changed later, all or nothing, unless forced", async () => {
      const db = await openBoard();
      const writer = { ...(await run(db)), run: "run_3" };
      for (const name of ["a", "b"]) await put(db, "agent", name, "run's", writer);
      await put(db, "agent", "a", "the user's", user);
      const undo = (force: boolean) => undoChanges(db, place, { which: "run_3", at: later(), force }, "user");
      expect(await undo(false)).toMatchObject({ value: { type: "changed_later", items: ["agent/a"] } });
      expect(await look(db, () => listItems(place))).toHaveLength(2);
      expect(await undo(true)).toMatchObject({ value: { type: "undone" } });
      expect(await look(db, () => listItems(place))).toEqual([]);
      const [newest] = await look(db, () => listChanges(place));
      expect(
        await undoChanges(db, place, { which: String(newest?.id), at: later(), force: false }, "user"),
      ).toMatchObject({
        value: { type: "undone" },
      });
      expect((await look(db, () => listItems(place))).map((i) => i.name)).toEqual([newest?.name]);
      expect(await undoChanges(db, place, { which: "9999", at: later(), force: false }, "user")).toMatchObject({
        value: { type: "not_found" },
      });
    });

    it("M103 what was changed 90 days ago is forgotten on every board, by a change anywhere or by a new session", async () => {
      const db = await openBoard();
      const left = { ...place, branch: "left" };
      const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
      const add = (where: typeof place, name: string, n: number) =>
        putItem(db, where, { src: "user", text: text(name), at: day(n) }, user);
      await add(left, "old", 0);
      await add(left, "young", 40);
      await add(place, "here", 89);
      expect((await look(db, () => listChanges(left))).map((c) => c.name)).toEqual(["young", "old"]);
      await add(place, "later", 91);
      expect((await look(db, () => listChanges(left))).map((c) => c.name)).toEqual(["young"]);
      expect(await look(db, () => hasOldChanges(day(129)))).toBe(false);
      expect(await look(db, () => hasOldChanges(day(131)))).toBe(true);
      await countSession(db, { ...place, branch: "other" }, day(131));
      expect(await look(db, () => listChanges(left))).toEqual([]);
      expect((await look(db, () => listChanges(place))).map((c) => c.name)).toEqual(["later", "here"]);
      expect(await look(db, () => listItems(left))).toHaveLength(2);
    });

    it("M90 adopt copies what does not clash, as far as there is room", async () => {
      const db = await openBoard();
      await put(db, "agent", "same", "here");
      const there = { ...place, branch: "feature" };
      for (const name of ["same", "other"])
        await putItem(db, there, { src: "agent", text: text(name, "there"), at: later() }, agent);
      const adopted = await adoptItems(db, place, { items: await look(db, () => listItems(there)), at: later() }, user);
      expect(adopted).toEqual({ ok: true, value: { copied: ["agent/other"], clashed: ["agent/same"], full: [] } });
      expect((await look(db, () => findItem(place, "agent", "same")))?.content).toBe("here");
      expect(await look(db, () => listItems(there))).toHaveLength(2);
    });
  });
}
