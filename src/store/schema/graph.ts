// The temporal graph: episodes with the state of their extraction, entities under all their names, facts with what says so.

export const graphSchema = `
  CREATE TABLE graph_group (
    id TEXT PRIMARY KEY,
    -- JSON: where recall finds its facts.
    place TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE graph_episode (
    seq INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    group_id TEXT NOT NULL,
    -- The same message again has the same key.
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    source_description TEXT NOT NULL,
    text TEXT NOT NULL,
    role TEXT,
    role_type TEXT NOT NULL,
    valid_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    origin TEXT NOT NULL,
    session TEXT,
    turn INTEGER,
    metadata TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'parked')),
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    -- The process at work on it, and until when others leave it alone.
    worker TEXT,
    lease_until TEXT,
    UNIQUE (group_id, key)
  );
  CREATE INDEX graph_episode_time ON graph_episode (group_id, valid_at, seq);
  CREATE INDEX graph_episode_open ON graph_episode (state, group_id, seq) WHERE state <> 'done';
  CREATE INDEX graph_episode_waiting ON graph_episode (seq) WHERE state = 'queued';
  CREATE INDEX graph_episode_promoted ON graph_episode (group_id, uuid) WHERE origin IN ('promotion', 'directive');
  CREATE INDEX graph_episode_turn ON graph_episode (session, turn) WHERE session IS NOT NULL;

  CREATE TABLE graph_entity (
    uuid TEXT PRIMARY KEY,
    group_id TEXT NOT NULL,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    summary TEXT NOT NULL,
    attributes TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX graph_entity_group ON graph_entity (group_id, label);

  -- Every name of an entity, its first one included. \`bands\`: JSON, of names that may be matched by likeness.
  CREATE TABLE graph_alias (
    seq INTEGER PRIMARY KEY,
    group_id TEXT NOT NULL,
    folded TEXT NOT NULL,
    label TEXT NOT NULL,
    entity TEXT NOT NULL,
    name TEXT NOT NULL,
    bands TEXT NOT NULL,
    UNIQUE (group_id, folded, label)
  );
  CREATE INDEX graph_alias_entity ON graph_alias (entity);
  CREATE TABLE graph_band (
    group_id TEXT NOT NULL,
    band TEXT NOT NULL,
    alias INTEGER NOT NULL,
    PRIMARY KEY (group_id, band, alias)
  ) WITHOUT ROWID;
  CREATE INDEX graph_band_alias ON graph_band (alias);

  CREATE TABLE graph_fact (
    uuid TEXT PRIMARY KEY,
    group_id TEXT NOT NULL,
    relation TEXT NOT NULL,
    text TEXT NOT NULL,
    subject TEXT NOT NULL,
    object TEXT NOT NULL,
    slot TEXT NOT NULL,
    -- Facts of one track follow each other in time; at most one of them is true at a moment.
    track TEXT NOT NULL,
    valid_at TEXT NOT NULL,
    invalid_at TEXT,
    created_at TEXT NOT NULL,
    expired_at TEXT,
    origin TEXT NOT NULL,
    trust REAL NOT NULL,
    invalidated_by TEXT,
    reason TEXT,
    attributes TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX graph_fact_track ON graph_fact (group_id, track, valid_at);
  CREATE INDEX graph_fact_subject ON graph_fact (subject, object);
  CREATE INDEX graph_fact_object ON graph_fact (object);
  CREATE INDEX graph_fact_time ON graph_fact (group_id, valid_at);

  -- An episode that says a fact, in its own words and with its own time.
  CREATE TABLE graph_mention (
    fact TEXT NOT NULL,
    at TEXT NOT NULL,
    episode TEXT NOT NULL,
    until TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (fact, at, episode)
  ) WITHOUT ROWID;
  CREATE INDEX graph_mention_episode ON graph_mention (episode);

  -- An episode that says that something is no longer so. An empty relation means any.
  CREATE TABLE graph_ending (
    subject TEXT NOT NULL,
    object TEXT NOT NULL,
    at TEXT NOT NULL,
    relation TEXT NOT NULL,
    episode TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (subject, object, at, relation, episode)
  ) WITHOUT ROWID;
  CREATE INDEX graph_ending_episode ON graph_ending (episode);

  -- Messages on their way to a Graphiti server; the texts of those that arrived or were dropped are gone.
  CREATE TABLE graph_outbox (
    seq INTEGER PRIMARY KEY,
    endpoint TEXT NOT NULL,
    root TEXT NOT NULL,
    group_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- Messages of one unit live or go together.
    unit TEXT NOT NULL,
    name TEXT NOT NULL,
    session TEXT,
    turn INTEGER,
    message TEXT NOT NULL,
    said_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'accepted', 'confirmed', 'parked', 'dropped')),
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    created_at TEXT NOT NULL,
    sent_at TEXT,
    UNIQUE (endpoint, group_id, name)
  );
  CREATE INDEX graph_outbox_open ON graph_outbox (endpoint, root, state, said_at, seq)
    WHERE state NOT IN ('confirmed', 'dropped');
  CREATE INDEX graph_outbox_turn ON graph_outbox (session, turn) WHERE session IS NOT NULL;

  -- How a server fared lately, and which process sends to it. Times are milliseconds.
  CREATE TABLE graph_endpoint (
    endpoint TEXT PRIMARY KEY,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    -- Since when it takes messages and shows none of them; 0 when it does.
    stalled_at INTEGER NOT NULL DEFAULT 0,
    seen_at INTEGER NOT NULL DEFAULT 0,
    look_at INTEGER NOT NULL DEFAULT 0,
    probes INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;

  -- Standing instructions. \`owner\`: the session, the repository or the user that it belongs to.
  CREATE TABLE pin (
    id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('session', 'repository', 'user')),
    owner TEXT NOT NULL,
    -- JSON: where recall finds it.
    place TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('hand', 'typed', 'promotion')),
    session TEXT,
    turn INTEGER,
    -- What it was made from: the same source makes one pin.
    source TEXT UNIQUE,
    created_at TEXT NOT NULL,
    active INTEGER NOT NULL,
    replaced_by TEXT
  ) WITHOUT ROWID;
  CREATE INDEX pin_owner ON pin (level, owner, active);
`;

/** Whoever removes an entity asks for the endings on both of its sides. */
export const graphEndingObjects = "CREATE INDEX graph_ending_object ON graph_ending (object);";
