// Finding text in the index: quoted terms only, scope inside the query, newest of equals first.
import type { DatabaseSync } from "node:sqlite";

export type SearchScope = { sessionId?: string; repository?: string; gitRoot?: string };

/** Which rows of `sessions` a scope holds; ?1 to ?3 are what scopeValues gives. */
export const inScope = (sessions: string): string =>
  `(?1 IS NULL OR ${sessions}.id = ?1)
   AND (COALESCE(?2, ?3) IS NULL OR ${sessions}.repository = ?2 OR COALESCE(${sessions}.git_root, ${sessions}.cwd) = ?3)`;

export const scopeValues = ({ sessionId, repository, gitRoot }: SearchScope): (string | null)[] => [
  sessionId ?? null,
  repository ?? null,
  gitRoot ?? null,
];

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
       WHERE ${inScope("n")} AND search_index MATCH ?4
       ORDER BY bm25(search_index), s.timestamp DESC LIMIT ?5`,
    )
    .all(...scopeValues(scope), match, limit);
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
