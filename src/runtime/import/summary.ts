// What an import saw, took and left: counted while it runs, and given as its summary.

type Tally = { seen: number; added: number };
export type BadLine = { file: string; line?: number | string; reason: string };

export type ImportSummary = {
  client: string;
  sessions: Tally;
  /** Prompts. */
  turns: Tally;
  /** Calls of tools. */
  tools: Tally;
  /** Everything that was taken: messages, calls, results and checkpoints. */
  items: Tally;
  /** How many of the added items belong to the repository or folder that the command ran in. */
  addedHere: number;
  /** By their type in the file. */
  skipped: Record<string, number>;
  /** Items that were read again and are here already. */
  duplicates: number;
  bad: BadLine[];
  /** More than the list names. */
  badLines: number;
  redactions: Record<string, number>;
  /** Files that needed reading, and those that did not. */
  files: { read: number; unchanged: number; unreadable: number };
};

/** What one file was seen to hold. */
export type SeenCounts = { turns: number; tools: number; items: number };
export const nothingSeen = (): SeenCounts => ({ turns: 0, tools: 0, items: 0 });

/** So many are named; the rest is counted. */
const MOST_NAMED = 1000;

export class ImportCount {
  readonly summary: ImportSummary;
  readonly #sessions = new Set<string>();
  readonly #newSessions = new Set<string>();

  constructor(client: string) {
    const none = (): Tally => ({ seen: 0, added: 0 });
    this.summary = {
      ...{ client, sessions: none(), turns: none(), tools: none(), items: none(), addedHere: 0 },
      ...{ skipped: {}, duplicates: 0, bad: [], badLines: 0, redactions: {} },
      files: { read: 0, unchanged: 0, unreadable: 0 },
    };
  }

  session(id: string, isNew: boolean): void {
    this.#sessions.add(id);
    if (isNew) this.#newSessions.add(id);
    this.summary.sessions = { seen: this.#sessions.size, added: this.#newSessions.size };
  }

  seen({ turns, tools, items }: SeenCounts): void {
    this.summary.turns.seen += turns;
    this.summary.tools.seen += tools;
    this.summary.items.seen += items;
  }

  added({ turns, tools, items }: SeenCounts, isHere: boolean): void {
    if (isHere) this.summary.addedHere += items;
    this.summary.turns.added += turns;
    this.summary.tools.added += tools;
    this.summary.items.added += items;
  }

  skipped(what: string): void {
    // A file makes up its types; a thousand of them are enough.
    const name = Object.keys(this.summary.skipped).length < MOST_NAMED || this.summary.skipped[what] ? what : "other";
    this.summary.skipped[name.slice(0, 80)] = (this.summary.skipped[name.slice(0, 80)] ?? 0) + 1;
  }

  redacted(rules: Iterable<string>): void {
    for (const rule of rules) this.summary.redactions[rule] = (this.summary.redactions[rule] ?? 0) + 1;
  }

  bad(line: BadLine): void {
    this.summary.badLines++;
    if (this.summary.bad.length < MOST_NAMED) this.summary.bad.push(line);
  }

  unreadable(line: BadLine): void {
    this.summary.files.unreadable++;
    this.bad(line);
  }
}
