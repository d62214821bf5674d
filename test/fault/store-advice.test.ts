// N13, P34: when the store cannot be used, every memory command says why, what became of the data, and what to do.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { newPlace, type Place, run } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";
import { onSmallDisk } from "../tool/small-disk.ts";

const ADD = [
  ...[
    "memory",
    "add",
    "--subject",
    "crane",
    "--cite",
    "User input: told me",
    "--reason",
    "needed for planning the week",
  ],
  ...["--scope", "user", "--fact"],
];
const fact = (n: number): string => `The wharf crane number ${n} is inspected every Thursday`;

/** A place with a memory; gives its id. */
async function remembering(place: Place): Promise<string> {
  const added = await run(place, [...ADD, fact(1)]);
  expect(added.code, added.stderr).toBe(0);
  const listed = await run(place, ["memory", "list", "--all", "--json"]);
  const id = /"id":\s*"([^"]+)"/.exec(listed.stdout)?.[1];
  expect(id, listed.stdout).toBeDefined();
  return id ?? "";
}

/** Those that only read, and those that write. */
const reading = (id: string): string[][] => [
  ["memory", "list"],
  ["memory", "show", id],
  ["memory", "export"],
];
const writing = (id: string): string[][] => [
  [...ADD, fact(2)],
  ["memory", "edit", id, "--fact", fact(3)],
  ["memory", "delete", id, "--yes"],
];

async function expectAdvice(place: Place, commands: string[][], advice: RegExp): Promise<void> {
  for (const args of commands) {
    const done = await run(place, args);
    expect([args[1], done.code], done.stderr + done.stdout).toEqual([args[1], 1]);
    expect(done.stderr, args[1]).toMatch(advice);
    expect(done.stderr, args[1]).toContain("store.db");
    expect(done.stderr).not.toMatch(/ {4}at /);
  }
}

describe("what a person is told when the store fails", () => {
  it("N13 P34 a store of a newer program: every memory command says to use that one, and the memory is there afterwards", async () => {
    const place = newPlace();
    const id = await remembering(place);
    const store = join(place.home, "store.db");
    const version = (value?: number): number => {
      const db = new DatabaseSync(store);
      const before = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
      if (value !== undefined) db.exec(`PRAGMA user_version = ${value}`);
      db.close();
      return before;
    };
    const before = version(9999);
    await expectAdvice(place, [...reading(id), ...writing(id)], /Use the newer program that wrote it\./);
    version(before);
    expect((await run(place, ["memory", "list"])).stdout).toContain(fact(1));
  });

  it.skipIf(lacks("a small disk"))(
    "N13 N14 P34 a full disk: what writes says to free space, what reads still answers, and nothing is lost",
    async () => {
      const place = await onSmallDisk(newPlace(), "4m");
      const id = await remembering(place);
      const filler = join(place.home, "filler");
      for (let block = 1 << 20; block >= 1; block >>= 1)
        for (;;) {
          try {
            writeFileSync(filler, Buffer.alloc(block), { flag: "a" });
          } catch {
            break; // no room for so many
          }
        }
      for (const args of writing(id)) {
        const done = await run(place, args);
        expect([args[1], done.code], done.stderr + done.stdout).toEqual([args[1], 1]);
        expect(done.stderr, args[1]).toMatch(/Free some space on that file system, then try again\./);
      }
      rmSync(filler);
      const listed = await run(place, ["memory", "list"]);
      expect(listed.stdout).toContain(fact(1));
      expect((await run(place, [...ADD, fact(2)])).code).toBe(0);
    },
  );
});
