// W2 R11 RI3: the same items and questions on both databases, and every answer compared: ids, order, scores, texts.
import fc from "fast-check";
import { expect, it } from "vitest";
import { VectorScan } from "../../src/memory/recall/embed/scan.ts";
import type { Item, ItemPlace } from "../../src/memory/recall/item.ts";
import { type ListRequest, listing, originalOf } from "../../src/memory/recall/list.ts";
import { TermCounts } from "../../src/memory/recall/rank/count.ts";
import { type SearchRequest, searching } from "../../src/memory/recall/search.ts";
import { addItems, markRewound, removeItems, removeSession } from "../../src/memory/recall/store/change.ts";
import type { RecallScope, Within } from "../../src/memory/recall/store/scope.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import type { RowStore, Unit } from "../../src/store/unit.ts";
import { openMemories } from "../memory/record-fixture.ts";

const NOW = Date.UTC(2026, 1, 1);
const related = (stem: string): string[] => (stem === "boat" ? ["ship", "yacht"] : []);
const WORDS = [
  ..."the to of is it we you what did green boat boats ship painted paint painting harbour allergic allergy getUserById".split(
    " ",
  ),
  ..."get_user_by_id src/auth/login.ts login v1.2.3 #123 ENOENT 東京に行く 猫 café CAFE naïve friday deploy deploys deployed".split(
    " ",
  ),
  "x".repeat(900),
];
const PLACES: readonly ItemPlace[] = [
  { level: "session", session: "s1", repository: "acme/app", branch: "main", identity: "ann" },
  { level: "session", session: "s2", repository: "acme/app", identity: "ann", client: "codex" },
  { level: "session", session: "s1", repository: "acme/app", identity: "ben" },
  { level: "session", session: "s3", workspace: "/w" },
  { level: "repository", repository: "acme/app" },
  { level: "user", user: "ann" },
  { level: "branch", repository: "acme/app", branch: "main" },
];

const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 30 }).map((words) => words.join(" "));
const long = fc.tuple(text, fc.integer({ min: 2, max: 60 })).map(([t, n]) => Array(n).fill(t).join(".\n"));
const item: fc.Arbitrary<Item> = fc
  .record({
    n: fc.nat(400),
    text: fc.oneof({ weight: 8, arbitrary: text }, long, fc.constant("")),
    role: fc.constantFrom("user", "assistant", "tool", "Maria"),
    kind: fc.constantFrom("turn", "turn", "turn", "tool", "record", "fact"),
    place: fc.constantFrom(...PLACES),
    days: fc.nat(60),
  })
  .map(({ n, days, ...rest }) => ({
    ...{ id: `i${n}`, seq: n, ...(days === 0 ? {} : { time: NOW - days * 86_400_000 }) },
    ...(rest.kind === "turn" ? { turn: n >> 1, index: n & 1 } : {}),
    ...(n % 7 === 0 ? { path: `a${n}.ts`, line: n % 2 === 0 ? n : "row" } : {}),
    ...rest,
  })) as fc.Arbitrary<Item>;

const scope = fc.constantFrom<RecallScope>(
  ...[
    { type: "all" } as const,
    { type: "session", session: "s1" } as const,
    { type: "repository", repository: "acme/app" } as const,
  ],
  ...[{ type: "user", user: "ann" } as const, { type: "workspace", workspace: "/w" } as const],
  { type: "board", repository: "acme/app", branch: "main" },
);
const within: fc.Arbitrary<Within> = fc.record(
  {
    identity: fc.constantFrom("ann", "ben", "eve"),
    everyone: fc.boolean(),
    scopes: fc.uniqueArray(scope, { minLength: 1, maxLength: 3, selector: (s) => s.type }),
  },
  { requiredKeys: ["identity", "scopes"] },
);
const query = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((w) => w.join(" ")) },
  fc
    .array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 2 })
    .map((w) => `what about "${w.join(" ")}" yesterday`),
  fc.constantFrom("allergies", "harbours list all", "京", "「猫」", "what did we do last week"),
);
const filter = fc.record(
  {
    kinds: fc.constantFrom(["turn"], ["record", "fact"], ["turn", "tool", "record", "fact", "pin", "episode"]),
    roles: fc.constantFrom(["user"], ["Maria", "assistant"]),
    since: fc.nat(40).map((days) => NOW - days * 86_400_000),
    before: fc.nat(10).map((days) => NOW - days * 86_400_000),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<SearchRequest>>;

type Play =
  | { type: "add"; items: Item[] }
  | { type: "remove"; ids: string[] }
  | { type: "forget"; session: string; identity: string }
  | { type: "rewind"; session: string; turn: number }
  | { type: "search"; request: SearchRequest }
  | { type: "list"; request: ListRequest }
  | { type: "item"; id: string; within: Within };

/** Few postings are already too many in some searches: those look at samples and the newest. */
const SMALL = { postings: 6, allPostings: 20, kept: 5 };
const first = fc.array(item, { minLength: 25, maxLength: 50 }).map((items): Play => ({ type: "add", items }));
const play: fc.Arbitrary<Play> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(item, { minLength: 1, maxLength: 12 }).map((items): Play => ({ type: "add", items })),
  },
  fc
    .array(fc.nat(400), { minLength: 1, maxLength: 4 })
    .map((ns): Play => ({ type: "remove", ids: ns.map((n) => `i${n}`) })),
  fc.constantFrom<Play>(
    { type: "forget", session: "s1", identity: "ben" },
    { type: "rewind", session: "s2", turn: 100 },
  ),
  {
    weight: 8,
    arbitrary: fc
      .record({ text: query, within, filter, small: fc.boolean(), limit: fc.constantFrom(3, 50), floor: fc.boolean() })
      .map(({ text, within, filter, small, limit, floor }): Play => {
        const bounds = small ? { bounds: SMALL } : {};
        return { type: "search", request: { ...filter, ...bounds, text, within, limit, floor, now: NOW, zone: "UTC" } };
      }),
  },
  fc.record({ text: fc.option(query, { nil: undefined }), within, filter }).map(
    ({ text, within, filter }): Play => ({
      type: "list",
      request: { ...filter, within, limit: 5, ...(text === undefined ? {} : { text }) } as ListRequest,
    }),
  ),
  fc.record({ n: fc.nat(400), within }).map(({ n, within }): Play => ({ type: "item", id: `i${n}`, within })),
);

const everything: Within = { everyone: true, scopes: [{ type: "all" }] };
/** Three passages with three words each that begin alike: rare, unless a passage is counted once for each of them. */
const alike: [Play, Play[]] = [
  {
    type: "add",
    items: [1, 2, 3].map((seq) => ({
      ...{ id: `i${seq}`, seq, time: NOW, kind: "turn", role: "user", text: "東京に行く" },
      place: { level: "repository", repository: "acme/app" },
    })),
  },
  [{ type: "search", request: { text: "京", within: everything, floor: true, now: NOW, zone: "UTC" } }],
];
const last: Play = {
  type: "search",
  request: { text: "did we deploy the green boat", within: everything, limit: 20, now: NOW, zone: "UTC" },
};

function* unitOf(step: Play, counts: TermCounts): Unit<unknown> {
  switch (step.type) {
    case "add":
      return yield* addItems(step.items, { embed: true });
    case "remove":
      return yield* removeItems(step.ids);
    case "forget":
      return yield* removeSession(step);
    case "rewind":
      return yield* markRewound({ session: step.session, identity: "ann" }, step.turn);
    case "search":
      return yield* searching(step.request, { relatedTo: related, counts, vectors: new VectorScan() });
    case "list": {
      const first = yield* listing(step.request);
      const { cursor } = first;
      const next = cursor === undefined ? { items: [] } : yield* listing({ ...step.request, cursor });
      return [first.items, next.items];
    }
    case "item":
      return (yield* originalOf(step.within, step.id)) ?? "nothing";
  }
}

async function answerOf(store: RowStore, step: Play, counts: TermCounts): Promise<unknown> {
  const isRead = step.type === "search" || step.type === "list" || step.type === "item";
  const answer = await (isRead ? store.read(() => unitOf(step, counts)) : store.write(() => unitOf(step, counts)));
  if (!answer.ok) throw new Error(answer.error.what);
  return answer.value;
}

/** The same sum in another order may differ in its last bit. */
const rounded = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer ?? null, (_, value) => (typeof value === "number" ? Number(value.toPrecision(12)) : value)),
  );

it("W2 R11 RI3 whatever is added, removed and asked, both databases give the same items in the same order with the same scores", async () => {
  const team = await newTeamDatabase();
  let tenants = 0;
  let results = 0;
  await fc.assert(
    fc.asyncProperty(first, fc.array(play, { minLength: 10, maxLength: 30 }), async (begin, plays) => {
      const here = embeddedStore(await openMemories());
      const there = team.store(`t${tenants++}`);
      const [countsHere, countsThere] = [new TermCounts(), new TermCounts()];
      for (const step of [begin, ...plays, begin, last]) {
        const expected = await answerOf(here, step, countsHere);
        const answer = await answerOf(there, step, countsThere);
        expect(rounded(answer), JSON.stringify(step).slice(0, 500)).toEqual(rounded(expected));
        if (step.type === "search") results += (expected as { results: unknown[] }).results.length;
      }
    }),
    { numRuns: process.env["EVERLONG_SOAK"] ? 400 : 12, endOnFailure: true, examples: [alike] },
  );
  expect(results).toBeGreaterThan(50);
});
