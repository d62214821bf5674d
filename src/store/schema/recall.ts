// Tables of the recall engine; they hold nothing that is not in logs, records or the graph.

/** What is deleted is gone from the words at once, not when their parts are next merged. */
export const recallErasure = `
  INSERT INTO recall_terms (recall_terms, rank) VALUES ('secure-delete', 1);
  INSERT INTO search_index (search_index, rank) VALUES ('secure-delete', 1);
`;

/** Items that a person had forgotten: what is made from logs anew leaves them out. */
export const tombstoneSchema = `
  CREATE TABLE tombstone (
    id TEXT PRIMARY KEY,
    -- Of session, time and text, with the salt.
    digest TEXT NOT NULL,
    -- The same in every row.
    salt TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX tombstone_digest ON tombstone (digest);
`;

/** The words of passages; a table of another name takes its place when they are read anew. */
export const recallTerms = (name: string): string => `
  CREATE VIRTUAL TABLE ${name} USING fts5 (
    tokens, content = '', detail = none, columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_\`{|}~'"
  );`;

const FIRST_SCOPES = `-- One row for each tenant, owner and session, branch, repository, workspace, user, or all of them.
  CREATE TABLE recall_scope (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    value TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0,
    UNIQUE (type, tenant, value, owner)
  );`;

/** One row for each owner and session, branch, repository, workspace, user, or all of them. */
const scopes = (name: string): string => `
  CREATE TABLE ${name} (
    id INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    owner TEXT NOT NULL,
    value TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0,
    UNIQUE (type, value, owner)
  );`;
/** How much the scopes have, as every store gives it. */
const SIZES = "CREATE VIEW recall_scope_size AS SELECT id, type, owner, value, passages, words FROM recall_scope;";

/** A store has one tenant, so nobody ever named another in it. */
export const recallScopesWithoutTenant = `
  ${scopes("recall_scope_next")}
  INSERT INTO recall_scope_next SELECT id, type, owner, value, passages, words FROM recall_scope WHERE tenant = '';
  DROP TABLE recall_scope;
  ALTER TABLE recall_scope_next RENAME TO recall_scope;
  ${SIZES}
`;

const tables = (scopeTable: string): string => `
  ${scopeTable}
  -- One row for each combination that items have; \`scopes\` are the ids that its passages are found under.
  CREATE TABLE recall_place (
    id INTEGER PRIMARY KEY,
    place TEXT NOT NULL UNIQUE,
    session TEXT,
    local INTEGER NOT NULL,
    home INTEGER NOT NULL,
    scopes TEXT NOT NULL
  );

  -- \`home\` is the scope of the item's session, \`words\` its length without what is not indexed, a time of 0 is unknown;
  -- its passages are those from \`passage\` on.
  CREATE TABLE recall_item (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    role TEXT NOT NULL,
    time INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    turn INTEGER,
    item INTEGER,
    place INTEGER NOT NULL REFERENCES recall_place (id),
    home INTEGER NOT NULL,
    words INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    hash BLOB NOT NULL,
    rewound INTEGER NOT NULL DEFAULT 0,
    cut INTEGER NOT NULL DEFAULT 0,
    path TEXT,
    line INTEGER,
    trust TEXT
  );
  CREATE INDEX recall_item_messages ON recall_item (home, seq) WHERE kind = 'turn' AND words > 0;
  CREATE INDEX recall_item_in_turn ON recall_item (home, turn, item);
  CREATE INDEX recall_item_by_time ON recall_item (time, seq);

  -- Passages of an item in order; together they are its text. Those of length 0 are kept and not indexed.
  CREATE TABLE recall_passage (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL,
    start INTEGER NOT NULL,
    words INTEGER NOT NULL,
    hash BLOB NOT NULL,
    text TEXT NOT NULL
  );

  ${recallTerms("recall_terms")}

  CREATE VIEW recall_said AS
    SELECT p.id AS id, p.text AS content, l.session AS session_id,
      CASE i.kind WHEN 'turn' THEN i.role ELSE i.kind END AS source_type,
      CASE WHEN i.kind = 'checkpoint' THEN 'checkpoint:' || i.item ELSE COALESCE('t' || i.turn || '.' || i.item, 't' || i.turn, i.key) END AS source_id
    FROM recall_passage p JOIN recall_item i ON i.id = p.item JOIN recall_place l ON l.id = i.place;

  -- The words of this user's own sessions as others may read them; records and board are not in it.
  CREATE VIRTUAL TABLE search_index USING fts5 (
    content, session_id UNINDEXED, source_type UNINDEXED, source_id UNINDEXED,
    content = 'recall_said', content_rowid = 'id', tokenize = 'unicode61'
  );

  -- Vectors by text: equal passages share one; \`passage\` is the last that it was made for.
  CREATE TABLE recall_vector (
    id INTEGER PRIMARY KEY,
    embedder TEXT NOT NULL,
    hash BLOB NOT NULL,
    dims INTEGER NOT NULL,
    scale REAL NOT NULL,
    vector BLOB NOT NULL,
    passage INTEGER NOT NULL,
    UNIQUE (hash, embedder)
  );

  -- Passages that wait for their vector; parked after three failures.
  CREATE TABLE recall_waiting (
    passage INTEGER PRIMARY KEY,
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT
  );

  CREATE TABLE recall_note (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  ${recallErasure}
`;

/** As the first stores were made. */
export const firstRecallSchema = tables(FIRST_SCOPES);
/** Whose work a passage is at the moment, and until when. */
export const recallWaitingLeases = `
  ALTER TABLE recall_waiting ADD COLUMN taker TEXT;
  ALTER TABLE recall_waiting ADD COLUMN taken_until INTEGER NOT NULL DEFAULT 0;
`;
export const recallSchema = tables(`${scopes("recall_scope")}\n  ${SIZES}`) + recallWaitingLeases;
