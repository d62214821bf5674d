// The todo tables of session.db; todo_runs says which agent worked on which todo, and only the runtime writes it. A blob is no text to SQLite but would be none to the event either: it is refused here.
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
CREATE TRIGGER IF NOT EXISTS todos_touched AFTER UPDATE ON todos WHEN NEW.updated_at IS OLD.updated_at
BEGIN UPDATE todos SET updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END;
`;
