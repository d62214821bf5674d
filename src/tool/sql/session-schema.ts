// The todo tables of session.db.
export const SESSION_SCHEMA = `
CREATE TABLE IF NOT EXISTS todos (
  id TEXT PRIMARY KEY NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'done', 'blocked')),
  created_at TEXT DEFAULT CURRENT_TIMESTAMP,
  updated_at TEXT DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE IF NOT EXISTS todo_deps (
  todo_id TEXT NOT NULL REFERENCES todos(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  depends_on TEXT NOT NULL REFERENCES todos(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (todo_id, depends_on)
);
CREATE TRIGGER IF NOT EXISTS todos_touched AFTER UPDATE ON todos WHEN NEW.updated_at IS OLD.updated_at
BEGIN UPDATE todos SET updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END;
`;
