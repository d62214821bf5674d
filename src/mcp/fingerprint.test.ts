// Fingerprints: the same for the same tool, another one for other words, kept by place.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { UpdateFile } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";
import type { ListedTool } from "./connection.ts";
import { changedTools, fingerprintOf, readFingerprints, saveFingerprints } from "./fingerprint.ts";

const tool: ListedTool = {
  name: "t",
  description: "d",
  inputSchema: { type: "object", properties: {} },
  readOnly: true,
  taskSupport: "forbidden",
};

const update: UpdateFile = (path, change) =>
  updateFile(path, change, { private: true, locks: join(dirname(path), "locks") });

it("B72 words, schema and being read-only count, the order of keys does not", () => {
  const same = { ...tool, inputSchema: { properties: {}, type: "object" } };
  expect(fingerprintOf(same)).toBe(fingerprintOf(tool));
  for (const change of [{ description: "e" }, { inputSchema: { type: "object" } }, { readOnly: false }])
    expect(fingerprintOf({ ...tool, ...change })).not.toBe(fingerprintOf(tool));
});

it("B72 they are kept by place, and only what was known before can have changed", async () => {
  const home = mkdtempSync(join(tmpdir(), "everlong-fingerprint-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  expect(await readFingerprints(home, "/a")).toEqual({});
  expect((await saveFingerprints(home, "/a", { "s/t": "1" }, update)).ok).toBe(true);
  expect((await saveFingerprints(home, "/a", { "s/u": "2" }, update)).ok).toBe(true);
  const known = await readFingerprints(home, "/a");
  expect(known).toEqual({ "s/t": "1", "s/u": "2" });
  expect(await readFingerprints(home, "/b")).toEqual({});
  expect(changedTools(known, { "s/t": "1", "s/u": "3", "s/new": "4" })).toEqual(["s/u"]);
});
