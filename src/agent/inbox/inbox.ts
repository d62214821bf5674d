// The inbox of one open session: what was sent to the main agent, what it was told of, what it has read.

import type { Clock } from "../../base/clock.ts";
import type { MakeId } from "../../base/id.ts";
import { Mutex } from "../../base/mutex.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { FilteredText, Redactor } from "../../memory/secret/filter.ts";
import type { DurableEnvelope, EphemeralType, EventData } from "../../schema/event/envelope.ts";
import type { PendingNotice } from "../../session/parts.ts";
import type { Fault } from "../../store/fault.ts";
import type { Coded } from "../task/contract.ts";
import {
  cutSummary,
  draftProblem,
  type FilteredEntry,
  type InboxDraft,
  type InboxEntry,
  type Sender,
} from "./entry.ts";
import { entryNotice, NEW_INBOX_MESSAGE, unreadNotice } from "./notice.ts";
import type { InboxStore } from "./store.ts";

export type InboxParts = {
  sessionId: string;
  store: InboxStore;
  redactor: Redactor;
  clock: Pick<Clock, "now">;
  newId: MakeId;
  publish: <T extends EphemeralType>(type: T, data: EventData<T>) => void;
  /** Once, when entries cannot be kept: they then live as long as the session. */
  warn: (message: string) => void;
};

export type Sending = {
  sender: Sender;
  draft: InboxDraft;
  inlineMax: number;
  /** Why this may not be sent now; asked of the filtered content, and again at the moment of storing. */
  refuse: (content: string) => Coded | undefined;
};

export class Inbox {
  readonly #parts: InboxParts;
  readonly #entries = new Map<string, InboxEntry>();
  /** Rows that the table has: one that is gone from there was deleted by the user. */
  readonly #stored = new Set<string>();
  readonly #inlineMax = new Map<string, number>();
  /** Unread when the session was opened again, and not yet told of since. */
  readonly #before = new Set<string>();
  readonly #order = new Mutex();
  #isKept = true;

  private constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** `past`: the log so far, which knows of announcements that the table may have missed. */
  static async open(parts: InboxParts, past: Iterable<DurableEnvelope>): Promise<Inbox> {
    const inbox = new Inbox(parts);
    const stored = await parts.store.list();
    if (!stored.ok) inbox.#cannotKeep(stored.error.what);
    for (const entry of stored.ok ? stored.value : []) {
      inbox.#entries.set(entry.id, entry);
      inbox.#stored.add(entry.id);
    }
    for (const event of past) for (const entry of inbox.#announced(event)) void inbox.#mark(entry);
    for (const { id, unread } of inbox.#entries.values()) if (unread) inbox.#before.add(id);
    return inbox;
  }

  /** Newest first. */
  list(): InboxEntry[] {
    return [...this.#entries.values()].sort((a, b) => b.sequence - a.sequence);
  }

  async send({ sender, draft, inlineMax, refuse }: Sending): Promise<Result<InboxEntry, Coded>> {
    const { clock, newId, store, publish, sessionId } = this.#parts;
    const filtered = this.#filter(draft);
    if (!filtered.ok) return filtered;
    const { summary, content } = filtered.value;
    const problem = draftProblem(filtered.value);
    if (problem) return fail({ code: "invalid_inputs", message: problem });
    const refusal = refuse(content);
    if (refusal) return fail(refusal);
    const entry: FilteredEntry = {
      id: `${sender.senderName}-${newId()}`,
      recipientSessionId: sessionId,
      ...sender,
      sequence: 1 + Math.max(0, ...[...this.#entries.values()].map((e) => e.sequence)),
      summary,
      content,
      unread: true,
      sentAt: clock.now(),
      readAt: null,
      notifiedAt: null,
    };
    let late: Coded | undefined;
    const isWanted = () => {
      late = refuse(content);
      return late === undefined;
    };
    const added = this.#isKept ? await this.#order.run(() => store.add(entry, isWanted)) : ok(isWanted());
    if (!added.ok) {
      this.#cannotKeep(added.error.what);
      isWanted();
    }
    if (late) return fail(late);
    if (this.#isKept) this.#stored.add(entry.id);
    this.#entries.set(entry.id, entry);
    this.#inlineMax.set(entry.id, inlineMax);
    publish("inbox.sent", { entryId: entry.id, sender: sender.senderName });
    return ok(entry);
  }

  /** At the beginning of a turn: nothing is told that the user has deleted meanwhile, here or elsewhere. */
  async beforeTurn(): Promise<void> {
    if (this.news().length > 0) await this.#dropDeleted();
  }

  /**
   * What the main agent is to be told at its next request. It wakes nobody: what comes after a turn waits for the next.
   * `maxChars`: contents that stand in the notices have so much room together; the others wait to be read.
   */
  news(maxChars = Number.POSITIVE_INFINITY): PendingNotice[] {
    const before = this.list().filter(({ id }) => this.#before.has(id));
    const fresh = [...this.#entries.values()].filter((e) => e.notifiedAt === null && !this.#before.has(e.id));
    const unread = unreadNotice(before);
    let room = maxChars;
    const notices = fresh.map((entry) => {
      const inlineMax = Math.min(this.#inlineMax.get(entry.id) ?? 0, room);
      if ([...entry.content].length <= inlineMax) room -= entry.content.length;
      return entryNotice(entry, inlineMax);
    });
    return [...(unread ? [unread] : []), ...notices];
  }

  /** Every durable event: a notification that is written counts, however it came about. */
  fold(event: DurableEnvelope): void {
    for (const entry of this.#announced(event)) {
      this.#before.delete(entry.id);
      void this.#mark(entry);
      this.#parts.publish("inbox.notified", { entryId: entry.id, inline: !entry.unread });
    }
  }

  /** The entry, or the newest unread one. */
  async read(wanted: string | undefined, isMarking: boolean): Promise<InboxEntry | "none" | "not_found"> {
    await this.#dropDeleted();
    const entry = wanted === undefined ? this.list().find((e) => e.unread) : this.#entries.get(wanted);
    if (!entry) return wanted === undefined ? "none" : "not_found";
    if (isMarking && entry.unread) {
      const readAt = this.#parts.clock.now();
      // Who has read it needs no announcement.
      this.#before.delete(entry.id);
      await this.#mark({ ...entry, unread: false, readAt, notifiedAt: entry.notifiedAt ?? readAt });
      this.#parts.publish("inbox.read", { entryId: entry.id });
    }
    return entry;
  }

  /** Everything that became of entries is in the table. */
  settled(): Promise<void> {
    return this.#order.run(async () => undefined);
  }

  /** One that could not be taken out of the table stays here too. */
  async remove(id: string): Promise<Result<void, Fault>> {
    const removed = this.#stored.has(id) ? await this.#order.run(() => this.#parts.store.remove(id)) : ok(true);
    if (!removed.ok) return removed;
    this.#forget(id);
    return ok(undefined);
  }

  #filter(draft: InboxDraft): Result<{ summary: FilteredText; content: FilteredText }, Coded> {
    const { redactor, publish } = this.#parts;
    const fields = redactor.fields(draft);
    // A cut may not leave half of something that the whole would have shown to be a secret: so it comes after, and is looked at again.
    const summary = fields.ok ? redactor.text(cutSummary(fields.value.summary.text)) : fields;
    if (!fields.ok || !summary.ok)
      return fail({ code: "filter_failed", message: "The text could not be checked for secrets. Nothing was sent." });
    const { content } = fields.value;
    const rules = [...fields.value.summary.findings, ...content.findings].map(({ rule }) => rule);
    for (const rule of new Set(rules))
      publish("secret.redacted", { rule, where: "inbox", count: rules.filter((r) => r === rule).length });
    return ok({ summary: summary.value.text, content: content.text });
  }

  /** The entries that this event tells of, as they stand after it. */
  #announced(event: DurableEnvelope): InboxEntry[] {
    if (event.type !== "system.notification" || event.data.kind !== NEW_INBOX_MESSAGE || event.agentId !== undefined)
      return [];
    const { entryId, entryIds, inline } = event.data;
    const ids = Array.isArray(entryIds) ? entryIds : [entryId];
    return ids.flatMap((id) => {
      const entry = this.#entries.get(String(id));
      if (!entry) return [];
      const announced = { ...entry, notifiedAt: event.timestamp };
      return [inline === true ? { ...announced, unread: false, readAt: entry.readAt ?? event.timestamp } : announced];
    });
  }

  async #mark(entry: InboxEntry): Promise<void> {
    const { id, unread, notifiedAt, readAt } = entry;
    const before = this.#entries.get(id);
    this.#entries.set(id, entry);
    const isSame = before?.unread === unread && before.notifiedAt === notifiedAt && before.readAt === readAt;
    if (isSame || !this.#stored.has(id)) return;
    const marked = await this.#order.run(() => this.#parts.store.mark(entry));
    if (!marked.ok) this.#cannotKeep(marked.error.what);
  }

  async #dropDeleted(): Promise<void> {
    const rows = this.#stored.size > 0 ? await this.#parts.store.list() : ok([]);
    if (!rows.ok) return;
    const left = new Set(rows.value.map(({ id }) => id));
    for (const id of this.#stored) if (!left.has(id)) this.#forget(id);
  }

  #forget(id: string): void {
    this.#stored.delete(id);
    this.#before.delete(id);
    this.#entries.delete(id);
  }

  #cannotKeep(what: string): void {
    if (!this.#isKept) return;
    this.#isKept = false;
    this.#parts.warn(`The inbox cannot be kept in the session's folder, so it lasts as long as this run: ${what}`);
  }
}
