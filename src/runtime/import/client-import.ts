// The import of one client: file by file, each continued where it was left, a bad one in nobody's way.
import type { FileHandle } from "node:fs/promises";
import { errorText, type Failure } from "../../base/failure.ts";
import { isRecord } from "../../base/json.ts";
import { releaseMemory } from "../../base/release-memory.ts";
import { ok, type Result } from "../../base/result.ts";
import type { HistoryClient, ParsedPart } from "../../memory/import/contract.ts";
import type { Workspace } from "../workspace.ts";
import type { ImportBatch } from "./batch.ts";
import { withCopy } from "./copy-database.ts";
import { beginsAlike, headOf, type ImportCursor, saveCursor } from "./cursor.ts";
import { FileImport, type FileServices } from "./file-import.ts";
import { chunksOf, MOST_DOCUMENT, openSource, readRecords, unpackedChunks } from "./read-lines.ts";
import type { SourceFile } from "./sources.ts";
import { logSize } from "./target.ts";

const TIDY_BYTES = 16 * 1024 * 1024;

export type ClientServices = FileServices & { batch: ImportBatch; workspace: Pick<Workspace, "paths"> };

type Step = (bytes: number) => void;
type Start = Pick<ImportCursor, "offset" | "line" | "carry" | "head"> & { goesOn: boolean };

export class ClientImport {
  readonly #client: HistoryClient;
  readonly #services: ClientServices;
  readonly #cursors: ReadonlyMap<string, ImportCursor>;
  readonly #deleted: (session: string) => boolean;
  readonly #signal: AbortSignal;
  #untidy = 0;

  constructor(
    client: HistoryClient,
    services: ClientServices,
    /** `deleted`: whether a person deleted the session, so that its log is gone for good. */
    rest: { cursors: ReadonlyMap<string, ImportCursor>; deleted(session: string): boolean; signal: AbortSignal },
  ) {
    this.#client = client;
    this.#services = services;
    this.#cursors = rest.cursors;
    this.#deleted = rest.deleted;
    this.#signal = rest.signal;
  }

  /** Whether there is nothing in it that was not taken. */
  isUnchanged({ path, size, mtime }: SourceFile): boolean {
    const cursor = this.#cursors.get(path);
    if (!cursor || cursor.size !== size || cursor.mtime !== mtime || !this.#isUsable(cursor)) return false;
    const { count } = this.#services;
    for (const id of Object.keys(cursor.sessions)) count.session(id, false);
    count.seen(cursor.seen);
    count.summary.files.unchanged++;
    return true;
  }

  /** The logs have all that the cursor says they have. */
  #isUsable({ version, sessions }: ImportCursor): boolean {
    if (version !== this.#client.version) return false;
    const { paths } = this.#services.workspace;
    return Object.entries(sessions).every(
      ([id, size]) => (logSize(paths, id) ?? (this.#deleted(id) ? size : -1)) >= size,
    );
  }

  /** A file that cannot be read is named in the summary; only a fault of our own store ends the import. */
  async take(file: SourceFile, step: Step): Promise<Result<void, Failure>> {
    this.#services.count.summary.files.read++;
    try {
      if (file.form === "database") return await this.#database(file);
      const handle = await openSource(file.path);
      if (!handle.ok) {
        this.#services.count.unreadable({
          file: file.path,
          reason: handle.error.code === "store_denied" ? "no permission to read it" : handle.error.what,
        });
        return ok(undefined);
      }
      try {
        const whole = { head: await headOf(handle.value), offset: 0, line: 0, carry: undefined, goesOn: false };
        if (file.form === "document") return await this.#document(file, handle.value, whole.head);
        if (file.form === "packed lines") return await this.#lines(file, unpackedChunks(handle.value), whole, step);
        const start = await this.#startOf(file, (head) => beginsAlike(handle.value, head), whole);
        return await this.#lines(file, chunksOf(handle.value, start.offset), start, step);
      } finally {
        await handle.value.close();
      }
    } catch (error) {
      this.#services.count.unreadable({ file: file.path, reason: errorText(error) });
      return ok(undefined);
    }
  }

  /** A file that only grew is continued; any other is read anew. */
  async #startOf(file: SourceFile, isAlike: (head: string) => Promise<boolean>, whole: Start): Promise<Start> {
    const cursor = this.#cursors.get(file.path);
    const grew = cursor && this.#isUsable(cursor) && file.size > cursor.size && (await isAlike(cursor.head));
    return grew ? { ...cursor, head: whole.head, goesOn: true } : whole;
  }

  async #lines(
    file: SourceFile,
    chunks: AsyncIterable<Buffer>,
    start: Start,
    step: Step,
  ): Promise<Result<void, Failure>> {
    const reader = this.#client.lines?.(file, start.carry);
    if (!reader) return ok(undefined);
    const before = start.goesOn ? this.#cursors.get(file.path) : undefined;
    if (before) this.#services.count.seen(before.seen);
    const into = new FileImport(this.#services, file, before);
    // A session that goes on is the one that the reader remembers.
    if (isRecord(start.carry) && typeof start.carry["id"] === "string")
      await into.take({ type: "session", session: start.carry as { id: string } });
    let at = { offset: start.offset, line: start.line };
    const isPacked = file.form === "packed lines";
    const place = () => ({ ...at, head: start.head, carry: reader.carry() });
    try {
      for await (const records of readRecords(chunks, start)) {
        for (const { line, end, value, reason } of records) {
          const bad: ParsedPart[] = reason === undefined ? [] : [{ type: "bad", line, reason }];
          for (const part of value ? reader.take(value, line) : bad) {
            const outcome = await into.take(part);
            if (!outcome.ok) return outcome;
          }
          step(end - at.offset);
          this.#tidy(end - at.offset);
          at = { offset: end, line };
          const isStopped = this.#signal.aborted;
          // In the middle of a packed file nobody can go on.
          const here = isPacked ? undefined : place();
          const saved = isStopped || into.isFull ? await this.#save(file, into, here) : ok(undefined);
          if (isStopped || !saved.ok) return saved;
        }
      }
    } catch (error) {
      // What stood before the damage is taken; without a cursor the file is read again the next time.
      this.#services.count.unreadable({ file: file.path, reason: errorText(error) });
      return into.leave();
    }
    const left = await into.leave();
    if (isPacked) at.offset = file.size;
    return left.ok ? this.#save(file, into, place()) : left;
  }

  /** Garbage of many megabytes is given back before it becomes hundreds. */
  #tidy(bytes: number): void {
    this.#untidy += bytes;
    if (this.#untidy < TIDY_BYTES) return;
    this.#untidy = 0;
    releaseMemory();
  }

  async #document(file: SourceFile, handle: FileHandle, head: string): Promise<Result<void, Failure>> {
    if (file.size <= MOST_DOCUMENT) {
      const text = (await handle.readFile()).toString("utf8");
      return this.#whole(file, this.#client.document?.(text, file) ?? [], { head, carry: undefined });
    }
    this.#services.count.unreadable({ file: file.path, reason: "too large to be read as a whole" });
    return ok(undefined);
  }

  async #database(file: SourceFile): Promise<Result<void, Failure>> {
    const cursor = this.#cursors.get(file.path);
    const before = cursor && this.#isUsable(cursor) && isRecord(cursor.carry) ? cursor.carry : {};
    const carry: Record<string, unknown> = {};
    const outcome = await withCopy(file.path, (db) => {
      const parts = this.#client.database?.(db, file, (session, changed) => {
        carry[session] = changed;
        return before[session] === changed;
      });
      const rest = Object.keys(before).length > 0 ? cursor : undefined;
      if (rest) this.#services.count.seen(rest.seen);
      return this.#whole(file, parts ?? [], { head: "", carry }, rest);
    });
    if (outcome.ok) return outcome.value;
    this.#services.count.unreadable({ file: file.path, reason: outcome.error });
    return ok(undefined);
  }

  async #whole(
    file: SourceFile,
    parts: Iterable<ParsedPart>,
    place: Pick<ImportCursor, "head" | "carry">,
    before?: ImportCursor,
  ): Promise<Result<void, Failure>> {
    const into = new FileImport(this.#services, file, before);
    for (const part of parts) {
      const outcome = await into.take(part);
      if (!outcome.ok) return outcome;
      const isStopped = this.#signal.aborted;
      const saved = isStopped || into.isFull ? await this.#save(file, into, undefined) : ok(undefined);
      if (isStopped || !saved.ok) return saved;
    }
    const left = await into.leave();
    return left.ok ? this.#save(file, into, { ...place, offset: file.size, line: 0 }) : left;
  }

  /**
   * With what waits to be written. Without a place the file is read again the next time, and what is here is known; so is
   * one of which something was not wanted.
   */
  async #save(
    file: SourceFile,
    into: FileImport,
    place: Pick<ImportCursor, "offset" | "line" | "head" | "carry"> | undefined,
  ): Promise<Result<void, Failure>> {
    const { batch, client } = this.#services;
    const written = await into.write();
    if (!written.ok) return written;
    const { path, mtime } = file;
    const [sessions, seen, { version }] = [{ ...into.sessions }, { ...into.seen }, this.#client];
    if (place && !into.isPartial) {
      const cursor = { ...place, size: Math.min(place.offset, file.size), mtime, version, sessions, seen };
      batch.addCursor((db) => saveCursor(db, client, path, cursor));
    }
    return batch.isFull() ? batch.commit() : ok(undefined);
  }
}
