// The context board: reusable knowledge by repository and branch, what was changed on it, and the runs that kept it.

export const boardSchema = `
  CREATE TABLE dynamic_context_items (
    repository TEXT NOT NULL,
    branch TEXT NOT NULL,
    src TEXT NOT NULL CHECK (src IN ('agent', 'user')),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    content TEXT NOT NULL,
    read_count INTEGER NOT NULL DEFAULT 0,
    count INTEGER NOT NULL DEFAULT 0,
    -- Counters do not move it.
    version INTEGER NOT NULL DEFAULT 1,
    author TEXT NOT NULL,
    -- JSON: session, run, turns.
    source TEXT NOT NULL DEFAULT '{}',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    last_read_at TEXT,
    PRIMARY KEY (repository, branch, src, name)
  ) WITHOUT ROWID;
  CREATE INDEX dynamic_context_items_place ON dynamic_context_items (repository, branch);

  CREATE TABLE board_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository TEXT NOT NULL,
    branch TEXT NOT NULL,
    src TEXT NOT NULL,
    name TEXT NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    run TEXT,
    at TEXT NOT NULL,
    -- JSON of the row as it stood; NULL where there was none.
    before TEXT,
    after TEXT
  );
  CREATE INDEX board_changes_place ON board_changes (repository, branch, at);
  CREATE INDEX board_changes_run ON board_changes (run) WHERE run IS NOT NULL;

  CREATE TABLE consolidation_runs (
    id TEXT PRIMARY KEY,
    repository TEXT NOT NULL,
    branch TEXT NOT NULL,
    -- The session whose turns were looked at.
    session TEXT,
    outcome TEXT NOT NULL,
    added INTEGER NOT NULL,
    pruned INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    ended_at TEXT NOT NULL
  );
  CREATE INDEX consolidation_runs_place ON consolidation_runs (repository, branch, ended_at);
`;
