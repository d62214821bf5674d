// `everlong import --graph`: imported turns become part of the graph, read by its rules alone.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { repositoryKey } from "../../host/git.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Database } from "../../store/sqlite.ts";
import { acceptTurns, groupsOf, pagesOf } from "../graph/feed.ts";
import { graphOn } from "../graph/graph.ts";
import { openRecall } from "../recall/engine.ts";
import type { Workspace } from "../workspace.ts";

/** What is not read by then follows with the next process that opens the graph. */
const READ_MS = 10 * 60_000;

/** Every answered turn of the client's sessions that is not in the graph yet. */
export async function feedImported(
  db: Database,
  workspace: Workspace,
  client: string,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const recall = openRecall(workspace, db, { mayChoose: false });
  const graph = graphOn(workspace, db, recall, () => undefined);
  try {
    if (!graph) return ok(undefined);
    const rows = prepared(db, "SELECT id, cwd, repository FROM sessions WHERE id GLOB ? ORDER BY created_at").all(
      `imp_${client}_*`,
    );
    for (const row of rows) {
      const session = String(row["id"]);
      const repository = workspace.redact(String(row["repository"] ?? repositoryKey(String(row["cwd"]))));
      for (const turns of pagesOf(db, session, "not in graph")) {
        if (signal.aborted) return ok(undefined);
        const fed = await acceptTurns(graph, workspace, groupsOf(workspace, { session, repository }), turns);
        if (!fed.ok) return fed;
      }
    }
    await graph.idle(READ_MS, signal);
    return ok(undefined);
  } finally {
    await graph?.close(1000);
    await recall.close();
  }
}
