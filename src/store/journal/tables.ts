// Which tables of store.db stand nowhere but in the change journal, and when a change of a row is worth a line.

export type JournalledTable = {
  /** What a row is about, and the columns that name it: deleting that blanks the row's text in older lines. */
  subject?: { kind: string; columns: readonly string[] };
  /** Columns that each name a subject of this kind: deleting any of them blanks the row's text, too. */
  about?: { kind: string; columns: readonly string[] };
  /** Rows that may quote subjects of this kind without a column for it. */
  mentions?: string;
  /** What is made from the rows, one at a time by its key. */
  projection?: { clear: string; remove: string; add: string };
  /** The number in its key means nothing to other rows: one that is taken may be replaced by another. */
  isFreelyNumbered?: true;
  /** Whether recall finds the rows: its index has to be filled anew after rows were applied. */
  isRecalled?: true;
  /** Conditions of the triggers; a row that changes without meeting them is written with its next change. */
  insert?: string;
  update?: string;
  remove?: string;
};
export type JournalledTables = Readonly<Record<string, JournalledTable>>;

const memoryText = {
  clear: "DELETE FROM memory_text",
  remove: "DELETE FROM memory_text WHERE rowid = ?",
  add: "INSERT INTO memory_text (rowid, subject, fact) SELECT seq, subject, fact FROM memories WHERE seq = ? AND status <> 'deleted'",
};

const boardItem = { kind: "board", columns: ["repository", "branch", "src", "name"] };

export const storeJournal: JournalledTables = {
  memories: {
    subject: { kind: "memory", columns: ["id"] },
    projection: memoryText,
    isRecalled: true,
    isFreelyNumbered: true,
  },
  memory_citations: { subject: { kind: "memory", columns: ["memory"] }, isRecalled: true },
  memory_votes: { subject: { kind: "memory", columns: ["memory"] }, isRecalled: true },
  memory_changes: { subject: { kind: "memory", columns: ["memory"] }, isFreelyNumbered: true },
  memory_idempotency: { mentions: "memory" },
  dynamic_context_items: { subject: boardItem, isRecalled: true },
  board_changes: { subject: boardItem, isFreelyNumbered: true },
  consolidation_runs: {},
  // Counters move with every request and are counted again from the items.
  proxy_session: {
    subject: { kind: "proxy", columns: ["no"] },
    update: "NEW.namespace IS NOT OLD.namespace OR NEW.anchor IS NOT OLD.anchor",
  },
  proxy_member: { subject: { kind: "proxy", columns: ["session"] } },
  // Once, with its text; what became of it later stands in the log of its session.
  proxy_item: {
    subject: { kind: "proxy", columns: ["session"] },
    insert: "NEW.stored = 1",
    update: "NEW.stored = 1 AND OLD.stored = 0",
    remove: "OLD.stored = 1",
  },
  tombstone: {},
  graph_group: { isRecalled: true },
  // Who works on it moves with every extraction and means nothing after a loss.
  graph_episode: {
    subject: { kind: "graph", columns: ["uuid"] },
    isRecalled: true,
    isFreelyNumbered: true,
    update:
      "NEW.state <> 'running' AND (NEW.state IS NOT OLD.state OR NEW.tries IS NOT OLD.tries) AND NOT (OLD.state = 'running' AND NEW.state = 'queued' AND NEW.tries = OLD.tries)",
  },
  graph_entity: { subject: { kind: "graph", columns: ["uuid"] }, isRecalled: true },
  graph_alias: {
    subject: { kind: "graph", columns: ["entity"] },
    isRecalled: true,
    isFreelyNumbered: true,
    projection: {
      clear: "DELETE FROM graph_band",
      remove: "DELETE FROM graph_band WHERE alias = ?",
      add: "INSERT OR IGNORE INTO graph_band (group_id, band, alias) SELECT a.group_id, b.value, a.seq FROM graph_alias a, json_each(a.bands) b WHERE a.seq = ?",
    },
  },
  graph_fact: { subject: { kind: "graph", columns: ["uuid"] }, isRecalled: true },
  graph_mention: { about: { kind: "graph", columns: ["fact", "episode"] } },
  graph_ending: { about: { kind: "graph", columns: ["subject", "object", "episode"] } },
  graph_outbox: { subject: { kind: "outbox", columns: ["unit"] }, isFreelyNumbered: true },
  pin: { subject: { kind: "pin", columns: ["id"] }, isRecalled: true },
};

/** The tables of a session's own database; its todos are in the log. */
export const sessionJournal: JournalledTables = {
  inbox_entries: { subject: { kind: "inbox", columns: ["id"] } },
};
