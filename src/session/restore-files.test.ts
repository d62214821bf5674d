// Files of a rewind on a real disk: put back, removed, left alone when somebody else changed them, copied before they are overwritten.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableEnvelope } from "../schema/event/envelope.ts";
import { fileSnapshots, hashOf, storeSnapshot } from "../tool/snapshot.ts";
import { changedFiles, previewFiles, restoreFiles } from "./restore-files.ts";

type Change = { path: string; operation: "create" | "edit"; snapshot?: string; before?: string; after: string };
const change = (one: Change, agentId?: string): DurableEnvelope =>
  ({
    id: "e",
    type: "tool.execution_complete",
    parentId: null,
    timestamp: "2026-01-01T00:00:00Z",
    ...(agentId ? { agentId } : {}),
    data: { filesChanged: [one] },
  }) as unknown as DurableEnvelope;
const of = (text: string) => hashOf(Buffer.from(text));

async function stage() {
  const folder = mkdtempSync(join(tmpdir(), "everlong-restore-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const snapshots = at("snapshots");
  const old = await storeSnapshot(snapshots, Buffer.from("old"));
  const edited = (path: string, agentId?: string) =>
    change({ path, operation: "edit", after: of("second"), ...(old ? { snapshot: old } : {}) }, agentId);
  return { at, snapshots, edited };
}

describe("files of a rewind", () => {
  it("A6.4 A8.16 the first old text of several changes comes back, a new file goes, and doing it again changes nothing", async () => {
    const { at, snapshots, edited } = await stage();
    writeFileSync(at("a"), "third");
    writeFileSync(at("new"), "mine");
    const later = change({ path: at("a"), operation: "edit", before: of("second"), after: of("third") });
    const created = change({ path: at("new"), operation: "create", after: of("mine") });
    const files = changedFiles([edited(at("a")), later, created], []);
    expect(previewFiles(files, snapshots, false)).toEqual([
      { path: at("a"), action: "restore" },
      { path: at("new"), action: "remove" },
    ]);
    expect(await restoreFiles(files, snapshots, false)).toEqual({
      restored: [at("a"), at("new")],
      skipped: [],
      copies: [],
    });
    expect([readFileSync(at("a"), "utf8"), existsSync(at("new"))]).toEqual(["old", false]);
    expect(previewFiles(files, snapshots, false)).toEqual([]);
  });

  it("F56 A8.16 what somebody else changed since is left and named; overwritten only as wished, and then copied first", async () => {
    const { at, snapshots, edited } = await stage();
    writeFileSync(at("a"), "by hand");
    const files = changedFiles([edited(at("a"))], []);
    expect(await restoreFiles(files, snapshots, false)).toMatchObject({
      restored: [],
      skipped: [{ path: at("a"), why: "changed since by someone else" }],
    });
    expect(readFileSync(at("a"), "utf8")).toBe("by hand");
    const forced = await restoreFiles(files, snapshots, true);
    expect(readFileSync(at("a"), "utf8")).toBe("old");
    expect(readFileSync(forced.copies[0]?.copy ?? "", "utf8")).toBe("by hand");
  });

  it("F56 A8.16 what somebody else wrote between two changes of the agent is not lost either", async () => {
    const { at, snapshots, edited } = await stage();
    const again = (path: string, before?: string) =>
      change({ path, operation: "edit", after: of("third by hand"), ...(before ? { before: of(before) } : {}) });
    const born = change({ path: at("new"), operation: "create", after: of("mine") });
    const names = ["a", "new", "unknown"].map(at);
    for (const path of names) writeFileSync(path, "third by hand");
    const between = "second by hand";
    const gone = [edited(at("a")), born, again(at("a"), between), again(at("new"), between)];
    // The last change of the agent does not make the file its own again.
    const last = change({ path: at("a"), operation: "edit", before: of("third by hand"), after: of("third by hand") });
    const files = changedFiles([...gone, last, edited(at("unknown")), again(at("unknown"))], []);
    const skipped = names.map((path) => ({ path, why: "changed since by someone else", isForeign: true }));
    expect(await restoreFiles(files, snapshots, false)).toEqual({ restored: [], skipped, copies: [] });
    const forced = await restoreFiles(files, snapshots, true);
    expect(forced).toMatchObject({ restored: names, skipped: [] });
    expect(forced.copies.map(({ copy }) => readFileSync(copy, "utf8"))).toEqual(names.map(() => "third by hand"));
    expect([readFileSync(at("a"), "utf8"), existsSync(at("new"))]).toEqual(["old", false]);
  });

  it("A8.16 a file that somebody deleted, one without a snapshot and one of an agent that stays", async () => {
    const { at, snapshots, edited } = await stage();
    const lost = change({ path: at("lost"), operation: "edit", after: of("x") });
    writeFileSync(at("lost"), "x");
    writeFileSync(at("agent"), "second");
    const files = changedFiles([edited(at("gone")), lost, edited(at("agent"), "other")], []);
    expect(previewFiles(files, snapshots, false)).toEqual([
      { path: at("gone"), action: "skip", why: "changed since by someone else", isForeign: true },
      { path: at("lost"), action: "skip", why: "its old text was not kept" },
    ]);
    expect(changedFiles([edited(at("agent"), "mine")], ["mine"])).toHaveLength(1);
  });

  it("A6.4 a file is kept once a message, and one over 10 MB not at all, which is said", async () => {
    const { snapshots } = await stage();
    let message = "m1";
    const keeper = fileSnapshots(snapshots, () => message);
    expect(await keeper.keep("/a", Buffer.from("one"))).toEqual({ snapshot: of("one") });
    expect(await keeper.keep("/a", Buffer.from("two"))).toEqual({});
    message = "m2";
    expect(await keeper.keep("/a", Buffer.from("two"))).toEqual({ snapshot: of("two") });
    expect(await keeper.keep("/b", Buffer.alloc(10 * 1024 * 1024 + 1))).toEqual({
      note: expect.stringContaining("larger than 10 MB"),
    });
  });
});
