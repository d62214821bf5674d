// Memory records: facts with citations, votes, and every change of them. Text in these tables is filtered.

export const memorySchema = `
  CREATE TABLE memories (
    -- The row of memory_text.
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL CHECK (scope IN ('repository', 'user')),
    -- NULL for user scope.
    repository TEXT,
    user TEXT NOT NULL,
    subject TEXT NOT NULL,
    fact TEXT NOT NULL,
    -- Keyed hash of the folded fact: finds equal facts, and those that were deleted.
    fact_hash TEXT NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'superseded', 'deleted')),
    superseded_by TEXT,
    verification TEXT NOT NULL DEFAULT 'unverified',
    last_verified_at TEXT,
    -- JSON: provenance and author.
    source TEXT NOT NULL,
    author TEXT NOT NULL,
    trust REAL NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    recalls INTEGER NOT NULL DEFAULT 0,
    last_recalled_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  );
  CREATE INDEX memories_place ON memories (scope, repository, user, status);
  CREATE INDEX memories_fact ON memories (fact_hash, scope, repository, user);
  CREATE INDEX memories_order ON memories (updated_at, id);

  CREATE TABLE memory_citations (
    memory TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    raw TEXT NOT NULL,
    kind TEXT NOT NULL,
    path TEXT,
    start_line INTEGER,
    end_line INTEGER,
    hash TEXT,
    commit_id TEXT,
    state TEXT NOT NULL,
    checked_at TEXT,
    PRIMARY KEY (memory, position)
  ) WITHOUT ROWID;

  CREATE TABLE memory_votes (
    memory TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'agent')),
    direction TEXT NOT NULL CHECK (direction IN ('upvote', 'downvote')),
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (memory, actor)
  ) WITHOUT ROWID;

  CREATE TABLE memory_changes (
    id INTEGER PRIMARY KEY,
    memory TEXT NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    at TEXT NOT NULL,
    before TEXT,
    after TEXT
  );
  CREATE INDEX memory_changes_memory ON memory_changes (memory, id);

  -- Moves with every write: another process sees that its cache is old.
  CREATE TABLE memory_generation (one INTEGER PRIMARY KEY CHECK (one = 1), value INTEGER NOT NULL);
  INSERT INTO memory_generation VALUES (1, 0);

  CREATE TABLE memory_idempotency (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    at TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE VIRTUAL TABLE memory_text USING fts5 (subject, fact, tokenize = 'porter unicode61');
  -- What is deleted is gone from the index at once, not when its parts are next merged.
  INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1);
`;
