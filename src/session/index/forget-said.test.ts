// What was said in a long session leaves the index in short transactions, and a signal stops between two of them.
import { expect, it } from "vitest";
import { conversation, storeOf } from "../../memory/recall/recall-fixture.ts";
import { forgetSaid } from "./index-session.ts";

it("IM6 R9 a long session is forgotten some items at a time; stopped, it is ended by the next call, and others stay", async () => {
  const texts = Array.from({ length: 250 }, (_, n) => `message ${n} about a heron`);
  const db = storeOf([...conversation(texts), ...conversation(["a bittern"], { session: "s2", level: "session" })]);
  const left = () => db.prepare("SELECT count(*) AS n FROM recall_item").get()?.["n"];
  const stop = new AbortController();
  const sizes: unknown[] = [];
  const after = async <T>(work: () => Promise<T>): Promise<T> => {
    const outcome = await work();
    sizes.push(left());
    return outcome;
  };
  const stopping = async <T>(work: () => Promise<T>): Promise<T> => {
    stop.abort();
    return after(work);
  };
  expect((await forgetSaid(db, "s1", { signal: stop.signal, after: stopping })).ok).toBe(true);
  expect(sizes).toEqual([151]);
  expect((await forgetSaid(db, "s1", { after })).ok).toBe(true);
  expect(sizes).toEqual([151, 51, 1]);
  expect(db.prepare("SELECT count(*) AS n FROM recall_terms WHERE recall_terms MATCH '\"heron\"'").get()?.["n"]).toBe(
    0,
  );
});
