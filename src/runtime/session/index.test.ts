// What an update of the index cannot do is told, and tried again.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { ModelTarget } from "../../model/contract.ts";
import { emptyState } from "../../session/state.ts";
import { openWorkspace } from "../workspace.ts";
import { SessionIndex } from "./index.ts";

it("C19 A8.11 samples that cannot be saved are a soft failure, and are saved later", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-update-")));
  const before = { ...process.env };
  process.env = { HOME: base, EVERLONG_HOME: join(base, "home") };
  const workspace = await openWorkspace({ cwd: base });
  process.env = before;
  if (!workspace.ok) throw new Error(workspace.error.what);
  const id = "0199a000-0000-7000-8000-000000000000";
  const index = new SessionIndex(workspace.value, id);
  onTestFinished(async () => {
    await index.close();
    rmSync(base, { recursive: true });
  });
  const state = { ...emptyState(), sessionId: id };
  expect(await index.update(state)).toBeUndefined();
  const other = new DatabaseSync(workspace.value.paths.store);
  const samples = () => other.prepare("SELECT samples FROM token_calibration").all();
  other.exec("BEGIN IMMEDIATE");
  index.learn({ provider: "custom", name: "m" } as ModelTarget, { estimate: 1000, reported: 1200 });
  expect(await index.update(state)).toMatchObject({ part: "calibration", code: "store_busy" });
  expect(await index.update(state)).toBeUndefined(); // told already
  other.exec("COMMIT");
  expect(await index.update(state)).toBeUndefined();
  expect(samples()).toMatchObject([{ samples: 1 }]);
  other.close();
});
