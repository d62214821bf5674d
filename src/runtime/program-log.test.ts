// What may not be in the program's log: secrets, whole or in half.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { secretFilter } from "../memory/secret/filter.ts";
import { recentFailures, recordFailure } from "./program-log.ts";
import type { Workspace } from "./workspace.ts";

it("F68 an excerpt is filtered before it is cut, so that no half of a secret stays", () => {
  const logs = mkdtempSync(join(tmpdir(), "log-"));
  const place = { paths: { logs }, settings: { values: { "log.level": "info" } }, redact: secretFilter("k") };
  const token = `${"ghp_"}${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
  for (const before of [0, 180])
    recordFailure(place as unknown as Workspace, {
      part: "mcp",
      code: "x",
      message: `${"w ".repeat(before / 2)}${token} and more`,
    });
  const written = readFileSync(join(logs, "everlong.jsonl"), "utf8");
  expect(written).not.toContain("ghp_");
  expect(recentFailures(logs, new Date())).toMatchObject([
    { part: "mcp", code: "x" },
    { part: "mcp", code: "x" },
  ]);
});
