// session_store_sql: one SELECT on the index of sessions, of which the connection shows only what is in scope.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import * as z from "zod";
import type { Owner } from "../../host/process.ts";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, failure, success, type Tool } from "../contract.ts";
import { runSql, showRows } from "../sql/run.ts";
import description from "./session_store_sql.md";

/** Whose sessions may be seen. Without a repository it is those of the same root. */
export type StoreScope = { type: "all" } | { type: "repository"; repository?: string; root: string; sessionId: string };

type SessionStoreParts = { owner: Owner; storePath: string; scope: () => StoreScope };

const MAX_ROWS = 100;
const LIMIT_MS = 3000;

export function sessionStoreSqlTool(parts: SessionStoreParts): Tool {
  return defineTool({
    ...ownTool("session_store_sql"),
    description,
    input: z.strictObject({
      query: z.string().min(1).describe("One SELECT."),
      description: z.string().optional().describe("What it looks for, in a few words, for the user."),
    }),
    planMode: true,
    permissions: () => [],
    async run({ query }, context) {
      if (!existsSync(parts.storePath)) return failure("not_found", "No earlier sessions yet.");
      const tag = `v${randomBytes(12).toString("hex")}_`;
      const request = {
        file: parts.storePath,
        query,
        maxRows: MAX_ROWS,
        kind: { type: "store", tag, views: viewsOf(tag, parts.scope()) },
      } as const;
      const ran = await runSql(parts.owner, request, LIMIT_MS, context);
      return "failed" in ran ? ran.failed : success(showRows(ran.answer));
    },
  });
}

function viewsOf(tag: string, scope: StoreScope): { name: string; sql: string }[] {
  const inScope = `session_id IN (SELECT id FROM ${tag}sessions)`;
  return [
    { name: "sessions", sql: `SELECT * FROM main.sessions WHERE ${condition(scope)}` },
    ...["turns", "checkpoints", "session_files", "session_refs"].map((name) => ({
      name,
      sql: `SELECT * FROM main.${name} WHERE ${inScope}`,
    })),
    {
      // With FTS5's hidden columns, so that MATCH and rank work as on the table itself.
      name: "search_index",
      sql: `SELECT content, session_id, source_type, source_id, rank, search_index FROM main.search_index WHERE ${inScope}`,
    },
  ];
}

function condition(scope: StoreScope): string {
  if (scope.type === "all") return "1";
  const place =
    scope.repository === undefined
      ? `(repository IS NULL AND (git_root = ${quote(scope.root)} OR cwd = ${quote(scope.root)}))`
      : `repository = ${quote(scope.repository)}`;
  return `id = ${quote(scope.sessionId)} OR ${place}`;
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
