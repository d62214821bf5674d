// WE4: the checker passes a store that keeps its promises, and names what each planted broken one did.
import { expect, it } from "vitest";
import { type FinalState, type Operation, problemsIn } from "./history.ts";

type Store = {
  store(key: string, text: string): string;
  edit(id: string, text: string): number;
  read(id: string, now: number): number;
  final(): FinalState;
};

/** In memory, and broken in one way. */
function storeThat(fault: "works" | "loses" | "stale" | "doubles" | "overwrites"): Store {
  const rows = new Map<string, { version: number; texts: string[] }>();
  const keys = new Map<string, string>();
  let edits = 0;
  return {
    store(key, text) {
      const before = keys.get(key);
      if (before !== undefined && fault !== "doubles") return before;
      const id = `mem-${rows.size}`;
      rows.set(id, { version: 1, texts: [text] });
      keys.set(key, id);
      return id;
    },
    edit(id, text) {
      const row = rows.get(id) ?? { version: 0, texts: [] };
      if (fault === "loses" && ++edits % 7 === 0) return row.version + 1;
      if (fault === "overwrites" && ++edits % 7 === 0) {
        row.texts[row.texts.length - 1] = text;
        return row.version;
      }
      row.texts.push(text);
      return ++row.version;
    },
    read: (id, now) => (fault === "stale" && now > 5000 ? 1 : (rows.get(id)?.version ?? 0)),
    final: () => rows,
  };
}

function play(store: Store): string[] {
  const history: Operation[] = [];
  let now = 0;
  const tick = (): { start: number; end: number } => {
    now += 60;
    return { start: now - 10, end: now };
  };
  const ids = ["a", "b", "c"].map((key) => {
    const at = tick();
    const text = `first of ${key}`;
    store.store(key, text); // its answer did not come: it is sent again
    const id = store.store(key, text);
    history.push({ type: "store", key, text, ...at, answer: { id } });
    return id;
  });
  for (let i = 0; i < 200; i++) {
    const record = ids[i % 3] ?? "";
    const text = `edit ${i}`;
    const at = tick();
    const version = store.edit(record, text);
    history.push({ type: "edit", record, text, ...at, answer: i % 11 === 0 ? "lost" : { version } });
    const seen = tick();
    history.push({ type: "read", record, ...seen, version: store.read(record, now) });
  }
  return problemsIn(history, store.final());
}

it("WE4 a store that keeps its promises has no problems; each broken one is told by what it did", () => {
  expect(play(storeThat("works"))).toEqual([]);
  expect(play(storeThat("loses")).join("\n")).toMatch(/acknowledged edit .* is lost/);
  expect(play(storeThat("overwrites")).join("\n")).toMatch(/same version|is lost/);
  expect(play(storeThat("stale")).join("\n")).toMatch(/a read showed version 1 when \d+ was old/);
  expect(play(storeThat("doubles")).join("\n")).toMatch(/the store with key a happened 2 times/);
});
