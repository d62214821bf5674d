// The tables of session.db: todos, which agent worked on which of them, and the inbox; the last two only the runtime writes. A blob is no text to SQLite but would be none to the event either: it is refused here.
export const SESSION_SCHEMA = `
CREATE TABLE IF NOT EXISTS todos (
  id TEXT PRIMARY KEY NOT NULL CHECK (typeof(id) = 'text'),
  title TEXT NOT NULL CHECK (typeof(title) = 'text'),
  description TEXT CHECK (typeof(description) IN ('text', 'null')),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'done', 'blocked')),
  created_at TEXT DEFAULT CURRENT_TIMESTAMP CHECK (typeof(created_at) IN ('text', 'null')),
  updated_at TEXT DEFAULT CURRENT_TIMESTAMP CHECK (typeof(updated_at) IN ('text', 'null'))
);
CREATE TABLE IF NOT EXISTS todo_deps (
  todo_id TEXT NOT NULL REFERENCES todos(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  depends_on TEXT NOT NULL REFERENCES todos(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (todo_id, depends_on)
);
CREATE TABLE IF NOT EXISTS todo_runs (
  todo_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  outcome TEXT,
  note TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (todo_id, attempt)
);
CREATE TABLE IF NOT EXISTS inbox_entries (
  id TEXT PRIMARY KEY NOT NULL,
  recipient_session_id TEXT NOT NULL,
  sender_id TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  sender_type TEXT NOT NULL,
  interaction_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  summary TEXT NOT NULL,
  content TEXT NOT NULL,
  unread INTEGER NOT NULL,
  sent_at TEXT NOT NULL,
  read_at TEXT,
  notified_at TEXT
);
CREATE TRIGGER IF NOT EXISTS todos_touched AFTER UPDATE ON todos WHEN NEW.updated_at IS OLD.updated_at
BEGIN UPDATE todos SET updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END;
`;
