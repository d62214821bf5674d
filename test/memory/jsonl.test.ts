// Memories in a repository's file: real files, real processes, one of them killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { bundleFile } from "../../scripts/bundle.mjs";
import { systemClock } from "../../src/base/clock.ts";
import type { SettleReport } from "../../src/memory/file/repository-files.ts";
import type { PromptAsk, Strategy } from "../../src/memory/record/contract.ts";
import { newMemoryId } from "../../src/memory/record/id.ts";
import { type JsonlOptions, openJsonl } from "../../src/memory/record/strategy-jsonl.ts";
import { secretFilter, secretRedactor } from "../../src/memory/secret/filter.ts";
import { draft, filtered, strategyConformance } from "./strategy.conformance.ts";

const PLACE = { repository: "acme/app", user: "local" };
const SEED = ".github/copilot-memories.jsonl";
const OWN = ".everlong/memories.jsonl";
const ask: PromptAsk = { place: PLACE, scopes: ["repository"], maxTokens: 4000, maxRecords: 60 };
const { signal } = new AbortController();

const folders: string[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Stand = { root: string; home: string; written: SettleReport[]; warnings: string[] };
function stand(): Stand {
  const folder = mkdtempSync(join(tmpdir(), "everlong-jsonl-"));
  folders.push(folder);
  const [root, home] = [join(folder, "repo"), join(folder, "home")];
  mkdirSync(root);
  mkdirSync(home);
  return { root, home, written: [], warnings: [] };
}
const optionsOf = (at: Stand): JsonlOptions => ({
  root: at.root,
  home: at.home,
  locks: join(at.home, "locks"),
  seed: false,
  repository: "acme/app",
  trusted: true,
  redactor: secretRedactor("k"),
  redact: secretFilter("k"),
  newId: () => newMemoryId(),
  clock: systemClock,
  onWritten: (written) => at.written.push(written),
  onWarning: (message) => at.warnings.push(message),
});
function open(at: Stand, more: Partial<JsonlOptions> = {}): Strategy {
  const strategy = openJsonl({ ...optionsOf(at), ...more });
  if (!("kind" in strategy)) throw new Error(strategy.message);
  return strategy;
}
const put = (at: Stand, name: string, text: string): void => {
  mkdirSync(dirname(join(at.root, name)), { recursive: true });
  writeFileSync(join(at.root, name), text);
};
const read = (at: Stand, name: string): string => readFileSync(join(at.root, name), "utf8");
const lines = (at: Stand, name: string) =>
  read(at, name)
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const waiting = (at: Stand): string[] =>
  existsSync(join(at.home, "pending")) ? readdirSync(join(at.home, "pending")) : [];
const remember = async (strategy: Strategy, fact: string) => {
  const stored = await strategy.store(draft(PLACE, fact), signal);
  if (stored.type !== "stored") throw new Error(stored.type);
  return stored.record;
};
const prompt = async (strategy: Strategy): Promise<string> => {
  const given = await strategy.prompt(ask, signal);
  return given.type === "prompted" ? (given.answer.prompt ?? "") : given.cause;
};

strategyConformance("jsonl", async () => {
  const at = stand();
  return { strategy: open(at), place: PLACE, elsewhere: undefined, tombstones: true };
});

describe("file memory", () => {
  it("M36 M37 a store is journalled at once and in the file when the session ends", async () => {
    const at = stand();
    const strategy = open(at);
    const record = await remember(strategy, "The build needs Node 24");
    expect(existsSync(join(at.root, OWN))).toBe(false);
    expect(waiting(at)).toHaveLength(1);
    expect(await prompt(open(at, { trusted: true }))).toContain("Node 24");
    await strategy.shutdown(signal);
    expect(lines(at, OWN)).toMatchObject([
      {
        id: record.id,
        subject: "build",
        fact: "The build needs Node 24",
        citations: ["src/a.ts:3"],
        source: { sessionId: "s1" },
      },
    ]);
    expect(waiting(at)).toEqual([]);
  });

  it("M35 new records go to the seed's file when it is there or its flag is on; old ones stay in theirs", async () => {
    const at = stand();
    const first = open(at);
    const own = await remember(first, "Kept in our file");
    await first.shutdown(signal);
    put(at, SEED, "");
    const second = open(at);
    await remember(second, "Kept in the seed's file");
    const edited = await second.edit(own.id, { subject: filtered("moved?") }, { actor: own.author }, signal);
    expect(edited.type).toBe("edited");
    await second.shutdown(signal);
    expect(lines(at, SEED)).toMatchObject([{ fact: "Kept in the seed's file" }]);
    expect(lines(at, OWN)).toMatchObject([{ fact: "Kept in our file", subject: "moved?", version: 2 }]);

    const flagged = stand();
    const by = open(flagged, { seed: true });
    await remember(by, "By the seed's flag");
    await by.shutdown(signal);
    expect(lines(flagged, SEED)).toHaveLength(1);
  });

  it("M35 there are no votes and no scopes", async () => {
    const strategy = open(stand());
    expect(strategy).toMatchObject({ kind: "jsonl", supportsVoting: false, supportsScopes: false });
    const refused = await strategy.store(draft(PLACE, "Mine everywhere", { scope: "user" }), signal);
    expect(refused).toMatchObject({ type: "refused", code: "invalid_scope" });
  });

  it("M38 nothing stored and nothing waiting: the file is neither made nor touched", async () => {
    const at = stand();
    const odd =
      '\ufeff{"id":"b","fact":"second","createdAt":"2026-01-02"}\n\n{"id":"a","fact":"first","createdAt":"2026-01-01"}';
    put(at, SEED, odd);
    const strategy = open(at);
    expect(await prompt(strategy)).toContain("second");
    await strategy.shutdown(signal);
    expect(read(at, SEED)).toBe(odd);
    expect(existsSync(join(at.root, OWN))).toBe(false);
    expect(at.written).toEqual([]);
  });

  it("MB11 torn lines, BOM, unknown fields and merge markers: good lines are used, the rest is kept and reported", async () => {
    const at = stand();
    const foreign =
      '{"id": "x1",  "fact":"Foreign fact", "team":{"a":1}, "citations":"a.ts:1; b.ts", "createdAt":"2026-01-01T00:00:00Z"}';
    put(at, SEED, `\ufeff${foreign}\r\n<<<<<<< HEAD\n=======\n>>>>>>> other\n{"id":"torn","fact":"ha`);
    const strategy = open(at);
    expect(await prompt(strategy)).toMatch(/Foreign fact \| a\.ts:1 \(\w+\); b\.ts/);
    expect(at.warnings.join()).toMatch(/4 lines of the memory file cannot be read/);
    await remember(strategy, "A new one");
    await strategy.shutdown(signal);
    const text = read(at, SEED);
    expect(text.startsWith(`\ufeff${foreign}\r\n`)).toBe(true);
    for (const kept of ["<<<<<<< HEAD\n", "=======\n", ">>>>>>> other\n", '{"id":"torn","fact":"ha\n', '"A new one"'])
      expect(text).toContain(kept);
    expect(at.written).toEqual([{ records: 2, merged: 1, optimised: false, unparsed: 4 }]);
  });

  it.skipIf(process.getuid?.() === 0)(
    "MB11 a folder that cannot be written: the journal is kept, with a warning",
    async () => {
      const at = stand();
      chmodSync(at.root, 0o500);
      const strategy = open(at);
      await remember(strategy, "Written later");
      await strategy.shutdown(signal);
      chmodSync(at.root, 0o700);
      expect(at.warnings.join()).toContain("written later");
      expect(waiting(at)).toHaveLength(1);
    },
  );

  it("MB11 a place that cannot be written: the journal is kept, with a warning, and merged when it can be", async () => {
    const at = stand();
    writeFileSync(join(at.root, ".everlong"), "a file where the folder should be");
    const strategy = open(at);
    await remember(strategy, "Written later");
    await strategy.shutdown(signal);
    expect(at.warnings.join()).toContain("written later");
    expect(waiting(at)).toHaveLength(1);
    rmSync(join(at.root, ".everlong"));
    await prompt(open(at));
    expect(lines(at, OWN)).toMatchObject([{ fact: "Written later" }]);
    expect(waiting(at)).toEqual([]);
  });

  it("M20 a file that cannot be read: who only looked is never told that something may have been saved", async () => {
    const at = stand();
    const strategy = open({ ...at, home: join(at.home, "n".repeat(300)) }); // no disk has such a name
    for (const looked of [
      await strategy.list({ place: PLACE }, signal),
      await strategy.get("mem-1", {}, signal),
      await strategy.find("a fact", { place: PLACE }, signal),
      await strategy.prompt(ask, signal),
    ])
      expect(looked).toMatchObject({ type: "failed", mayBeStored: false });
  });

  it("M39 an untrusted folder: neither read nor written", async () => {
    const at = stand();
    const made = openJsonl({ ...optionsOf(at), trusted: false });
    expect(made).toMatchObject({ type: "skipped", reason: "untrusted_folder" });
  });

  it("M39 a link that leads out of the repository is refused; one that stays inside is followed", async () => {
    const at = stand();
    const outside = join(dirname(at.root), "outside.jsonl");
    writeFileSync(outside, '{"id":"o","fact":"Outside fact","createdAt":"2026-01-01"}\n');
    mkdirSync(join(at.root, ".github"));
    symlinkSync(outside, join(at.root, SEED));
    const strategy = open(at);
    expect(await prompt(strategy)).not.toContain("Outside");
    await remember(strategy, "Not written out there");
    await strategy.shutdown(signal);
    expect(readFileSync(outside, "utf8")).not.toContain("Not written");
    expect(at.warnings.join()).toContain("leads out of the repository");
    expect(waiting(at)).toHaveLength(1);

    const inner = stand();
    put(inner, "docs/memories.jsonl", "");
    mkdirSync(join(inner.root, ".github"));
    symlinkSync(join(inner.root, "docs/memories.jsonl"), join(inner.root, SEED));
    const inside = open(inner);
    await remember(inside, "Through a link");
    await inside.shutdown(signal);
    expect(lines(inner, "docs/memories.jsonl")).toHaveLength(1);
  });

  it("M15 M38 deleting leaves a mark without the text; the same fact is known to be deleted, also by another process", async () => {
    const at = stand();
    const first = open(at);
    const record = await remember(first, "Ports begin at 4000");
    await first.shutdown(signal);
    const second = open(at);
    await second.delete(record.id, { actor: record.author }, signal);
    await second.shutdown(signal);
    expect(read(at, OWN)).not.toContain("4000");
    expect(lines(at, OWN)).toMatchObject([{ id: record.id, deleted: true }]);
    const third = open(at);
    expect(await third.store(draft(PLACE, "Ports begin at 4000"), signal)).toEqual({ type: "deleted_before" });
    expect(await third.store(draft(PLACE, "Ports begin at 4000", { revive: true }), signal)).toMatchObject({
      type: "stored",
    });
  });

  it("M78 M21 two processes at once: one edit of a version wins, one fact is stored once", async () => {
    const at = stand();
    const record = await remember(open(at), "Ports begin at 4000");
    const by = { actor: record.author, version: 1 };
    const edits = await Promise.all(
      ["a", "b", "c", "d"].map((subject) => open(at).edit(record.id, { subject: filtered(subject) }, by, signal)),
    );
    expect(edits.map(({ type }) => type).sort()).toEqual(["conflict", "conflict", "conflict", "edited"]);
    const stores = await Promise.all([1, 2, 3, 4].map(() => open(at).store(draft(PLACE, "Stored by four"), signal)));
    expect(stores.map(({ type }) => type).sort()).toEqual([
      "already_stored",
      "already_stored",
      "already_stored",
      "stored",
    ]);
  });

  it("M58 a pending record is not in the prompt until it is accepted; then it is no longer pending", async () => {
    const at = stand();
    const strategy = open(at);
    const stored = await strategy.store(draft(PLACE, "Waits for the user", { status: "pending" }), signal);
    if (stored.type !== "stored") throw new Error(stored.type);
    await strategy.shutdown(signal);
    expect(await prompt(open(at))).not.toContain("Waits");
    const by = { actor: stored.record.author };
    expect(await open(at).resolve(stored.record.id, { how: "accept" }, by, signal)).toMatchObject({ type: "resolved" });
    expect(await open(at).resolve(stored.record.id, { how: "accept" }, by, signal)).toEqual({ type: "not_pending" });
    expect(await prompt(open(at))).toContain("Waits");
  });

  it("M72 M125 what a file says of itself is trusted as a file, and filtered like everything", async () => {
    const at = stand();
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    const source = { origins: [{ kind: "user" }], trust: 1 };
    put(at, SEED, `${JSON.stringify({ id: "a", subject: "s", fact: `Deploy with ${token} please`, source })}\n`);
    const listed = await open(at).list({ place: PLACE }, signal);
    expect(listed).toMatchObject({ records: [{ source: { trust: 0.8 } }] });
    expect(JSON.stringify(listed)).not.toContain(token);
  });

  it("MI1 M125 a secret of a repository's file does not come into the home or into the file again, whatever is changed", async () => {
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    const foreign = {
      ...{ id: "a", subject: "s", fact: `Deploy with ${token} please`, citations: `a.ts:1; key ${token}` },
      ...{
        reason: `it is ${token}`,
        team: { notes: [`see ${token}`, "kept as it is"], size: 3 },
        status: "pending",
        password: "Summer-2026!",
      },
    };
    const actor = { kind: "user", id: "u", name: "u" } as const;
    const changes = [
      (strategy: Strategy) => strategy.edit("a", { subject: filtered("deploys") }, { actor }, signal),
      (strategy: Strategy) => strategy.resolve("a", { how: "accept" }, { actor }, signal),
    ];
    for (const change of changes) {
      const at = stand();
      put(at, SEED, `${JSON.stringify(foreign)}\n`);
      const strategy = open(at);
      expect((await change(strategy)).type).toMatch(/edited|resolved/);
      const [journal = ""] = waiting(at);
      const kept = readFileSync(join(at.home, "pending", journal), "utf8");
      expect(kept).toContain("[redacted:github-token:");
      expect(kept).not.toContain(token);
      await strategy.shutdown(signal);
      expect(kept).not.toContain("Summer-2026!");
      expect(read(at, SEED)).not.toContain(token);
      expect(lines(at, SEED)).toMatchObject([
        { id: "a", citations: ["a.ts:1", expect.stringContaining("[redacted")], team: { size: 3 }, version: 2 },
      ]);
      expect(read(at, SEED)).toContain('"kept as it is"');
    }
  });

  it("M38 a file that is not UTF-8 is read as far as it can be and never written; what waits is kept", async () => {
    const at = stand();
    mkdirSync(join(at.root, ".github"));
    const bytes = Buffer.concat([Buffer.from('{"id":"a","fact":"Good line"}\n// caf'), Buffer.from([0xe9, 0x0a])]);
    writeFileSync(join(at.root, SEED), bytes);
    const strategy = open(at);
    expect(await prompt(strategy)).toContain("Good line");
    await remember(strategy, "Waits for the file");
    await strategy.shutdown(signal);
    expect(readFileSync(join(at.root, SEED)).equals(bytes)).toBe(true);
    expect(at.warnings.join()).toMatch(/is not UTF-8 text.*kept in EVERLONG_HOME and written later.*Save it as UTF-8/);
    expect(waiting(at)).toHaveLength(1);
    writeFileSync(join(at.root, SEED), bytes.toString("latin1"));
    await open(at).shutdown(signal);
    expect(read(at, SEED)).toContain("Waits for the file");
    expect(read(at, SEED)).toContain("// café\n");
  });

  it("M11 M58 what a pending record replaces is kept as superseded, out of the prompt, and named by its successor", async () => {
    const at = stand();
    const strategy = open(at);
    const old = await remember(strategy, "Use tabs");
    const stored = await strategy.store(draft(PLACE, "Use spaces", { status: "pending" }), signal);
    if (stored.type !== "stored") throw new Error(stored.type);
    const { id, author: actor } = stored.record;
    const replace = (by: string) => strategy.resolve(id, { how: "replace", old: by }, { actor }, signal);
    expect(await replace(newMemoryId())).toEqual({ type: "not_pending" });
    expect(await replace(old.id)).toMatchObject({ type: "resolved", record: { status: { type: "active" } } });
    await strategy.shutdown(signal);
    const after = open(at);
    expect(await after.get(old.id, {}, signal)).toMatchObject({
      record: { fact: "Use tabs", status: { type: "superseded", by: id } },
    });
    expect(await prompt(after)).toContain("Use spaces");
    expect(await prompt(after)).not.toContain("Use tabs");
    expect(await after.list({ place: PLACE, status: ["active"] }, signal)).toMatchObject({ records: [{ id }] });
  });

  it("M35 M47 M77 ids that others made are shown and asked for as they are, ours by a beginning of six or more", async () => {
    const at = stand();
    const uuid = "550e8400-e29b-41d4-a716-446655440000";
    put(at, SEED, [uuid, "7"].map((id, i) => `${JSON.stringify({ id, fact: `Foreign ${i}` })}\n`).join(""));
    const strategy = open(at);
    const ours = await remember(strategy, "One of ours");
    const given = await strategy.prompt(ask, signal);
    if (given.type !== "prompted") throw new Error(given.cause);
    const { prompt: text, ids = [] } = given.answer;
    expect([...ids].sort()).toEqual([uuid, "7", ours.id].sort());
    expect(text).toContain(`- [${uuid}] general: Foreign 0`);
    expect(text).toContain("- [7] general: Foreign 1");
    expect(text).toContain(`- [${ours.id.slice(4, 12)}] build: One of ours`);
    for (const id of [...ids, ours.id.slice(4, 10).toLowerCase(), ours.id.slice(0, 12)])
      expect(await strategy.get(id, {}, signal), id).toMatchObject({ type: "got" });
    const actor = ours.author;
    for (const id of ["", "m", "mem_", "5", "550e8400", ours.id.slice(4, 9)]) {
      expect(await strategy.get(id, {}, signal), id).toEqual({ type: "not_found" });
      expect(await strategy.delete(id, { actor }, signal), id).toEqual({ type: "not_found" });
    }
    expect(await strategy.delete("7", { actor }, signal)).toEqual({ type: "deleted", id: "7" });
  });

  it("M36 M141 all pages together give every record once, whatever their ids and times look like", async () => {
    const at = stand();
    const odd = ["a b", "x", "mem_x y z", "7"].map((id, i) => ({
      id,
      fact: `Fact ${i}`,
      createdAt: i === 1 ? "some day" : "",
    }));
    put(at, SEED, odd.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const strategy = open(at);
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await strategy.list({ place: PLACE, limit: 1, ...(after === undefined ? {} : { after }) }, signal);
      if (page.type !== "listed") throw new Error(page.type);
      seen.push(...page.records.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(seen.sort()).toEqual(odd.map(({ id }) => id).sort());
    expect(await strategy.list({ place: PLACE, after: "x" }, signal)).toEqual({ type: "invalid", field: "after" });
  });

  it("M21 an edit does not make two records of one fact", async () => {
    const strategy = open(stand());
    const [one, two] = [await remember(strategy, "Use tabs"), await remember(strategy, "Use spaces")];
    const edit = (fact: string) => strategy.edit(two.id, { fact: filtered(fact) }, { actor: two.author }, signal);
    expect(await edit("Use  tabs")).toEqual({ type: "same_fact", id: one.id });
    expect(await edit("Use  spaces")).toMatchObject({ type: "edited" });
  });

  it("M48 shown records are looked up after a write, and after a change by others", async () => {
    const at = stand();
    const many = Array.from({ length: 2000 }, (_, i) => ({ id: `f${i}`, fact: `Fact number ${i} of a large file` }));
    put(at, SEED, many.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const strategy = open(at);
    await remember(strategy, "Moves the files");
    for (const { id } of many.slice(0, 60)) expect(await strategy.get(id, {}, signal)).toMatchObject({ type: "got" });
    // Others' changes are seen all the same.
    await open(at).edit(
      "f1",
      { subject: filtered("changed") },
      { actor: { kind: "user", id: "u", name: "u" } },
      signal,
    );
    expect(await strategy.get("f1", {}, signal)).toMatchObject({ record: { subject: "changed" } });
  });
});

describe("optimising", () => {
  const answering = (made: (ids: string[]) => string) => async (question: string) => {
    const ids = [...question.matchAll(/^\{"id":"([^"]+)"/gm)].map(([, id]) => id ?? "");
    return made(ids);
  };
  const one = (fact: string, replaces: string[]): string =>
    JSON.stringify({ subject: "build", fact, citations: ["src/a.ts:3"], reason: "merged", replaces });

  it("M37 ME13 what an output names is replaced; what none names is kept", async () => {
    const at = stand();
    const strategy = open(at, { optimise: answering(([a = "", b = ""]) => one("Node 24, by nvm", [a, b])) });
    for (const fact of ["Use Node 24", "Use nvm for Node", "Tests run with vitest"]) await remember(strategy, fact);
    await strategy.shutdown(signal);
    expect(
      lines(at, OWN)
        .map(({ fact }) => fact)
        .sort(),
    ).toEqual(["Node 24, by nvm", "Tests run with vitest"]);
    expect(at.written).toMatchObject([{ optimised: true }]);
  });

  for (const [name, answer] of [
    ["prose", answering(() => "I have shortened it for you.")],
    ["an unknown id", answering(() => one("All gone", ["mem_UNKNOWN"]))],
    ["no replaces at all", answering(() => one("All gone", []))],
    ["a fact out of bounds", answering((ids) => one("x".repeat(501), ids))],
    ["one good and one bad line", answering((ids) => `${one("Merged", ids)}\n{"fact":`)],
    ["an error", async () => Promise.reject(new Error("offline"))],
    ["nothing", async () => undefined],
  ] as const) {
    it(`M37 ${name}: written unoptimised`, async () => {
      const at = stand();
      const strategy = open(at, { optimise: answer });
      await remember(strategy, "First fact");
      await remember(strategy, "Second fact");
      await strategy.shutdown(signal);
      expect(lines(at, OWN).map(({ fact }) => fact)).toEqual(["First fact", "Second fact"]);
      expect(at.written).toMatchObject([{ optimised: false }]);
    });
  }

  it("M37 what was changed or deleted while the model was thinking stands", async () => {
    const at = stand();
    const first = open(at);
    const [a, b] = [await remember(first, "Old port is 4000"), await remember(first, "Ports are in ports.ts")];
    await first.shutdown(signal);
    const other = open(at);
    const strategy = open(at, {
      optimise: async () => {
        await other.delete(a.id, { actor: a.author }, signal);
        await other.shutdown(signal);
        return one("Ports: 4000, in ports.ts", [a.id, b.id]);
      },
    });
    await remember(strategy, "Third");
    await strategy.shutdown(signal);
    expect(read(at, OWN)).not.toContain("4000");
    expect(lines(at, OWN).flatMap(({ fact }) => fact ?? [])).toEqual(["Ports are in ports.ts", "Third"]);
  });

  it("M124 a secret in the model's answer is not written", async () => {
    const at = stand();
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    const strategy = open(at, { optimise: answering((ids) => one(`Deploy uses ${token} from the vault`, ids)) });
    await remember(strategy, "Deploys use the vault");
    await remember(strategy, "The vault has the deploy token");
    await strategy.shutdown(signal);
    expect(read(at, OWN)).toContain("[redacted:github-token:");
    expect(read(at, OWN)).not.toContain(token);
  });
});

describe("many processes", () => {
  let script = "";
  beforeAll(async () => {
    const folder = mkdtempSync(join(import.meta.dirname, "../../node_modules/.jsonl-"));
    script = join(folder, "process.mjs");
    await bundleFile(join(import.meta.dirname, "jsonl-process.ts"), script);
    return () => rmSync(folder, { recursive: true, force: true });
  });

  async function begin(at: Stand, name: string, count: number): Promise<ChildProcess> {
    const child = spawn(process.execPath, [script, at.root, at.home, name, String(count)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    await once(child.stdout ?? child, "data");
    return child;
  }

  it("MB12 ME13 two end at once and one is killed: after the next start the file has all, and the foreign line", async () => {
    const at = stand();
    const foreign = '{"id":"foreign","fact":"Theirs","nobody":"knows"}';
    put(at, SEED, `${foreign}\n`);
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((name) => begin(at, name, 5)));
    c?.kill("SIGKILL");
    await once(c as ChildProcess, "exit");
    const ended = [a, b].map((child) => once(child as ChildProcess, "exit"));
    for (const child of [a, b]) child?.stdin?.write("end\n");
    expect((await Promise.all(ended)).map(([code]) => code)).toEqual([0, 0]);
    await prompt(open(at));
    const facts = lines(at, SEED).map(({ fact }) => String(fact));
    const wanted = ["a", "b", "c"].flatMap((name) => Array.from({ length: 5 }, (_, i) => `${name} fact ${i}`));
    expect(facts.sort()).toEqual([...wanted, "Theirs"].sort());
    expect(read(at, SEED)).toContain(`${foreign}\n`);
    expect(waiting(at)).toEqual([]);
  });

  it("MB12 a process killed before its shutdown loses nothing that it was told is stored", async () => {
    const at = stand();
    const child = await begin(at, "killed", 3);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(join(at.root, OWN))).toBe(false);
    expect(await prompt(open(at))).toContain("killed fact 2");
    expect(lines(at, OWN)).toHaveLength(3);
  });
});
