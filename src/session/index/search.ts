// Finding text in the index: quoted terms only, scope inside the query, newest of equals first.
import type { DatabaseSync } from "node:sqlite";

export type SearchScope = { sessionId?: string; repository?: string; gitRoot?: string };

export type SearchHit = {
  sessionId: string;
  ref: string;
  sourceType: string;
  snippet: string;
  timestamp: string;
  rewound: boolean;
  name: string;
};

const MAX_TERMS = 32;

/** Words of the query as quoted FTS5 terms, so that no text is ever syntax. */
export function matchExpression(query: string): string | undefined {
  const words = query.slice(0, 4000).match(/[\p{L}\p{N}_]+/gu) ?? [];
  const terms = [...new Set(words.map((w) => w.toLowerCase()))].slice(0, MAX_TERMS);
  return terms.length === 0 ? undefined : terms.map((t) => `"${t}"`).join(" OR ");
}

export function searchIndex(db: DatabaseSync, query: string, scope: SearchScope, limit: number): SearchHit[] {
  const match = matchExpression(query);
  if (!match) return [];
  const rows = db
    .prepare(
      `SELECT s.session_id AS sessionId, search_index.source_id AS ref, s.source_type AS sourceType,
              snippet(search_index, 0, '', '', ' … ', 40) AS snippet, s.timestamp AS timestamp, s.rewound AS rewound, n.name AS name
       FROM search_index JOIN search_source s ON s.id = search_index.rowid JOIN sessions n ON n.id = s.session_id
       WHERE search_index MATCH ?1
         AND (?2 IS NULL OR s.session_id = ?2)
         AND (?3 IS NULL OR n.repository = ?3 OR COALESCE(n.git_root, n.cwd) = ?4)
       ORDER BY bm25(search_index), s.timestamp DESC LIMIT ?5`,
    )
    .all(match, scope.sessionId ?? null, scope.repository ?? scope.gitRoot ?? null, scope.gitRoot ?? null, limit);
  return rows.map((r) => ({
    sessionId: String(r["sessionId"]),
    ref: String(r["ref"]),
    sourceType: String(r["sourceType"]),
    snippet: String(r["snippet"]),
    timestamp: String(r["timestamp"]),
    rewound: r["rewound"] === 1,
    name: String(r["name"]),
  }));
}
