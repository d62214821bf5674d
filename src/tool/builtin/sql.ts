// sql: the session's own database, for todos and whatever else the model keeps in tables.
import { join } from "node:path";
import * as z from "zod";
import { Mutex } from "../../base/mutex.ts";
import { optional } from "../../base/optional.ts";
import type { Owner } from "../../host/process.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { createPrivate } from "../../store/sqlite.ts";
import { defineTool, success, type Tool, type ToolContext, type ToolOutcome } from "../contract.ts";
import type { TodosDiff } from "../sql/child.ts";
import { runSql, showRows } from "../sql/run.ts";
import { SESSION_SCHEMA } from "../sql/session-schema.ts";
import description from "./sql.md";

type SqlParts = {
  owner: Owner;
  /** The secret filter: no statement with a credential in it reaches the database. */
  redact: (text: string) => string;
  /** Told after the commit, and waited for: makes the durable event. May throw; the tables are then restored. */
  onTodosChanged: (diff: TodosDiff) => Promise<void>;
  /** Makes the todo tables what the session's state says, when a commit may have gone past it. */
  restore: () => Promise<void>;
  /** The todo that the caller works on for a fleet: its row is then the only one it may change. */
  worker?: () => string | undefined;
  /** Shared by everything that writes this session's todos, so that their events stand in the order of their commits. `restore` runs inside. */
  oneAtATime?: Mutex;
};

const MAX_ROWS = 200;
const LIMIT_MS = 5000;

export function sqlTool(parts: SqlParts): Tool {
  const { oneAtATime = new Mutex() } = parts;
  return defineTool({
    ...ownTool("sql"),
    description,
    input: z.strictObject({
      query: z.string().min(1).describe("One or more SQLite statements."),
      description: z.string().optional().describe("What it does, in a few words, for the user."),
    }),
    planMode: true,
    permissions: () => [],
    lane: () => "sql",
    run: ({ query }, context) => oneAtATime.run(() => answerTo(query, parts, context)),
  });
}

async function answerTo(statement: string, parts: SqlParts, context: ToolContext): Promise<ToolOutcome> {
  const query = parts.redact(statement);
  const request = {
    file: join(context.sessionDir, "session.db"),
    query,
    maxRows: MAX_ROWS,
    kind: { type: "session", schema: SESSION_SCHEMA, ...optional("ownTodo", parts.worker?.()) },
  } as const;
  createPrivate(request.file);
  const ran = await runSql(parts.owner, request, LIMIT_MS, context);
  if ("failed" in ran) {
    if (ran.unsure) await parts.restore();
    return ran.failed;
  }
  const { answer } = ran;
  if (answer.diff) await report(answer.diff, parts);
  const changed = answer.changes > 0 || answer.columns.length === 0 ? `[${answer.changes} rows changed]` : "";
  const note = query === statement ? "" : "[a secret in the query was replaced by a mark before it ran]";
  return success([answer.columns.length > 0 ? showRows(answer) : "", changed, note].filter(Boolean).join("\n"));
}

async function report(diff: TodosDiff, parts: SqlParts): Promise<void> {
  try {
    await parts.onTodosChanged(diff);
  } catch (error) {
    await parts.restore();
    throw error;
  }
}
