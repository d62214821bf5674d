// How far the histories of other clients were read: one row a file.

export const importSchema = `
  CREATE TABLE import_file (
    client TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime REAL NOT NULL,
    -- Where to go on, and the number of the line before it.
    offset INTEGER NOT NULL,
    line INTEGER NOT NULL,
    -- Length and hash of the first bytes.
    head TEXT NOT NULL,
    version INTEGER NOT NULL,
    -- JSON: what the reader needs to go on.
    carry TEXT NOT NULL,
    -- JSON: the sessions with the length of their logs, and what was seen in the file.
    sessions TEXT NOT NULL,
    seen TEXT NOT NULL,
    PRIMARY KEY (client, path)
  ) WITHOUT ROWID;
`;
