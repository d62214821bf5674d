// A temporary folder that goes with the test that asked for it, or with the file when it was asked for outside of tests.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

export function scratchFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `everlong-${name}-`)));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    onTestFinished(remove);
  } catch {
    afterAll(remove);
  }
  return folder;
}
