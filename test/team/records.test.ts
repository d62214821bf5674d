// W2: records on PostgreSQL pass the suite of every strategy, and answer whatever is done exactly as SQLite does.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { ok } from "../../src/base/result.ts";
import { readCitation } from "../../src/memory/record/citation.ts";
import type { Place, Strategy } from "../../src/memory/record/contract.ts";
import { storedStrategy } from "../../src/memory/record/embedded/strategy.ts";
import { noteCheck } from "../../src/memory/record/embedded/verify.ts";
import { secretFilter } from "../../src/memory/secret/filter.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import type { RowStore } from "../../src/store/unit.ts";
import { openMemories } from "../memory/record-fixture.ts";
import { draft, filtered, strategyConformance } from "../memory/strategy.conformance.ts";

const over = (store: RowStore, now?: () => string): Strategy =>
  storedStrategy({
    open: async () => ok(store),
    hashKey: "test",
    user: "local",
    clock: { ...systemClock, ...(now ? { now } : {}) },
    redact: secretFilter("test"),
  });

strategyConformance("on PostgreSQL", async () => {
  const store = (await newTeamDatabase()).store("acme");
  return {
    strategy: over(store),
    place: { repository: "acme/app", user: "local" },
    elsewhere: { strategy: over(store), place: { repository: "other/app", user: "else" } },
    tombstones: true,
  };
});

const { signal } = new AbortController();
const user = { kind: "user", id: "local", name: "local" } as const;
const places: readonly Place[] = [
  { repository: "acme/app", user: "local" },
  { repository: "acme/web", user: "local" },
  { user: "other" },
];
const words = ["build", "with", "npm", "Ünïcode", "running", "runs", "tests_first", "日本語のテスト", "deploy"];

const op = fc.record({
  kind: fc.constantFrom("store", "pending", "vote", "edit", "delete", "accept", "reject", "replace", "check", "prompt"),
  n: fc.integer({ min: 0, max: 11 }),
  fact: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((list) => list.join(" ")),
  place: fc.integer({ min: 0, max: 2 }),
  actor: fc.integer({ min: 0, max: 3 }),
  up: fc.boolean(),
});
type Op = typeof op extends fc.Arbitrary<infer T> ? T : never;

const idOf = (n: number): string => `mem_01ARZ3NDEKTSV4RRFFQ69G5${String(n).padStart(2, "0")}V`;

async function play(store: RowStore, ops: readonly Op[]): Promise<unknown[]> {
  let tick = 0;
  const now = (): string => new Date(Date.UTC(2026, 0, 1) + ++tick * 1000).toISOString();
  const strategy = over(store, now);
  const answers: unknown[] = [];
  const note = (answer: unknown): void => void answers.push(answer);
  for (const { kind, n, fact, place: at, actor, up } of ops) {
    const place = places[at] ?? { user: "local" };
    const by = { actor: user, place };
    const id = idOf(n);
    if (kind === "store" || kind === "pending") {
      const status = kind === "store" ? "active" : "pending";
      const scope = place.repository === undefined ? "user" : "repository";
      const citations = [readCitation(filtered("src/a.ts:3")), readCitation(filtered("https://acme.test/x"))];
      const taken = await strategy.get(id, {}, signal);
      if (taken.type === "not_found" && !isGone(answers, id))
        note(await strategy.store(draft(place, fact, { id, status, scope, citations, revive: up }), signal));
    } else if (kind === "vote") {
      const who = { key: actor === 0 ? "user:local" : `rest:${actor}`, kind: actor === 0 ? "user" : "agent" } as const;
      const ballot = { fact: filtered(fact), reason: filtered("because"), place, actor: who };
      note(await strategy.vote({ ...ballot, direction: up ? "upvote" : "downvote", ...(up ? { id } : {}) }, signal));
    } else if (kind === "edit") note(await strategy.edit(id, { fact: filtered(fact), trust: 0.5 }, by, signal));
    else if (kind === "delete") note(await strategy.delete(id, by, signal));
    else if (kind === "accept" || kind === "reject") note(await strategy.resolve(id, { how: kind }, by, signal));
    else if (kind === "replace") note(await strategy.resolve(id, { how: "replace", old: idOf(actor) }, by, signal));
    else if (kind === "check") {
      const check = { id, citations: [{ raw: "src/a.ts:3", state: up ? "verified" : "missing" } as const] };
      note(await store.write(() => noteCheck({ now: now(), user: "local" }, { ...check, shown: (raw) => raw })));
    } else {
      const scopes = ["repository", "user"] as const;
      note(await strategy.prompt({ place, scopes, maxTokens: 2000, maxRecords: 3 }, signal));
      note(await strategy.find(fact, { place }, signal));
    }
    note(await strategy.list({ place, limit: 3, ...(up ? { text: fact } : { author: "agent" }) }, signal));
  }
  const changes = await strategy.changes({ limit: 500 }, signal);
  if (changes.type === "changes") note(changes.changes.map(({ id: _, ...change }) => change));
  note(await strategy.list({ status: ["active", "pending", "superseded", "deleted"] }, signal));
  return answers;
}

/** An id is used once in a life: its tombstone has it still. */
const isGone = (answers: readonly unknown[], id: string): boolean => JSON.stringify(answers).includes(`"${id}"`);

describe("W2 R11", () => {
  it("W2 M148 MI16 whatever is done to records, PostgreSQL answers as SQLite does", async () => {
    const team = await newTeamDatabase();
    let games = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 10, maxLength: 40 }), async (ops) => {
        const [expected, actual] = [
          await play(embeddedStore(await openMemories()), ops),
          await play(team.store(`tenant-${games++}`), ops),
        ];
        expect(actual).toEqual(expected);
      }),
      { numRuns: process.env["EVERLONG_SOAK"] ? 300 : 15 },
    );
  });
});
