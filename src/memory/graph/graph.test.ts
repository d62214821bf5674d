// The graph of a process: what has come in is found as text while nobody has read it yet.
import { expect, it } from "vitest";
import { ok } from "../../base/result.ts";
import { search } from "../recall/search.ts";
import { secretFilter } from "../secret/filter.ts";
import { rulesExtractor } from "./extract/rules.ts";
import { TemporalGraph } from "./graph.ts";
import { must, openGraph } from "./graph-fixture.ts";

it("G10 R2 what a model has not read yet is found by its words", async () => {
  const { db, store } = await openGraph();
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const graph = new TemporalGraph({
    store,
    extractor: {
      ...{ origin: "llm", batch: 8, fillMs: 1 },
      async extract(episodes, signal) {
        await asked;
        return rulesExtractor.extract(episodes, signal);
      },
    },
    redact: secretFilter("key"),
    search: async (request) => ok(search(db, request)),
  });
  const said = { name: "n1", text: "The harbour lamp is now zinnober.", role: "Ann", roleType: "user" } as const;
  must(await graph.accept({ group: "g", origin: "api", episodes: [said] }));
  const within = { scopes: [{ type: "group", group: "g" }] } as const;
  const kinds = () => search(db, { text: "zinnober", within }).results.map(({ kind }) => kind);
  expect(kinds()).toEqual(["episode"]);
  answer();
  expect(await graph.idle(600_000)).toBe(true);
  expect(kinds().sort()).toEqual(["episode", "fact"]);
  await graph.close(600_000);
});
