// Tables of the proxy: sessions of other agents, their lanes, what was said in them, what was done to their requests.

export const proxySchema = `
  -- \`id\` names the directory; \`no\` is never used twice, so that what is late for a deleted session finds nothing.
  CREATE TABLE proxy_session (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    key TEXT,
    identity TEXT NOT NULL,
    family TEXT NOT NULL,
    signal TEXT NOT NULL,
    namespace TEXT,
    prompts INTEGER NOT NULL DEFAULT 0,
    logged INTEGER NOT NULL DEFAULT 0,
    anchor TEXT,
    created_at TEXT NOT NULL,
    used_at TEXT NOT NULL
  );
  CREATE INDEX proxy_session_by_key ON proxy_session (key) WHERE key IS NOT NULL;
  CREATE INDEX proxy_session_by_use ON proxy_session (used_at, no);

  -- Who may use a session: its founder, and credentials that proved to know its history. No key: found by content.
  CREATE TABLE proxy_member (
    session INTEGER NOT NULL REFERENCES proxy_session (no) ON DELETE CASCADE,
    identity TEXT NOT NULL,
    key TEXT,
    PRIMARY KEY (session, identity),
    UNIQUE (key, identity)
  ) WITHOUT ROWID;
  CREATE INDEX proxy_member_by_identity ON proxy_member (identity) WHERE key IS NULL;

  -- \`plan\` is the part of the state that is large and seldom changes; \`outcome\` is that of the last answer.
  CREATE TABLE proxy_lane (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES proxy_session (no) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    length INTEGER NOT NULL,
    tail TEXT NOT NULL,
    answers INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    plan TEXT NOT NULL,
    summary TEXT,
    created_at TEXT NOT NULL,
    used_at TEXT NOT NULL
  );
  CREATE INDEX proxy_lane_by_session ON proxy_lane (session);
  CREATE INDEX proxy_lane_by_tail ON proxy_lane (tail);

  -- Positions count from 1; \`own\` is the item alone, \`link\` the item with all before it.
  CREATE TABLE proxy_chain (
    lane INTEGER NOT NULL REFERENCES proxy_lane (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    link TEXT NOT NULL,
    own TEXT NOT NULL,
    strong INTEGER NOT NULL,
    prompt INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (lane, position)
  ) WITHOUT ROWID;
  CREATE INDEX proxy_chain_by_link ON proxy_chain (link);
  CREATE INDEX proxy_chain_by_own ON proxy_chain (own) WHERE strong = 1;

  -- The row comes with the ref, at first sight; the text follows once it is filtered (\`stored\`). \`dropped\` says who
  -- left it out of a request, \`logged\` that its line is in the session's log.
  CREATE TABLE proxy_item (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES proxy_session (no) ON DELETE CASCADE,
    own TEXT NOT NULL,
    turn INTEGER NOT NULL,
    item INTEGER NOT NULL,
    time TEXT NOT NULL,
    stored INTEGER NOT NULL DEFAULT 0,
    dropped TEXT,
    logged INTEGER NOT NULL DEFAULT 0,
    lane INTEGER,
    wire TEXT,
    role TEXT,
    type TEXT,
    tool TEXT,
    call_id TEXT,
    bytes INTEGER,
    indexed INTEGER,
    text TEXT,
    UNIQUE (session, own),
    UNIQUE (session, turn, item)
  );
  CREATE INDEX proxy_item_waiting ON proxy_item (session) WHERE stored = 0;
  CREATE INDEX proxy_item_due ON proxy_item (session) WHERE dropped IS NOT NULL AND logged = 0;

  CREATE TABLE proxy_request (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session INTEGER REFERENCES proxy_session (no) ON DELETE CASCADE,
    time TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX proxy_request_by_session ON proxy_request (session, no);
  CREATE INDEX proxy_request_by_size ON proxy_request (no, time, bytes);

  -- Session 0 is all of them, the deleted ones too.
  CREATE TABLE proxy_total (
    session INTEGER NOT NULL,
    model TEXT NOT NULL,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (session, model, name)
  ) WITHOUT ROWID;

  CREATE TABLE proxy_window (
    upstream TEXT NOT NULL,
    model TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    learned_at TEXT NOT NULL,
    PRIMARY KEY (upstream, model)
  ) WITHOUT ROWID;
`;

/** A window that no error named is a guess: how often it was made, and how many requests near it have passed since. */
export const proxyWindowGuesses = `
  ALTER TABLE proxy_window ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE proxy_window ADD COLUMN passes INTEGER NOT NULL DEFAULT 0;
`;

/** What an item of a chain weighs is counted with each request. */
export const proxyChainWithoutTokens = "ALTER TABLE proxy_chain DROP COLUMN tokens;";

/** Records are counted by whose they are, where many people use one gateway. */
export const proxyRequestOwners = `
  ALTER TABLE proxy_request ADD COLUMN owner TEXT NOT NULL DEFAULT '';
  DROP INDEX proxy_request_by_size;
  CREATE INDEX proxy_request_by_size ON proxy_request (owner, no, time, bytes);
`;
