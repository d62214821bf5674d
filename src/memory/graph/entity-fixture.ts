// For tests: which names mean one thing in every graph store, and how a wrong answer to that is taken back.
import { expect, it } from "vitest";
import { day, fact, intervals, must, type OpenTestGraph, say, term } from "./graph-fixture.ts";

export function namedEntities(openGraph: OpenTestGraph): void {
  it("G12 G20 names match folded and by likeness, never for files, digits or other groups", async () => {
    const { store } = await openGraph();
    const names = (group: string, ...list: [string, "Service" | "File" | "Commit"][]) =>
      say(store, { entities: list.map(([name, label]) => ({ name, label })) }, { group });
    await names(
      "g",
      ["Payment Gateway", "Service"],
      ["payment  gateway", "Service"],
      ["the deployment pipeline", "Service"],
      ["the deployment pipelines", "Service"],
    );
    await names(
      "g",
      ["src/login.ts", "File"],
      ["src/Login.ts", "File"],
      ["src/deployment-pipeline.ts", "File"],
      ["src/deployment-pipelines.ts", "File"],
    );
    await names("g", ["server number 12", "Service"], ["server number 13", "Service"]);
    await names("g", ["abcdef1", "Commit"], ["abcdef1234567890", "Commit"]);
    await names("h", ["Payment Gateway", "Service"]);
    const entities = must(await store.entities({ groups: ["g"] }));
    expect(entities.map((e) => e.name).sort()).toEqual([
      "Payment Gateway",
      "abcdef1",
      "server number 12",
      "server number 13",
      "src/Login.ts",
      "src/deployment-pipeline.ts",
      "src/deployment-pipelines.ts",
      "src/login.ts",
      "the deployment pipeline",
    ]);
    expect(entities.find((e) => e.name === "the deployment pipeline")?.aliases).toEqual(["the deployment pipelines"]);
    expect(
      must(await store.entities({ name: "payment gateway" }))
        .map((e) => e.group)
        .sort(),
    ).toEqual(["g", "h"]);
  });

  it("G12 RI9 a merge is taken back: the name is a thing of its own with what was said of it, then and later", async () => {
    const { store, find } = await openGraph();
    const [one, many] = ["deployment pipeline", "deployment pipelines"];
    const says = (name: string, value: string, n: number) => {
      const text = `The ${name} is ${value}.`;
      const facts = [{ ...fact("x HAS_STATUS y", day(n)), subject: term(name), object: term(value), text }];
      return say(store, { facts }, { name: `n${n}`, text });
    };
    await says(one, "red", 1);
    await says(many, "green", 2);
    await says(one, "blue", 3);
    expect(await intervals(store)).toEqual(["blue 3..", "green 2..3", "red 1..2"]);
    const outcome = must(await store.separate({ group: "g", name: "Deployment Pipelines", now: day(300) }));
    expect(outcome).toMatchObject({ entity: { name: many }, from: { name: one }, facts: 1 });
    expect(await intervals(store)).toEqual(["blue 3..", "green 2..", "red 1..3"]);
    await says(many, "gone", 4);
    expect(await intervals(store)).toEqual(["blue 3..", "gone 4..", "green 2..4", "red 1..3"]);
    expect(must(await store.entities({ groups: ["g"], name: one })).map(({ aliases }) => aliases)).toEqual([[]]);
    const [gone] = must(await store.facts({ entity: outcome?.entity.uuid ?? "", currentAt: day(300) }));
    if (find) expect(await find(many, "current")).toContain(gone?.uuid);
    expect(must(await store.separate({ group: "g", name: many, now: day(300) }))).toBeUndefined();
    expect(must(await store.separate({ group: "h", name: one, now: day(300) }))).toBeUndefined();
  });
}
