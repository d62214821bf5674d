// Communities: the same groups whatever the ids and the order, and nothing across groups of the graph.
import { expect, it } from "vitest";
import { communitiesOf } from "./community.ts";
import { day, fact, must, openGraph, say } from "./graph-fixture.ts";

const LINES = [
  "api USES redis",
  "api USES kafka",
  "worker USES kafka",
  "worker USES redis",
  "api DEPENDS_ON worker",
  "web USES react",
  "web USES vite",
  "vite USES react",
  "loner OWNS nothing",
];

it("G5 things that facts join closely are one community, whatever the order of arrival", async () => {
  const { store } = await openGraph();
  const names: string[][] = [];
  for (const [group, lines] of [
    ["a", LINES],
    ["b", LINES.toReversed()],
  ] as const) {
    for (const line of lines) await say(store, { facts: [fact(line, day(1))] }, { group });
    const communities = communitiesOf(must(await store.facts({ groups: [group] })));
    names.push(
      communities.map(({ members }) =>
        members
          .map(({ name }) => name)
          .sort()
          .join(" "),
      ),
    );
    expect(communities[0]).toMatchObject({ name: "api", summary: expect.arrayContaining(["api DEPENDS_ON worker"]) });
    expect(communities[0]?.summary).toHaveLength(3);
  }
  expect(names[0]).toEqual(["api kafka redis worker", "react vite web"]);
  expect(names[1]).toEqual(names[0]);
});

it("G5 no facts, no communities; thousands of facts of one thing are one", () => {
  expect(communitiesOf([])).toEqual([]);
  const end = (name: string) => ({ uuid: `u-${name}`, name });
  const one = (n: number) => ({
    subject: end("hub"),
    object: end(`spoke${n}`),
    text: `hub uses ${n}`,
    validAt: day(1),
  });
  const star = Array.from({ length: 5000 }, (_, n) => one(n)) as never[];
  const [whole, ...others] = communitiesOf(star);
  expect([whole?.name, whole?.members.length, others.length]).toEqual(["hub", 5001, 0]);
});
