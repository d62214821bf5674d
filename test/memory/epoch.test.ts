// M48, M3: the section of memories over a long session: byte-equal until an epoch begins; compaction itself writes nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { oneCall, systemOf } from "../agent/scene.ts";
import { converse, prose, stage } from "../context/stage.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { text } from "../model-server/reply.ts";
import { only, type Place } from "../tool/everlong.ts";
import { userAdd } from "./board-stage.ts";
import { add } from "./hand-stage.ts";

const OLD = "The build needs Node 24 or later";
const NEW = "Integration tests need the flag --runInBand here";
const sectionOf = (request: Recorded | undefined): string =>
  /<memories>[\s\S]*<\/memories>/.exec(systemOf(request))?.[0] ?? "";
const store = oneCall(
  "store_memory",
  { subject: "tests", fact: NEW, citations: ["user"], reason: "they fail in parallel" },
  "c1",
);

const rows = (path: string, sql: string): unknown[] => {
  if (!existsSync(path)) return [];
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const isThere = db.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(/FROM (\w+)/.exec(sql)?.[1] ?? "");
    return isThere ? db.prepare(sql).all() : [];
  } finally {
    db.close();
  }
};
/** All that the layers hold; how often a record stood in a prompt is no change of it. */
const layers = ({ home }: Place, id: string) => ({
  records: rows(join(home, "store.db"), "SELECT id, fact, version, status, updated_at FROM memories ORDER BY id"),
  changes: rows(join(home, "store.db"), "SELECT * FROM memory_changes ORDER BY id"),
  board: rows(join(home, "store.db"), "SELECT * FROM dynamic_context_items ORDER BY name"),
  inbox: rows(join(home, "sessions", id, "session.db"), "SELECT * FROM inbox_entries"),
});

/** The stage leaves the tools of memory out, for its small windows. */
const WITH_MEMORY = { EVERLONG_TOOL_EXCLUDE: "task,read_agent,write_agent,stop_agent,list_agents" };

describe("M48 the section and the epoch", () => {
  it("M48 what is stored meanwhile, here or elsewhere, does not change it; a compaction does, its undoing does", async () => {
    const { place, mains } = await stage((_request, n) => (n === 1 ? store : text(`answer ${n}`)), {
      env: WITH_MEMORY,
    });
    await add(place, OLD);
    const { say, client } = await converse(place);
    for (const word of ["one", "two", "three"]) await say(word);
    await add(place, "Another terminal has stored this fact"); // the store's generation moves
    await say("four");
    const systems = mains().map(systemOf);
    expect(systems).toHaveLength(5);
    expect(systems[0]).toContain(OLD);
    expect(systems[0]).not.toContain(NEW);
    expect(new Set(systems).size).toBe(1); // the whole message, so that the provider's cache serves it

    expect((await client.history.compact("")).ok).toBe(true);
    await say("five");
    await say("six");
    const [fifth, sixth] = mains().slice(5).map(sectionOf);
    expect(fifth).toContain(OLD);
    expect(fifth).toContain(NEW);
    expect(fifth).toContain("Another terminal has stored this fact");
    expect(sixth).toBe(fifth);

    await add(place, "Stored after the compaction of it");
    await say("seven");
    expect(sectionOf(mains().at(-1))).toBe(fifth);
    expect((await client.history.undo()).ok).toBe(true);
    await say("eight");
    expect(sectionOf(mains().at(-1))).toContain("Stored after the compaction of it");
  });

  it("M48 a resumed session begins with what is there then", async () => {
    const { place, mains } = await stage((_request, n) => (n === 0 ? store : text("said")), { env: WITH_MEMORY });
    await add(place, OLD);
    const first = await converse(place);
    await first.say("one");
    await first.close();
    const again = await converse(place, { resume: first.client.sessionId });
    await again.say("two");
    expect(mains().slice(0, 2).map(sectionOf).join()).not.toContain(NEW);
    expect(sectionOf(mains()[2])).toContain(NEW);
  });
});

describe("M3 compaction and the layers", () => {
  it("M3 automatic and manual compaction, with their checkpoints, write no record, no board row, no inbox entry", async () => {
    const { place, summaries } = await stage(() => text(prose(900, "answer")));
    await add(place, OLD);
    await userAdd(place, "release-steps");
    const { say, client, events } = await converse(place);
    await say("We decided to use pnpm for this repository.");
    const before = layers(place, client.sessionId);
    expect([before.records.length, before.changes.length, before.board.length]).toEqual([1, 1, 1]);
    const applied = () => only(events, "session.compaction_complete").filter((e) => e.data.outcome === "applied");
    for (let n = 1; applied().length === 0 && n < 40; n++) await say(prose(900, `part-${n}`));
    expect(applied().map((e) => e.data.trigger)).not.toContain("manual");
    const automatic = summaries().length;
    await say("one more");
    expect((await client.history.compact("")).ok).toBe(true);
    await say("and on");
    expect(summaries().length).toBeGreaterThan(automatic);
    expect(layers(place, client.sessionId)).toEqual(before);
  });
});
