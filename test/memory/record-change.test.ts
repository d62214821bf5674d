// Votes, edits, deletion and review of records, and what they leave behind.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { editRecord, removeRecord, resolveRecord } from "../../src/memory/record/change.ts";
import type { MemoryRecord, Status } from "../../src/memory/record/contract.ts";
import { nextStatus, type StatusSignal } from "../../src/memory/record/status.ts";
import { storeRecord } from "../../src/memory/record/store.ts";
import { voteOn } from "../../src/memory/record/vote.ts";
import {
  byAgent,
  embeddedOver,
  here,
  openMemories,
  plain,
  rows,
  type Scene,
  scene,
  signal,
  user,
  vote,
} from "./record-fixture.ts";

const base = mkdtempSync(join(tmpdir(), "everlong-record-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const by = { actor: user };
const promptAsk = { place: here, scopes: ["repository", "user"] as const, maxTokens: 2000, maxRecords: 60 };

async function kept(
  s: Scene,
  more: Record<string, unknown> = {},
  leave: "approved" | "pending" = "approved",
): Promise<MemoryRecord> {
  const done = await storeRecord(s.parts, byAgent(plain(more), { ask: async () => ({ type: leave }) }), signal);
  if (done.type !== "stored" && done.type !== "pending_review") throw new Error(done.type);
  return done.record;
}
const promptText = async (s: Scene): Promise<string> => {
  const given = await s.strategy.prompt(promptAsk, signal);
  return given.type === "prompted" ? (given.answer.prompt ?? "") : given.cause;
};

describe("votes", () => {
  it("MB3 B40 M23 MI3 a thousand votes of one actor count once; the other direction replaces", async () => {
    const s = await scene();
    const { fact } = await kept(s);
    const up = { fact: `  ${fact}`, direction: "upvote", reason: "seen in package.json" };
    expect(await voteOn(s.parts, vote(up), signal)).toMatchObject({ type: "voted", changed: true });
    for (let i = 0; i < 999; i++) expect(await voteOn(s.parts, vote(up), signal)).toMatchObject({ changed: false });
    const other = { actor: { key: "agent:local:s2", kind: "agent" } } as const;
    await voteOn(s.parts, vote(up, other), signal);
    const turned = await voteOn(s.parts, vote({ ...up, direction: "downvote" }), signal);
    expect(turned).toMatchObject({ record: { votes: { up: 1, down: 1 } } });
    expect(rows(s.db, "memory_votes")).toBe(2);
    expect(rows(s.db, "memory_changes")).toBe(4); // the store and the three votes that changed something
  });

  it("MB3 B40 M19 M20 an unknown fact, one of another repository: the nearest are named, nothing is asked", async () => {
    const s = await scene();
    await kept(s);
    const ask = async () => {
      throw new Error("must not ask");
    };
    const unknown = { fact: "npm run build writes into out", direction: "upvote", reason: "x" };
    expect(await voteOn(s.parts, vote(unknown, { ask }), signal)).toMatchObject({
      code: "fact_not_found",
      message: expect.stringContaining(plain().fact),
    });
    const elsewhere = { place: { repository: "acme/other", user: "local" }, ask };
    const far = await voteOn(s.parts, vote({ ...unknown, fact: plain().fact }, elsewhere), signal);
    expect(far).toMatchObject({ code: "fact_not_found", message: expect.not.stringContaining("dist") });
    expect(rows(s.db, "memory_votes")).toBe(0);
  });

  it("M19 validation comes before the client, the client before voting, voting before the fact", async () => {
    const s = await scene();
    const bad = { fact: "", direction: "sideways", reason: "" };
    const noVotes = {
      ...s.parts,
      client: () => ({ type: "ready", strategy: { ...s.strategy, supportsVoting: false } }) as const,
    };
    expect(await voteOn(noVotes, vote(bad), signal)).toMatchObject({ fields: ["fact", "direction", "reason"] });
    const good = { fact: "nothing like it", direction: "upvote", reason: "x" };
    expect(await voteOn(noVotes, vote(good), signal)).toMatchObject({ code: "voting_unsupported" });
  });

  it("M61 leave for a vote is asked with fact, direction and reason; refused, nothing is counted", async () => {
    const s = await scene();
    const { fact } = await kept(s);
    const asked: unknown[] = [];
    const ask = async (request: unknown) => {
      asked.push(request);
      return { type: "denied", by: "rule", message: "no" } as const;
    };
    const done = await voteOn(s.parts, vote({ fact, direction: "downvote", reason: "gone" }, { ask }), signal);
    expect(done).toMatchObject({ code: "permission_denied", by: "rule" });
    expect(asked).toMatchObject([
      { kind: "memory", action: "vote", fact, direction: "downvote", reason: "gone", mustAsk: false },
    ]);
    expect(rows(s.db, "memory_votes")).toBe(0);
  });

  it("M24 a user's downvote, or agents' at net -2, keeps it out of the prompt until votes change", async () => {
    const s = await scene();
    const { fact } = await kept(s);
    const cast = (key: string, kind: "user" | "agent", direction: string) =>
      voteOn(s.parts, vote({ fact, direction, reason: "x" }, { actor: { key, kind } }), signal);
    await cast("agent:local:a", "agent", "downvote");
    expect(await promptText(s)).toContain(fact);
    await cast("agent:local:b", "agent", "downvote");
    expect(await promptText(s)).toBe("");
    expect(await s.strategy.list({ place: here }, signal)).toMatchObject({ records: [{ votes: { disputed: true } }] });
    await cast("agent:local:b", "agent", "upvote");
    expect(await promptText(s)).toContain(fact);
    await cast("user:local", "user", "downvote");
    expect(await promptText(s)).toBe("");
    await cast("user:local", "user", "upvote");
    expect(await promptText(s)).toContain(fact);
  });
});

describe("edit", () => {
  it("M78 at the version it was read; else both texts and nothing written", async () => {
    const s = await scene();
    const record = await kept(s);
    const first = await editRecord(
      s.parts,
      { id: record.id, input: { fact: "one thing" }, by: { ...by, version: 1 } },
      signal,
    );
    expect(first).toMatchObject({ type: "edited", record: { version: 2, fact: "one thing", subject: "build" } });
    const second = await editRecord(
      s.parts,
      { id: record.id, input: { fact: "another" }, by: { ...by, version: 1 } },
      signal,
    );
    expect(second).toMatchObject({ type: "conflict", current: { fact: "one thing" } });
    expect(await s.strategy.list({ place: here, text: "another" }, signal)).toMatchObject({ records: [] });
    expect(await s.strategy.list({ place: here, text: "thing" }, signal)).toMatchObject({
      records: [{ id: record.id }],
    });
    const bad = await editRecord(s.parts, { id: record.id, input: { fact: "z".repeat(501) }, by }, signal);
    expect(bad).toMatchObject({ code: "invalid_inputs", fields: ["fact"] });
  });

  it("M20 M21 makes the checks that storing makes: no secret for every project, no second record of one fact", async () => {
    const s = await scene();
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)} deploys the ledger service every Tuesday`;
    const mine = await kept(s, { scope: "user", fact: "I write tests first, always" });
    const other = await kept(s, { fact: "use tabs for indentation" });
    const edit = ({ id }: MemoryRecord, input: object) => editRecord(s.parts, { id, input, by }, signal);
    for (const field of ["fact", "reason", "subject"])
      expect(await edit(mine, { [field]: secret }), field).toMatchObject({ code: "memory_secret" });
    expect(await edit(other, { fact: secret })).toMatchObject({ type: "edited", redactions: 1 });

    const one = await kept(s, { fact: "first fact of them all" });
    const two = await kept(s, { fact: "second fact of them all" });
    const same = await edit(two, { fact: "first  fact of them all" });
    expect(same).toMatchObject({ code: "invalid_inputs", fields: ["fact"], message: expect.stringContaining(one.id) });
    expect(await s.strategy.get(two.id, {}, signal)).toMatchObject({ record: { fact: two.fact, version: 1 } });
    // The same words in another place are another record.
    expect(await edit(mine, { fact: one.fact })).toMatchObject({ type: "edited" });
    expect(await edit(two, { fact: `${two.fact} ` })).toMatchObject({ type: "edited" });
  });

  it("M72 the user raises trust", async () => {
    const s = await scene();
    const record = await kept(s);
    const done = await editRecord(s.parts, { id: record.id, input: { trust: "user" }, by }, signal);
    expect(done).toMatchObject({ record: { source: { trust: 1, origins: [{ kind: "assistant" }] } } });
  });
});

describe("M15 deletion", () => {
  const WORD = "xylophonequartz";

  it("M14 M15 nothing of the text is left in the file; a tombstone is; the agent may not store it again", async () => {
    const path = join(base, "store.db");
    const db = await openMemories(path);
    const s = { ...(await scene()), db };
    s.parts.client = () => ({ type: "ready", strategy: embeddedOver(db) });
    const strategy = embeddedOver(db);
    const record = await kept(s, {
      fact: `the ${WORD} is tuned to a`,
      reason: `because of ${WORD}`,
      citations: [`${WORD}.ts:3`],
    });
    await editRecord(s.parts, { id: record.id, input: { subject: `about ${WORD}` }, by }, signal);
    await voteOn(s.parts, vote({ fact: record.fact, direction: "upvote", reason: `saw ${WORD}` }), signal);
    expect(await removeRecord(s.parts, { id: record.id, by }, signal)).toEqual({ type: "deleted", id: record.id });
    expect(await removeRecord(s.parts, { id: record.id, by }, signal)).toEqual({ type: "deleted", id: record.id });
    expect(await strategy.list({ place: here, text: WORD }, signal)).toMatchObject({ records: [] });
    expect(await strategy.get(record.id, { place: here }, signal)).toEqual({ type: "not_found" });
    const changes = await strategy.changes({ memory: record.id }, signal);
    expect(changes).toMatchObject({
      changes: [{ action: "delete" }, { action: "vote" }, { action: "edit" }, { action: "store" }],
    });
    const blank = changes.type === "changes" ? (changes.changes[3]!.after as { fact: string }).fact : "";
    expect(blank).toBe(" ".repeat(record.fact.length));
    const again = await storeRecord(s.parts, byAgent(plain({ fact: record.fact })), signal);
    expect(again).toMatchObject({ code: "deleted_before" });
    db.close();
    for (const name of readdirSync(base)) expect(readFileSync(join(base, name)).includes(WORD), name).toBe(false);
  });

  it("M20 only the user adds it again", async () => {
    const s = await scene();
    const record = await kept(s);
    await removeRecord(s.parts, { id: record.id, by }, signal);
    const { ask: _nobody, ...typed } = byAgent(plain(), { author: user });
    expect(await storeRecord(s.parts, typed, signal)).toMatchObject({ type: "stored" });
    expect(await storeRecord(s.parts, byAgent(plain()), signal)).toMatchObject({ type: "already_stored" });
  });
});

it("M20 what failed is told as what it was: a vote, an edit and a deletion are no store", async () => {
  const s = await scene();
  const { id, fact } = await kept(s);
  const failed = async () => ({ type: "failed", cause: "The disk is full.", mayBeStored: true }) as const;
  const strategy = { ...s.strategy, vote: failed, edit: failed, delete: failed };
  const parts = { ...s.parts, client: () => ({ type: "ready", strategy }) as const };
  const done = [
    await voteOn(parts, vote({ fact, direction: "upvote", reason: "x" }), signal),
    await editRecord(parts, { id, input: { subject: "x" }, by }, signal),
    await removeRecord(parts, { id, by }, signal),
  ];
  for (const outcome of done)
    expect(outcome).toMatchObject({
      code: "store_failed",
      message:
        "The store failed: The disk is full. It may have been done all the same: the same call again does no harm.",
    });
  const bad = [
    await voteOn(s.parts, vote({}), signal),
    await editRecord(s.parts, { id, input: { fact: "" }, by }, signal),
  ];
  for (const outcome of bad)
    expect(outcome).toMatchObject({ message: expect.stringMatching(/^Nothing was written: "fact"/) });
});

describe("M58 review", () => {
  it("M11 M58 accept, reject, replace", async () => {
    const s = await scene();
    const old = await kept(s, { fact: "use tabs for indentation" });
    const one = await kept(s, { fact: "first thing that waits" }, "pending");
    const two = await kept(s, { fact: "second thing that waits" }, "pending");
    const three = await kept(s, { fact: "use spaces for indentation" }, "pending");
    const resolve = (id: string, resolution: Parameters<typeof resolveRecord>[1]["resolution"]) =>
      resolveRecord(s.parts, { id, resolution, by }, signal);
    expect(await resolve(one.id, { how: "accept" })).toMatchObject({ record: { status: { type: "active" } } });
    expect(await resolve(one.id, { how: "accept" })).toEqual({ type: "not_pending" });
    expect(await resolve(two.id, { how: "reject" })).toEqual({ type: "resolved", record: undefined });
    expect(await resolve(three.id, { how: "replace", old: old.id })).toMatchObject({
      record: { status: { type: "active" } },
    });
    expect(await s.strategy.get(old.id, {}, signal)).toMatchObject({
      record: { status: { type: "superseded", by: three.id } },
    });
    const text = await promptText(s);
    expect(text).toContain("use spaces");
    expect(text).toContain("first thing");
    expect(text).not.toContain("use tabs");
    expect(text).not.toContain("second thing");
  });

  it("M13 MI4 a record replaces one of its own place only", async () => {
    const s = await scene();
    const at = async (repository: string, fact: string, more: object, leave: "approved" | "pending") => {
      const request = byAgent(plain({ fact, ...more }), { place: { repository, user: "local" } });
      const done = await storeRecord(s.parts, { ...request, ask: async () => ({ type: leave }) }, signal);
      if (done.type !== "stored" && done.type !== "pending_review") throw new Error(done.type);
      return done.record;
    };
    const theirs = await at("acme/other", "theirs is not to be touched", {}, "approved");
    const mine = await at("acme/app", "mine, for every project of mine", { scope: "user" }, "approved");
    const old = await at("acme/app", "the old one of this place", {}, "approved");
    const waits = await at("acme/app", "the new one of this place", {}, "pending");
    const replace = (id: string, place?: typeof here) => {
      const resolution = { how: "replace", old: id } as const;
      return resolveRecord(s.parts, { id: waits.id, resolution, by: { ...by, ...(place ? { place } : {}) } }, signal);
    };
    for (const { id } of [theirs, mine, waits])
      for (const place of [here, undefined]) expect(await replace(id, place)).toEqual({ type: "not_pending" });
    for (const { id } of [theirs, mine])
      expect(await s.strategy.get(id, {}, signal)).toMatchObject({ record: { status: { type: "active" } } });
    expect(await replace(old.id, here)).toMatchObject({ type: "resolved" });
  });

  it("M11 the transition function leads nowhere from deleted, and only by its arrows", () => {
    const states: Status[] = [
      { type: "pending" },
      { type: "active" },
      { type: "superseded", by: "x" },
      { type: "deleted" },
    ];
    const signals: StatusSignal[] = [
      { type: "accept" },
      { type: "supersede", by: "y" },
      { type: "restore" },
      { type: "delete" },
    ];
    expect(states.map((state) => signals.map((one) => nextStatus(state, one)?.type))).toEqual([
      ["active", undefined, undefined, "deleted"],
      [undefined, "superseded", undefined, "deleted"],
      [undefined, undefined, "active", "deleted"],
      [undefined, undefined, undefined, undefined],
    ]);
  });
});

it("MI4 M13 no read shows another repository or user, whatever the keys are", async () => {
  const key = fc.oneof(
    fc.constantFrom("a/b", "A/B", "a/b'", "a/b%", "a' OR 1=1--", "__proto__"),
    fc.string({ minLength: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(key, key, fc.constantFrom("repository", "user"), async (mine, theirs, scope) => {
      fc.pre(mine !== theirs);
      const s = await scene();
      const request = byAgent(plain({ scope }), { place: { repository: mine, user: mine } });
      expect(await storeRecord(s.parts, request, signal)).toMatchObject({ type: "stored" });
      const place = { repository: theirs, user: theirs };
      const { strategy } = s;
      expect(await strategy.list({ place }, signal)).toMatchObject({ records: [] });
      expect(await strategy.find(plain().fact, { place }, signal)).toEqual({ type: "absent", near: [] });
      expect(await strategy.prompt({ ...promptAsk, place }, signal)).toMatchObject({
        answer: { prompt: null, counts: { total: 0 } },
      });
      s.db.close();
    }),
    { numRuns: 40 },
  );
});

it("M141 all pages together give every record once", async () => {
  const s = await scene();
  for (let i = 0; i < 23; i++) await kept(s, { fact: `fact number ${i} of many` });
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await s.strategy.list({ place: here, limit: 5, ...(after ? { after } : {}) }, signal);
    if (page.type !== "listed") throw new Error(page.type);
    seen.push(...page.records.map(({ id }) => id));
    after = page.next;
    if (after === undefined) break;
  }
  expect(new Set(seen).size).toBe(23);
  expect(seen).toHaveLength(23);
  for (const [field, bad] of [
    ["after", { after: "x" }],
    ["limit", { limit: 0 }],
  ] as const)
    expect(await s.strategy.list({ place: here, ...bad }, signal)).toEqual({ type: "invalid", field });
});

it("MB23 odd searches are answered", async () => {
  const s = await scene();
  await kept(s);
  for (const text of ['"', "NEAR(", "a OR", "*", "-", "x ".repeat(10_000), "subject:build", "日本"])
    expect((await s.strategy.list({ place: here, text }, signal)).type, text).toBe("listed");
  await kept(s, { fact: "日本語の文章" });
  expect(await s.strategy.list({ place: here, text: "日本語" }, signal)).toMatchObject({
    records: [{ fact: "日本語の文章" }],
  });
});

it("M147 several processes store into one file: every record, no error", async () => {
  const path = join(base, "shared.db");
  (await openMemories(path)).close();
  const script = join(import.meta.dirname, "record-writer.ts");
  const loader = join(import.meta.dirname, "text-loader.mjs");
  const run = (name: string) =>
    new Promise<void>((resolve, reject) => {
      execFile(process.execPath, ["--no-warnings", "--import", loader, script, path, name, "40"], (error, _out, err) =>
        error ? reject(new Error(err)) : resolve(),
      );
    });
  await Promise.all(["a", "b", "c"].map(run));
  const db = await openMemories(path);
  expect([rows(db, "memories"), rows(db, "memory_changes"), rows(db, "memory_text")]).toEqual([120, 120, 120]);
  expect(db.prepare("SELECT value FROM memory_generation").get()?.["value"]).toBe(120);
  db.close();
});
