// What the readers give of one file goes where it belongs: filtered, counted, and into the logs of its sessions.
import type { Failure } from "../../base/failure.ts";
import { parseJson } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import type { HistorySession, ImportedItem, ParsedPart } from "../../memory/import/contract.ts";
import type { Redactor, SecretFilter } from "../../memory/secret/filter.ts";
import type { SessionContext } from "../../schema/session.ts";
import { importedId } from "../../session/import/imported-log.ts";
import type { OpenTarget } from "./open-target.ts";
import type { ImportPlaces } from "./place.ts";
import { type ImportCount, nothingSeen, type SeenCounts } from "./summary.ts";
import type { ImportTarget } from "./target.ts";

export type FileServices = {
  client: string;
  open: OpenTarget;
  count: ImportCount;
  places: ImportPlaces;
  redactor: Redactor;
  /** For what the redactor gives up on. */
  redact: SecretFilter;
  isWanted(session: HistorySession, context: SessionContext): boolean;
  isHere(context: SessionContext): boolean;
};

export class FileImport {
  readonly seen: SeenCounts;
  /** The length of each session's log. */
  readonly sessions: Record<string, number>;
  /** A session of the file was not wanted: it may be another time. */
  isPartial = false;
  readonly #services: FileServices;
  readonly #path: string;
  readonly #fallbackTime: string;
  #session: HistorySession | undefined;
  #isWanted = false;
  #isHere = false;
  #target: ImportTarget | undefined;

  constructor(
    services: FileServices,
    file: { path: string; mtime: number },
    before?: Pick<FileImport, "seen" | "sessions">,
  ) {
    this.#services = services;
    this.#path = file.path;
    this.#fallbackTime = new Date(Math.max(0, file.mtime)).toISOString();
    this.seen = { ...(before?.seen ?? nothingSeen()) };
    this.sessions = { ...before?.sessions };
  }

  async take(part: ParsedPart): Promise<Result<void, Failure>> {
    const { count } = this.#services;
    if (part.type === "skipped") count.skipped(part.what);
    else if (part.type === "bad") count.bad({ file: this.#path, line: part.line, reason: part.reason });
    else if (part.type === "passed") this.#target?.pass(part.id);
    else if (part.type === "session") return this.#enter(part.session);
    else if (this.#session && this.#isWanted) return this.#add(part.item, this.#session);
    return ok(undefined);
  }

  async #enter(session: HistorySession): Promise<Result<void, Failure>> {
    const context = this.#services.places.contextOf(session);
    const left = this.#session?.id === session.id ? ok(undefined) : await this.leave();
    this.#session = session;
    this.#isWanted = this.#services.isWanted(session, context);
    this.#isHere = this.#services.isHere(context);
    if (!this.#isWanted) this.isPartial = true;
    return left;
  }

  async #add(item: ImportedItem, session: HistorySession): Promise<Result<void, Failure>> {
    const target = await this.#open(session);
    if (!target.ok) return target;
    const { count, places } = this.#services;
    const weight = weightOf(item);
    addTo(this.seen, weight);
    count.seen(weight);
    if (target.value.has(item)) {
      if (item.kind !== "rewind") count.summary.duplicates++;
      return ok(undefined);
    }
    target.value.stand(places.contextOf(session), item.time ?? this.#fallbackTime, session.model);
    target.value.add(this.#filtered(item), this.#path);
    count.added(weight, this.#isHere);
    count.session(target.value.id, target.value.isNew);
    return ok(undefined);
  }

  async #open(session: HistorySession): Promise<Result<ImportTarget, Failure>> {
    if (this.#target) return ok(this.#target);
    const id = importedId(this.#services.client, session.id);
    const opened = await this.#services.open.of(id);
    if (!opened.ok) return opened;
    this.#target = opened.value;
    this.#services.count.session(id, false);
    return opened;
  }

  #filtered(item: ImportedItem): ImportedItem {
    if (item.kind === "rewind") return item;
    if (item.kind !== "call") return { ...item, text: this.#clean(item.text) };
    // As one text, so that a name speaks for the value beside it.
    const text = JSON.stringify(item.args) ?? "";
    const clean = this.#clean(text);
    if (clean === text) return item;
    const parsed = parseJson(clean);
    return { ...item, args: parsed.ok ? parsed.value : clean };
  }

  #clean(text: string): string {
    const { redactor, redact, count } = this.#services;
    const outcome = redactor.text(text);
    if (!outcome.ok) return redact(text);
    count.redacted(outcome.value.findings.map(({ rule }) => rule));
    return outcome.value.text;
  }

  get isFull(): boolean {
    return this.#target?.isFull ?? false;
  }

  /** What waits goes into the session's log. */
  async write(): Promise<Result<void, Failure>> {
    const target = this.#target;
    if (!target) return ok(undefined);
    const written = await target.write();
    this.sessions[target.id] = target.size;
    return written;
  }

  /** The session's part of the file is at its end, and so is its last turn. */
  async leave(): Promise<Result<void, Failure>> {
    this.#target?.end();
    const written = await this.write();
    this.#target = undefined;
    return written;
  }
}

const weightOf = (item: ImportedItem): SeenCounts => ({
  turns: item.kind === "user" && item.agent === undefined ? 1 : 0,
  tools: item.kind === "call" ? 1 : 0,
  items: item.kind === "rewind" ? 0 : 1,
});

function addTo(sum: SeenCounts, { turns, tools, items }: SeenCounts): void {
  sum.turns += turns;
  sum.tools += tools;
  sum.items += items;
}
