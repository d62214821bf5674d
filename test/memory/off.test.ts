// ME3 in full: a home full of memories, switched off, behaves as an empty one; what is stored stays and can be listed.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { gitInit, scene } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { text } from "../model-server/reply.ts";
import { at, leave } from "../orchestration/terminal.ts";
import { type Place, run, sessionsOf } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";
import { survivorsAfter } from "../tool/processes.ts";
import { traced } from "../tool/trace.ts";
import { userAdd } from "./board-stage.ts";
import { add } from "./hand-stage.ts";

const ASK = "how do we publish a release of this project?";
const OFF = { EVERLONG_MEMORY: "off", EVERLONG_CONSOLIDATE_ON_EXIT: "true" };
/** Rows with their counters: shown, read, recalled. */
const stored = ({ home }: Place) => {
  const db = new DatabaseSync(join(home, "store.db"), { readOnly: true });
  try {
    return ["memories", "memory_changes", "dynamic_context_items"].map((name) =>
      db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2, 3, 4`).all(),
    );
  } finally {
    db.close();
  }
};

describe("ME3 off", () => {
  it.skipIf(lacks("strace"))(
    "ME3 M5 MI13 M151 full board and records: three prompts and a terminal are as in an empty home",
    async () => {
      const { place, server } = await scene(() => text("said"));
      gitInit(place);
      await add(place, "Releases are published by pushing a tag");
      await add(place, "I write tests first", ["--scope", "user"]);
      for (let n = 0; n < 25; n++) await userAdd(place, `release-${n}`, `how to publish release ${n} of this project`);
      const before = stored(place);
      expect(before.map((rows) => rows.length)).toEqual([2, 2, 25]);

      const session = async (of: Place): Promise<{ bodies: string[]; headers: string[] }> => {
        const from = server.requests.length;
        const off = { ...of, env: { ...of.env, ...OFF } };
        for (const more of [[], ["--continue"], ["--continue"]]) {
          const { finished, programs } = await traced(off, [...more, "-p", ASK, "--output-format", "stream-json"]);
          expect(finished.code, finished.stderr).toBe(0);
          const types = finished.events.map(({ type }) => type as string);
          expect(types.filter((t) => /^(memory|board|sidekick|inbox|consolidation|secret)\.|memory_/.test(t))).toEqual(
            [],
          );
          expect(programs).toEqual([process.execPath]);
        }
        const terminal = await at(off);
        for (const word of ["one", "two", "three"]) {
          terminal.type(`${word}: ${ASK}`);
          await terminal.see("said");
        }
        await leave(terminal);
        expect(await survivorsAfter(of.folder, 0)).toEqual([]);
        expect(sessionsOf(of)).toHaveLength(2); // none of a consolidation
        const plain = (t: string) => {
          let out = t.replaceAll(of.home, "HOME");
          for (const id of sessionsOf(of)) out = out.replaceAll(id, "SESSION");
          return out;
        };
        const sent: Recorded[] = server.requests.slice(from);
        return {
          bodies: sent.map((r) => plain(r.rawBody)),
          headers: sent.map((r) => String(r.headers["x-interaction-type"])),
        };
      };
      const full = await session(place);
      const empty = await session({ ...place, home: `${place.home}-empty` });
      expect(full.bodies).toHaveLength(6);
      expect(full).toEqual(empty);
      expect(stored(place)).toEqual(before);
      expect(readdirSync(place.home).sort()).toEqual(
        expect.arrayContaining(readdirSync(`${place.home}-empty`).filter((name) => !name.startsWith("store.db-"))),
      );
      const listed = await run(place, ["memory", "list"], { env: OFF });
      expect(listed.stdout).toContain("Releases are published by pushing a tag");
      expect(listed.stdout).toContain("I write tests first");
      expect((await run(place, ["board", "list"], { env: OFF })).stdout).toContain("release-24");
      expect(stored(place)).toEqual(before);
    },
  );
});
