// Memories in a file of the repository: storing journals a line, ending a session merges the journal into the file.
import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import type { MemoryFileLine } from "../file/lines.ts";
import { invalidList, listOf } from "../file/list.ts";
import { noMemory, recordLines } from "../file/merge.ts";
import { type AskModel, optimise } from "../file/optimise.ts";
import {
  changedLine,
  deletedLine,
  type FileEntry,
  knowsFact,
  lineOfDraft,
  oneOf,
  recordOfLine,
} from "../file/record-line.ts";
import { RepositoryFiles, type RepositoryFilesOptions, type SettleReport } from "../file/repository-files.ts";
import type { Redactor, SecretFilter } from "../secret/filter.ts";
import { choiceOf } from "./choose-lines.ts";
import type {
  Conflict,
  Edited,
  Failed,
  ListOutcome,
  ListQuery,
  MemoryRecord,
  NotFound,
  PromptAsk,
  RecordDraft,
  Skip,
  StoreResult,
  Strategy,
} from "./contract.ts";
import { promptOf } from "./embedded/strategy.ts";
import { CANCELLED, failedBy } from "./failure.ts";
import { fold } from "./fold.ts";
import { storeDefinition } from "./tool/definition.ts";
import type { WorkTree } from "./write-contract.ts";

export type JsonlOptions = RepositoryFilesOptions & {
  /** Key of the repository that the file belongs to. */
  repository: string;
  /** The folder is trusted: only then the file is read or written. */
  trusted: boolean;
  redactor: Redactor;
  newId: () => string;
  clock: Clock;
  /** What is shown is filtered again, and what a line holds beside its record. */
  redact: SecretFilter;
  tree?: WorkTree;
  /** One call of the session's model; absent where optimising is off or the model cannot do it. */
  optimise?: AskModel;
  onWritten?: (written: SettleReport) => void;
  /** What the user must know: unreadable lines, a file that cannot be written. */
  onWarning?: (message: string) => void;
};

export function openJsonl(options: JsonlOptions): Strategy | Skip {
  if (options.trusted) return new JsonlStrategy(options);
  const message = `the folder ${options.root} is not trusted, so its memory file is not used (\`everlong trust\`).`;
  return { type: "skipped", reason: "untrusted_folder", message };
}

type Changed = { type: "changed"; record: MemoryRecord } | Conflict | NotFound | Failed;
type SameFact = Extract<Edited, { type: "same_fact" }>;
const unsupported = { type: "unsupported" } as const;
const notPending = { type: "not_pending" } as const;

class JsonlStrategy implements Strategy {
  readonly kind = "jsonl";
  readonly supportsVoting = false;
  readonly supportsScopes = false;
  readonly #options: JsonlOptions;
  readonly #files: RepositoryFiles;
  /** Records by the text of their line, so that no line is filtered twice. */
  #read = new Map<string, MemoryRecord | undefined>();
  #looked: { stamp: number; entries: Promise<Result<FileEntry[], Fault>> } | undefined;
  #leftovers: Promise<void> | undefined;
  #warned = new Set<string>();

  constructor(options: JsonlOptions) {
    this.#options = options;
    this.#files = new RepositoryFiles(options);
  }

  async prompt(ask: PromptAsk, signal: AbortSignal) {
    this.#leftovers ??= this.#settle([], signal); // of a process that was killed
    await this.#leftovers;
    const entries = await this.#entries();
    if (!entries.ok) return { ...unread(entries.error), code: entries.error.code };
    const choice = choiceOf(entries.value.map(({ record }) => record));
    if (choice.all.length > 0) await this.#options.tree?.look?.();
    const answer = promptOf(choice, ask, this.#options);
    return { type: "prompted" as const, answer: { ...answer, tools: { store: storeDefinition(false) } } };
  }

  async find(fact: string, { scope }: { scope?: string }, _signal: AbortSignal) {
    if (scope === "user") return { type: "absent" as const, near: [] };
    const loaded = await this.#files.load();
    if (!loaded.ok) return unread(loaded.error);
    const wanted = fold(fact);
    const records = recordLines(loaded.value.all).map((line) => this.#recordOf(line));
    const record = records.find((one) => one !== undefined && fold(one.fact) === wanted);
    if (record) return { type: "found" as const, record };
    const isDeleted = [...loaded.value.all.lines.values()].some((line) => knowsFact(line, wanted));
    return isDeleted ? { type: "deleted" as const } : { type: "absent" as const, near: [] };
  }

  async store(draft: RecordDraft, signal: AbortSignal): Promise<StoreResult> {
    if (draft.scope !== "repository") return { type: "refused", code: "invalid_scope", message: ONE_SCOPE };
    const outcome = await this.#files.append<StoreResult>(async () => {
      if (signal.aborted) return { outcome: CANCELLED };
      const same = await this.find(draft.fact, {}, signal);
      if (same.type === "failed") return { outcome: same };
      if (same.type === "found") {
        const { id, status } = same.record;
        return { outcome: { type: "already_stored", id, status: status.type } };
      }
      if (same.type === "deleted" && !draft.revive) return { outcome: { type: "deleted_before" } };
      const line = lineOfDraft(draft, this.#options.clock.now());
      const record = this.#recordOf(line);
      // What cannot be read again is not written either.
      return record ? { lines: [line], outcome: { type: "stored", record } } : { outcome: UNREADABLE };
    }, signal);
    return outcome.ok ? outcome.value : failed(outcome.error);
  }

  async vote() {
    return unsupported;
  }

  async list(query: ListQuery, _signal: AbortSignal): Promise<ListOutcome> {
    const invalid = invalidList(query);
    if (invalid) return invalid;
    if (query.scope === "user" || !this.#sees(query.place?.repository)) return { type: "listed", records: [] };
    const entries = await this.#look();
    if (!entries.ok) return unread(entries.error);
    return listOf(
      entries.value.map(({ record }) => record),
      query,
    );
  }

  async get(id: string, { place }: Parameters<Strategy["get"]>[1], _signal: AbortSignal) {
    const entries = await this.#look();
    if (!entries.ok) return unread(entries.error);
    const entry = oneOf(this.#sees(place?.repository) ? entries.value : [], id);
    return entry.type === "one" ? { type: "got" as const, record: entry.entry.record } : entry;
  }

  async edit(...[id, change, by, signal]: Parameters<Strategy["edit"]>) {
    const outcome = await this.#change<SameFact>(id, by, signal, (entry, all) => {
      const fact = fold(change.fact ?? entry.record.fact);
      const isSame = ({ record }: FileEntry): boolean => record.id !== entry.record.id && fold(record.fact) === fact;
      const same = fact === fold(entry.record.fact) ? undefined : all.find(isSame);
      return same ? { type: "same_fact", id: same.record.id } : [changedLine(entry, change, this.#now())];
    });
    return outcome.type === "changed" ? { type: "edited" as const, record: outcome.record } : outcome;
  }

  async delete(...[id, by, signal]: Parameters<Strategy["delete"]>) {
    const outcome = await this.#change<never>(id, by, signal, (entry) => [deletedLine(entry, this.#now())]);
    return outcome.type === "changed" ? { type: "deleted" as const, id: outcome.record.id } : outcome;
  }

  async resolve(...[id, resolution, by, signal]: Parameters<Strategy["resolve"]>) {
    const outcome = await this.#change<typeof notPending>(id, by, signal, (entry, all) => {
      const now = this.#now();
      if (entry.record.status.type !== "pending") return notPending;
      if (resolution.how === "reject") return [deletedLine(entry, now)];
      const accepted = changedLine(entry, { status: { type: "active" } }, now);
      if (resolution.how === "accept") return [accepted];
      const old = oneOf(all, resolution.old);
      if (old.type !== "one" || old.entry.record.status.type !== "active") return notPending;
      return [accepted, changedLine(old.entry, { status: { type: "superseded", by: entry.record.id } }, now)];
    });
    if (outcome.type === "conflict") return notPending;
    if (outcome.type !== "changed") return outcome;
    return { type: "resolved" as const, record: resolution.how === "reject" ? undefined : outcome.record };
  }

  async changes() {
    return unsupported;
  }

  generation(): number {
    return this.#files.stamp();
  }

  async shutdown(signal: AbortSignal): Promise<void> {
    const { optimise: ask, repository, redactor, newId } = this.#options;
    const loaded = await this.#files.load();
    const isWaiting = loaded.ok && loaded.value.waiting.lines.size > 0;
    const newLines =
      ask && isWaiting ? await optimise(loaded.value.all, { ask, repository, redactor, newId }, signal) : [];
    await this.#settle(newLines, signal, loaded.ok ? loaded.value.all : noMemory);
  }

  async #settle(lines: readonly MemoryFileLine[], signal: AbortSignal, seen = noMemory): Promise<void> {
    const settled = await this.#files.settle({ made: lines, seen }, signal);
    if (!settled.ok) {
      const { what, next = "" } = settled.error;
      this.#warn(`${what} What was remembered is kept in EVERLONG_HOME and written later. ${next}`.trim());
    } else if (settled.value) this.#options.onWritten?.(settled.value);
  }

  /** Looked at and changed under one lock. `make` gives the lines, that of the record first, or why there are none. */
  async #change<T extends { type: string }>(
    id: string,
    by: Parameters<Strategy["delete"]>[1],
    signal: AbortSignal,
    make: (entry: FileEntry, all: readonly FileEntry[]) => MemoryFileLine[] | T,
  ): Promise<Changed | T> {
    const outcome = await this.#files.append<Changed | T>(async () => {
      if (signal.aborted) return { outcome: CANCELLED };
      const entries = await this.#entries();
      if (!entries.ok) return { outcome: unread(entries.error) };
      const match = oneOf(this.#sees(by.place?.repository) ? entries.value : [], id);
      if (match.type !== "one") return { outcome: match };
      const { record } = match.entry;
      if (by.version !== undefined && by.version !== record.version)
        return { outcome: { type: "conflict", current: record } };
      const lines = make(match.entry, entries.value);
      if (!Array.isArray(lines)) return { outcome: lines };
      const changed = lines[0] && this.#recordOf(lines[0]);
      return { lines, outcome: { type: "changed", record: changed ?? record } };
    }, signal);
    return outcome.ok ? outcome.value : failed(outcome.error);
  }

  #now() {
    return { now: this.#options.clock.now(), redact: this.#options.redact };
  }

  #sees(repository: string | undefined): boolean {
    return repository === undefined || repository === this.#options.repository;
  }

  /** For looking only: read again when a file has moved. Sixty records are asked for at once after each write. */
  #look(): Promise<Result<FileEntry[], Fault>> {
    const stamp = this.#files.stamp();
    if (this.#looked?.stamp !== stamp) {
      const entries = this.#entries();
      const looked = { stamp, entries };
      this.#looked = looked;
      void entries.then(({ ok }) => {
        if (!ok && this.#looked === looked) this.#looked = undefined;
      });
    }
    return this.#looked.entries;
  }

  async #entries(): Promise<Result<FileEntry[], Fault>> {
    const { refused } = this.#files;
    for (const name of refused) this.#warn(`${name} links to a file outside the repository and is not used.`);
    const loaded = await this.#files.load();
    if (!loaded.ok) return loaded;
    const { unread } = loaded.value.all;
    if (unread.size > 0) this.#warn(`${unread.size} lines of the memory file cannot be read; they stay as they are.`);
    const entries = recordLines(loaded.value.all).flatMap((line): FileEntry[] => {
      const record = this.#recordOf(line);
      return record ? [{ line, record }] : [];
    });
    return { ok: true, value: entries };
  }

  #recordOf(line: MemoryFileLine): MemoryRecord | undefined {
    if (line.gone) return undefined;
    if (!this.#read.has(line.text)) {
      this.#read.set(line.text, recordOfLine(line, this.#options.repository, this.#options.redactor));
    }
    return this.#read.get(line.text);
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#options.onWarning?.(message);
  }
}

const ONE_SCOPE = 'memories of a file belong to its repository: "scope" may not be "user".';

const UNREADABLE: Failed = { type: "failed", cause: "the line could not be read again.", mayBeStored: false };

/** Who only looked has written nothing, whatever the disk said. */
const unread = (fault: Fault): Failed => failedBy(fault, false);
/** After an error of the disk nobody can say whether the line was written. */
const failed = (fault: Fault): Failed => failedBy(fault, fault.code === "store_io");
