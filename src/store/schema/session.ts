// Tables of sessions: made from their logs, and made again at will.

export const sessionSchema = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    cwd TEXT NOT NULL,
    git_root TEXT,
    repository TEXT,
    host_type TEXT,
    branch TEXT,
    name TEXT,
    summary TEXT,
    model TEXT,
    source TEXT NOT NULL DEFAULT 'agent',
    status TEXT NOT NULL DEFAULT 'active',
    parent_session_id TEXT,
    forked_from TEXT,
    event_count INTEGER NOT NULL DEFAULT 0,
    indexed_offset INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  );
  CREATE INDEX sessions_by_root ON sessions (git_root, updated_at);
  CREATE INDEX sessions_by_repository ON sessions (repository, updated_at);

  CREATE TABLE turns (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_index INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    user_message TEXT,
    assistant_response TEXT,
    status TEXT,
    rewound INTEGER NOT NULL DEFAULT 0,
    timestamp TEXT NOT NULL,
    UNIQUE (session_id, turn_index)
  );
  CREATE UNIQUE INDEX turns_by_event ON turns (session_id, event_id);

  CREATE TABLE checkpoints (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    checkpoint_number INTEGER NOT NULL,
    title TEXT,
    overview TEXT,
    history TEXT,
    work_done TEXT,
    technical_details TEXT,
    important_files TEXT,
    next_steps TEXT,
    event_id TEXT,
    "trigger" TEXT,
    turn_from INTEGER,
    turn_to INTEGER,
    path TEXT,
    state TEXT NOT NULL DEFAULT 'live',
    created_at TEXT NOT NULL,
    UNIQUE (session_id, checkpoint_number)
  );

  CREATE TABLE session_files (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    file_path TEXT NOT NULL,
    tool_name TEXT,
    turn_index INTEGER,
    first_seen_at TEXT NOT NULL,
    UNIQUE (session_id, file_path, tool_name)
  );

  CREATE TABLE session_refs (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    ref_type TEXT NOT NULL,
    ref_value TEXT NOT NULL,
    turn_index INTEGER,
    created_at TEXT NOT NULL,
    UNIQUE (session_id, ref_type, ref_value)
  );

  -- The ref of the last item that was looked at, for whoever goes on from there.
  CREATE TABLE session_progress (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    turn_index INTEGER NOT NULL,
    item_index INTEGER NOT NULL
  );

  CREATE TABLE model_calls (
    session_id TEXT NOT NULL,
    agent_id TEXT,
    turn_index INTEGER,
    step INTEGER,
    model TEXT NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    cost REAL,
    duration_ms INTEGER,
    status TEXT,
    trimmed_messages INTEGER,
    trimmed_tokens INTEGER,
    interaction TEXT,
    timestamp TEXT NOT NULL
  );
  CREATE INDEX model_calls_by_session ON model_calls (session_id);
  CREATE INDEX model_calls_by_time ON model_calls (timestamp);

  CREATE TABLE token_calibration (
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    factor REAL NOT NULL,
    samples INTEGER NOT NULL,
    PRIMARY KEY (provider, model)
  );
`;
