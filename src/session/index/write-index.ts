// The index of sessions in store.db: made from a log's events, resumed at the offset it reached, never the truth.
import type { DatabaseSync } from "node:sqlite";
import type { DurableEnvelope, Envelope } from "../../schema/event/envelope.ts";
import { RefCounter, sourceOf } from "../ref.ts";
import { findRefs } from "./find-refs.ts";

/** Text passes the secret filter on its way in; the log keeps what was said. */
export type Redact = (text: string) => string;

/** Adds events to the index, inside the caller's transaction. */
export class IndexWriter {
  readonly #db: DatabaseSync;
  readonly #session: string;
  readonly #redact: Redact;
  readonly #refs: RefCounter;

  constructor(db: DatabaseSync, session: string, redact: Redact) {
    this.#db = db;
    this.#session = session;
    this.#redact = redact;
    const last = db
      .prepare("SELECT turn_index, item_index FROM search_source WHERE session_id = ? ORDER BY turn_index DESC, item_index DESC LIMIT 1")
      .get(session);
    this.#refs = new RefCounter(Number(last?.["turn_index"] ?? 0), Number(last?.["item_index"] ?? 0));
  }

  add(event: DurableEnvelope): void {
    if (event.agentId !== undefined) return;
    this.#addText(event);
    switch (event.type) {
      case "user.message":
        return this.#userMessage(event);
      case "assistant.message":
        if (event.data.content === "") return;
        this.#run("UPDATE turns SET assistant_response = ? WHERE session_id = ? AND turn_index = ?", [
          this.#redact(event.data.content),
          this.#session,
          this.#refs.turn,
        ]);
        return;
      case "turn.end":
        this.#run("UPDATE turns SET status = ? WHERE session_id = ? AND turn_id = ?", [event.data.status, this.#session, event.data.turnId]);
        return;
      case "tool.execution_start":
        return this.#refsIn(event, JSON.stringify(event.data.arguments) ?? "");
      case "tool.execution_complete":
        for (const f of event.data.filesChanged ?? []) this.#file(event, f.path);
        return this.#refsIn(event, event.data.result.content);
      case "assistant.usage":
        return this.#usage(event);
      case "session.snapshot_rewind":
        return this.#rewind(event);
      default:
        return;
    }
  }

  #run(sql: string, values: (string | number | null)[]): void {
    this.#db.prepare(sql).run(...values);
  }

  #addText(event: DurableEnvelope): void {
    const source = sourceOf(event);
    if (!source) return;
    const { turn, item } = this.#refs.next(event);
    if (source.text === "") return;
    const { lastInsertRowid } = this.#db
      .prepare(
        "INSERT OR IGNORE INTO search_source (session_id, turn_index, item_index, event_id, source_type, timestamp) VALUES (?, ?, ?, ?, ?, ?)",
      )
      .run(this.#session, turn, item, event.id, source.type, event.timestamp);
    this.#db
      .prepare("INSERT INTO search_index (rowid, content, session_id, source_type, source_id) VALUES (?, ?, ?, ?, ?)")
      .run(lastInsertRowid, this.#redact(source.text), this.#session, source.type, `t${turn}.${item}`);
  }

  #userMessage(event: Envelope<"user.message">): void {
    if (!event.data.ref) return;
    this.#run(
      `INSERT OR IGNORE INTO turns (session_id, turn_index, turn_id, event_id, user_message, assistant_response, status, rewound, timestamp)
       VALUES (?, ?, ?, ?, ?, '', 'running', 0, ?)`,
      [this.#session, this.#refs.turn, event.data.turnId, event.id, this.#redact(event.data.content), event.timestamp],
    );
    this.#refsIn(event, event.data.content);
  }

  #file(event: Envelope<"tool.execution_complete">, path: string): void {
    this.#run(
      "INSERT OR IGNORE INTO session_files (session_id, file_path, tool_name, turn_index, first_seen_at) VALUES (?, ?, ?, ?, ?)",
      [this.#session, this.#redact(path), event.data.toolName ?? "", this.#refs.turn, event.timestamp],
    );
  }

  #refsIn(event: DurableEnvelope, text: string): void {
    for (const ref of findRefs(text)) {
      this.#run(
        "INSERT OR IGNORE INTO session_refs (session_id, ref_type, ref_value, turn_index, created_at) VALUES (?, ?, ?, ?, ?)",
        [this.#session, ref.type, this.#redact(ref.value), this.#refs.turn, event.timestamp],
      );
    }
  }

  #usage(event: Envelope<"assistant.usage">): void {
    const u = event.data;
    this.#run(
      `INSERT INTO model_calls (session_id, agent_id, turn_index, step, model, input_tokens, output_tokens, cache_read_tokens,
         cache_write_tokens, cost, duration_ms, status, trimmed_messages, trimmed_tokens, interaction, timestamp)
       VALUES (?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ok', 0, 0, ?, ?)`,
      [
        ...[this.#session, this.#refs.turn, u.step, u.model, u.inputTokens, u.outputTokens, u.cacheReadTokens, u.cacheWriteTokens],
        ...[u.cost ?? null, u.durationMs, u.interaction, event.timestamp],
      ],
    );
  }

  /** Rewound turns stay searchable, marked. */
  #rewind(event: Envelope<"session.snapshot_rewind">): void {
    const from = event.data["fromTurn"];
    if (typeof from !== "number") return;
    for (const table of ["turns", "search_source"]) {
      this.#run(`UPDATE ${table} SET rewound = 1 WHERE session_id = ? AND turn_index >= ?`, [this.#session, from]);
    }
  }
}
