// The index of sessions in store.db: made from a log's events, resumed at the offset it reached, never the truth.
import type { DatabaseSync } from "node:sqlite";
import { firstLine } from "../../base/text.ts";
import { checkpointTitle } from "../../context/compact/checkpoint.ts";
import { parseSummary } from "../../context/compact/summary.ts";
import { keyMeant } from "../../host/repository-key.ts";
import type { ItemPlace } from "../../memory/recall/item.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { hasTombstones, isBuried } from "../../memory/recall/store/tombstone.ts";
import type { DurableEnvelope, Envelope } from "../../schema/event/envelope.ts";
import { importMarkOf } from "../../schema/imported.ts";
import type { SessionContext } from "../../schema/session.ts";
import { RefCounter } from "../ref.ts";
import { findRefs, LOOK_AT } from "./find-refs.ts";
import { MOST_CHARS, type RedactText } from "./indexed-text.ts";
import { placeOf, recallItem } from "./recall-item.ts";
import type { RecallQueue } from "./recall-queue.ts";

const clipped = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? value.slice(0, LOOK_AT) : value;

/** Adds events to the index, inside the caller's transaction. */
export class IndexWriter {
  readonly #db: DatabaseSync;
  readonly #session: string;
  readonly #redact: RedactText;
  readonly #refs: RefCounter;
  readonly #recall: RecallQueue | undefined;
  #stored = { text: "", redacted: "" };
  #place: ItemPlace | undefined;
  #hasRow = false;
  /** The first prompt gave the session its name, here or earlier. */
  #isNamed = false;
  #count = 0;
  #updatedAt: string | undefined;
  #ofOther: boolean | undefined;
  #hasTombstones: boolean | undefined;

  /** Without `recall` nothing of what is said becomes searchable. */
  constructor(
    db: DatabaseSync,
    session: string,
    { redact, recall }: { redact: RedactText; recall: RecallQueue | undefined },
  ) {
    this.#db = db;
    this.#session = session;
    this.#redact = redact;
    this.#recall = recall;
    const last = db.prepare("SELECT turn_index, item_index FROM session_progress WHERE session_id = ?").get(session);
    this.#refs = new RefCounter(Number(last?.["turn_index"] ?? 0), Number(last?.["item_index"] ?? 0));
  }

  /** Called after the last event of the session in a transaction. */
  finish(): void {
    this.#stored = { text: "", redacted: "" };
    // Once for all of them: the row stands in several indexes.
    this.#run("UPDATE sessions SET event_count = event_count + ?, updated_at = COALESCE(?, updated_at) WHERE id = ?", [
      ...[this.#count, this.#updatedAt ?? null, this.#session],
    ]);
    this.#count = 0;
    this.#run("INSERT OR REPLACE INTO session_progress (session_id, turn_index, item_index) VALUES (?, ?, ?)", [
      ...[this.#session, this.#refs.turn, this.#refs.item],
    ]);
  }

  add(event: DurableEnvelope): void {
    if (!this.#hasRow) this.#row(event);
    if (event.type === "session.start") this.#start(event);
    this.#count++;
    this.#updatedAt = event.timestamp;
    if (event.agentId !== undefined || this.#isOfOther()) return this.#addOfAgent(event);
    if (this.#addText(event) === "forgotten") return this.#addForgotten(event);
    switch (event.type) {
      case "session.resume":
      case "session.context_changed":
        return this.#context(event.data.context);
      case "session.title_changed":
        return this.#run("UPDATE sessions SET name = ? WHERE id = ?", [this.#redact(event.data.title), this.#session]);
      case "session.model_change":
        return this.#run("UPDATE sessions SET model = ? WHERE id = ?", [event.data.newModel, this.#session]);
      case "user.message":
        return this.#userMessage(event);
      case "assistant.message":
        if (event.data.content === "") return;
        this.#run("UPDATE turns SET assistant_response = ? WHERE session_id = ? AND turn_index = ?", [
          this.#bounded(event.data.content),
          this.#session,
          this.#refs.turn,
        ]);
        return;
      case "turn.end":
        return this.#ended(event);
      case "tool.execution_start":
        return this.#refsIn(event, JSON.stringify(event.data.arguments, clipped) ?? "");
      case "tool.execution_complete":
        for (const f of event.data.filesChanged ?? []) this.#file(event, f.path);
        return this.#refsIn(event, event.data.result.content);
      case "assistant.usage":
        return this.#usage(event);
      case "session.compaction_complete":
        return this.#checkpoint(event);
      case "session.compaction_undone":
        return this.#run("UPDATE checkpoints SET state = 'undone' WHERE session_id = ? AND checkpoint_number = ?", [
          this.#session,
          event.data.checkpointNumber ?? 0,
        ]);
      case "session.snapshot_rewind":
        return this.#rewind(event);
      default:
        return;
    }
  }

  /** What a subagent did counts for the session; what it said is no part of the conversation that refs and recall name. */
  #addOfAgent(event: DurableEnvelope): void {
    // Of another client's agents nothing else is left than what they said.
    if (importMarkOf(event.data)) this.#addText(event);
    if (event.type === "assistant.usage") this.#usage(event);
    if (event.type === "tool.execution_complete")
      for (const f of event.data.filesChanged ?? []) this.#file(event, f.path);
  }

  /** A session that another one started for itself, such as a consolidation: nobody talked in it. */
  #isOfOther(): boolean {
    this.#ofOther ??=
      this.#db.prepare("SELECT 1 FROM sessions WHERE id = ? AND parent_session_id IS NOT NULL").get(this.#session) !==
      undefined;
    return this.#ofOther;
  }

  #run(sql: string, values: (string | number | null)[]): void {
    prepared(this.#db, sql).run(...values);
  }

  /** Made by whichever event comes first: a log that lost its start is found all the same. */
  #row({ timestamp }: DurableEnvelope): void {
    this.#run(
      "INSERT OR IGNORE INTO sessions (id, cwd, name, source, created_at, updated_at) VALUES (?, '', '', 'everlong', ?, ?)",
      [this.#session, timestamp, timestamp],
    );
    this.#hasRow = true;
  }

  #start(event: Envelope<"session.start">): void {
    const { model, forkedFrom, parentSessionId, startTime, producer } = event.data;
    this.#run(
      "UPDATE sessions SET model = ?, source = ?, parent_session_id = ?, forked_from = ?, created_at = ? WHERE id = ?",
      [model, producer, parentSessionId ?? null, forkedFrom?.sessionId ?? null, startTime, this.#session],
    );
    this.#context(event.data.context);
    this.#ofOther = undefined;
  }

  #context(c: SessionContext): void {
    // An older log may spell the key in capitals.
    const repository = (c.repository && keyMeant(c.repository)) ?? null;
    this.#run("UPDATE sessions SET cwd = ?, git_root = ?, repository = ?, branch = ? WHERE id = ?", [
      ...[c.cwd, c.gitRoot ?? null, repository, c.branch ? this.#redact(c.branch) : null, this.#session],
    ]);
    this.#place = undefined;
  }

  #addText(event: DurableEnvelope): "forgotten" | undefined {
    const item = recallItem(event, this.#refs);
    if (!item) return undefined;
    const id = `${this.#session}:${item.id}`; // a fork's events have the ids of their originals
    const text = this.#bounded(item.text);
    this.#hasTombstones ??= hasTombstones(this.#db);
    if (this.#hasTombstones && isBuried(this.#db, { ...item, id, text, session: this.#session })) return "forgotten";
    if (!this.#recall) return undefined;
    this.#place ??= placeOf(this.#session, this.#db);
    this.#recall.add({ ...item, id, text, place: this.#place });
    return undefined;
  }

  /** The turn keeps its number; nothing of what was said is stored. */
  #addForgotten(event: DurableEnvelope): void {
    if (event.type === "user.message") this.#turn(event, "");
  }

  /** As it is stored. A message stands in its turn and in recall: the same text is not filtered twice. */
  #bounded(text: string): string {
    if (text !== this.#stored.text) {
      const part = text.length > MOST_CHARS ? text.slice(0, MOST_CHARS) : text;
      this.#stored = { text, redacted: this.#redact(part) };
    }
    return this.#stored.redacted;
  }

  /** The messages of a turn stand last: looked for from the end, a long session costs no more than a short one. */
  #ended({ data: { turnId, status } }: Envelope<"turn.end">): void {
    const newestFirst = "SELECT turn_index, turn_id FROM turns WHERE session_id = ? ORDER BY turn_index DESC";
    const rows = prepared(this.#db, newestFirst).iterate(this.#session);
    const indexes: number[] = [];
    for (const row of rows) {
      if (row["turn_id"] !== turnId) break;
      indexes.push(Number(row["turn_index"]));
    }
    for (const index of indexes)
      this.#run("UPDATE turns SET status = ? WHERE session_id = ? AND turn_index = ?", [status, this.#session, index]);
  }

  #turn(event: Envelope<"user.message">, text: string): void {
    if (!event.data.ref) return;
    this.#run(
      `INSERT OR IGNORE INTO turns (session_id, turn_index, turn_id, event_id, user_message, assistant_response, status, rewound, timestamp)
       VALUES (?, ?, ?, ?, ?, '', 'running', 0, ?)`,
      [this.#session, this.#refs.turn, event.data.turnId, event.id, text, event.timestamp],
    );
  }

  #userMessage(event: Envelope<"user.message">): void {
    if (!event.data.ref) return;
    this.#turn(event, this.#bounded(event.data.content));
    if (event.data.source === "user" && !this.#isNamed) {
      const title = this.#redact(firstLine(event.data.display ?? event.data.content, 60));
      this.#isNamed = title !== "";
      this.#run("UPDATE sessions SET name = ? WHERE id = ? AND (name IS NULL OR name = '')", [title, this.#session]);
    }
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
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ok', 0, 0, ?, ?)`,
      [
        ...[
          this.#session,
          event.agentId ?? null,
          this.#refs.turn,
          u.step,
          u.model,
          u.inputTokens,
          u.outputTokens,
          u.cacheReadTokens,
          u.cacheWriteTokens,
        ],
        ...[u.cost ?? null, u.durationMs, u.interaction, event.timestamp],
      ],
    );
  }

  #checkpoint(event: Envelope<"session.compaction_complete">): void {
    const { outcome, checkpointNumber, summaryContent, compactedTurns, trigger, checkpointPath } = event.data;
    if (outcome !== "applied" || checkpointNumber === undefined) return;
    const parts = parseSummary(this.#redact(summaryContent ?? ""));
    this.#run(
      `INSERT OR REPLACE INTO checkpoints (session_id, checkpoint_number, title, overview, history, work_done, technical_details,
         important_files, next_steps, event_id, "trigger", turn_from, turn_to, path, state, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'live', ?)`,
      [
        ...[this.#session, checkpointNumber, checkpointTitle(parts), parts.overview, parts.history, parts.work_done],
        ...[parts.technical_details, parts.important_files, parts.next_steps, event.id, trigger],
        ...[compactedTurns?.from ?? null, compactedTurns?.to ?? null, checkpointPath ?? null, event.timestamp],
      ],
    );
  }

  /** Rewound turns stay searchable, marked. */
  #rewind(event: Envelope<"session.snapshot_rewind">): void {
    const withdrawn = event.data["withdrawnCheckpoints"];
    for (const number of Array.isArray(withdrawn) ? withdrawn.map(Number) : []) {
      this.#run("UPDATE checkpoints SET state = 'withdrawn' WHERE session_id = ? AND checkpoint_number = ?", [
        this.#session,
        number,
      ]);
    }
    const from = event.data["fromTurn"];
    if (typeof from !== "number") return;
    this.#run("UPDATE turns SET rewound = 1 WHERE session_id = ? AND turn_index >= ?", [this.#session, from]);
    this.#recall?.markRewound(this.#session, from);
  }
}
