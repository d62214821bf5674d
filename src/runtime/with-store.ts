// Work on store.db for one command: brought up to the logs first, closed after it, repaired when it is damaged.
import { errorText, type Failure, refusal } from "../base/failure.ts";
import { fail, type Result } from "../base/result.ts";
import type { Database } from "../store/sqlite.ts";
import type { ResultPromise } from "./client/open.ts";
import { healing, openCaughtUp } from "./store.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

export async function withStore<T>(
  work: (db: Database, workspace: Workspace) => ResultPromise<T> | Result<T, Failure>,
): ResultPromise<T> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { paths, indexing } = workspace.value;
  try {
    return await healing(paths, async () => {
      const db = await openCaughtUp(paths, indexing);
      if (!db.ok) return db;
      try {
        return await work(db.value, workspace.value);
      } finally {
        db.value.close();
      }
    });
  } catch (error) {
    const { isDamage } = await import("../memory/recall/store/damage.ts");
    if (!isDamage(error)) throw error;
    const { REINDEX, unavailable } = await import("./recall/query.ts");
    return fail(unavailable(errorText(error), REINDEX));
  }
}

export const badUsage = (what: string, next: string) => fail(refusal("usage", what, next, 2));
