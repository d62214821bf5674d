// Figures that no log keeps, for charts and timelines; and the orders in which the dashboard lists sessions and requests.

export const observationSchema = `
  -- \`at\`: milliseconds since 1970. Which of the figures a row has depends on its type; \`data\` is JSON, without any text that was said.
  CREATE TABLE observation (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    session TEXT,
    asked INTEGER,
    sent INTEGER,
    input INTEGER,
    cached INTEGER,
    ms REAL,
    data TEXT NOT NULL DEFAULT '{}'
  );
  CREATE INDEX observation_by_time ON observation (type, at);
  CREATE INDEX observation_by_session ON observation (session, no) WHERE session IS NOT NULL;

  -- Requests that went on as they came.
  ALTER TABLE proxy_request ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;
  -- The record without its items, for lists.
  ALTER TABLE proxy_request ADD COLUMN summary TEXT;

  CREATE INDEX sessions_by_update ON sessions (updated_at, id);
  CREATE INDEX sessions_by_folder ON sessions (COALESCE(git_root, cwd), updated_at, id);
  CREATE INDEX turns_by_time ON turns (timestamp);
`;

/** What lists and charts read stands in the index itself: no row is fetched for a sum or a name. */
export const dashboardIndexes = `
  CREATE INDEX sessions_by_name ON sessions (updated_at, id, name, source, parent_session_id, event_count);
  CREATE INDEX model_calls_figures
    ON model_calls (timestamp, interaction, input_tokens, output_tokens, cache_read_tokens);
  CREATE INDEX observation_figures ON observation (type, at, asked, sent, input, cached, ms);
`;
