// How far the change journal has been applied to this database, what of it is still to be blanked, and what was salvaged.

/** Which line ended where: so a database knows whether the journal beside it is the one that it wrote. */
export const journalMarks = `
  CREATE TABLE IF NOT EXISTS journal_mark (
    segment INTEGER NOT NULL,
    line_end INTEGER NOT NULL,
    line_start INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (segment, line_end)
  ) WITHOUT ROWID;
`;

/** Every database with a journal has these tables. */
export const journalTables = `
  ${journalMarks}
  CREATE TABLE IF NOT EXISTS journal_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    -- The journal's own id: a database from elsewhere has another.
    journal TEXT NOT NULL,
    segment INTEGER NOT NULL,
    journal_offset INTEGER NOT NULL
  );

  -- Texts that are deleted and may still stand in lines before this place.
  CREATE TABLE IF NOT EXISTS journal_erasure (
    subject TEXT PRIMARY KEY,
    segment INTEGER NOT NULL,
    journal_offset INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

export const journalSchema = `
  ${journalTables}
  -- Rows that stood only in a damaged file.
  CREATE TABLE salvaged (
    table_name TEXT NOT NULL,
    row_key TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (table_name, row_key)
  ) WITHOUT ROWID;
`;
