// The memory files of one work tree together with what is still to be written into them.
import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { errorCode } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { realPath } from "../../permission/path.ts";
import { type Fault, fault, faultAt, faultOf } from "../../store/fault.ts";
import { updateFile } from "../../store/update-file.ts";
import { type Appending, type FileJournal, journalOf } from "./journal.ts";
import type { MemoryFileLine } from "./lines.ts";
import { type FileMemory, memoryOf, merge, noMemory, printFileMemory, readFileMemory, recordLines } from "./merge.ts";
import { stillTrue } from "./optimise.ts";
import { filePlaces, stampOf } from "./places.ts";

export type RepositoryFilesOptions = {
  /** The root of the work tree. */
  root: string;
  /** EVERLONG_HOME: journal and locks. */
  home: string;
  /** Where `locks/` for shared files is. */
  locks: string;
  /** The seed's own flag turned file memory on. */
  seed: boolean;
};
type RepositoryMemory = { all: FileMemory; waiting: FileMemory };
export type SettleReport = { records: number; merged: number; optimised: boolean; unparsed: number };

/** A file of this size was not made by people remembering things. */
const MAX_BYTES = 16 * 1024 * 1024;

export class RepositoryFiles {
  readonly #options: RepositoryFilesOptions;
  readonly #journal: FileJournal;

  constructor(options: RepositoryFilesOptions) {
    this.#options = options;
    this.#journal = journalOf(options.home, realPath(options.root, "/") ?? options.root);
  }

  /** Names of files that lead out of the repository. */
  get refused(): string[] {
    return this.#places().refused;
  }

  stamp(): number {
    return stampOf([...this.#places().files, this.#journal.path]);
  }

  append<T>(work: () => Promise<Appending<T>>, signal: AbortSignal): Promise<Result<T, Fault>> {
    return this.#journal.append(work, signal);
  }

  async load(): Promise<Result<RepositoryMemory, Fault>> {
    const waiting = await this.#journal.read();
    if (!waiting.ok) return waiting;
    const files = await this.#read();
    return files.ok
      ? ok({ all: files.value.map(({ memory }) => memory).reduce(merge, waiting.value), waiting: waiting.value })
      : files;
  }

  /**
   * Merges what waits into the files. `made` are lines that a model made from `seen`. Undefined: there was nothing to do,
   * and no file was touched. After a failure the journal is as it was.
   */
  async settle(
    { made, seen }: { made: readonly MemoryFileLine[]; seen: FileMemory },
    signal: AbortSignal,
  ): Promise<Result<SettleReport | undefined, Fault>> {
    let outcome: Result<SettleReport | undefined, Fault> = ok(undefined);
    const drained = await this.#journal.drain(async (waiting) => {
      if (waiting.lines.size === 0 && waiting.claims.size === 0) return true;
      outcome = await this.#write(waiting, made, seen, signal);
      return outcome.ok;
    }, signal);
    return drained.ok ? outcome : drained;
  }

  async #write(
    waiting: FileMemory,
    replacements: readonly MemoryFileLine[],
    seen: FileMemory,
    signal: AbortSignal,
  ): Promise<Result<SettleReport, Fault>> {
    const { target } = this.#places();
    const files = await this.#read();
    if (!files.ok) return files;
    const all = files.value.map(({ memory }) => memory).reduce(merge, waiting);
    const current = stillTrue(replacements, seen, all);
    const added = merge(waiting, memoryOf(current));
    const idsByFile = files.value.map(({ path, memory }) => ({ path, ids: idsOf(memory) }));
    const isElsewhere = ({ id }: MemoryFileLine): boolean =>
      idsByFile.some(({ path, ids }) => path !== target && ids.has(id));
    for (const { path, ids } of idsByFile) {
      const lines = [...added.lines.values()].filter((line) =>
        path === target ? !isElsewhere(line) : ids.has(line.id),
      );
      const claims = new Map([...added.claims].filter(([id]) => ids.has(id)));
      const share = merge(memoryOf(lines), { ...noMemory, claims });
      if (share.lines.size === 0 && share.claims.size === 0) continue;
      const change = async () => {
        const now = await readAt(path);
        if (!now.ok) return now;
        return now.value.isText ? ok(printFileMemory(merge(now.value.memory, share))) : fail(notText(path));
      };
      const written = await updateFile<Fault>(path, change, { private: false, locks: this.#options.locks, signal });
      if (!written.ok) return written;
    }
    if (target === undefined && added.lines.size > 0)
      return fail(faultAt("unsafe_path", this.#options.root, LEADS_OUT));
    const result = merge(all, added);
    return ok({
      records: recordLines(result).length,
      merged: recordLines(added).length,
      optimised: current.length > 0,
      unparsed: [...result.unread.values()].reduce((sum, n) => sum + n, 0),
    });
  }

  /** The target is always among them, empty when it is not there yet. */
  async #read(): Promise<Result<{ path: string; memory: FileMemory }[], Fault>> {
    const files: { path: string; memory: FileMemory }[] = [];
    for (const path of this.#places().files) {
      const read = await readAt(path);
      if (!read.ok) return read;
      files.push({ path, memory: read.value.memory });
    }
    return ok(files);
  }

  #places() {
    return filePlaces(this.#options.root, this.#options.seed);
  }
}

const LEADS_OUT = "its memory file leads out of the repository by a link";

const idsOf = ({ lines, claims }: FileMemory): Set<string> =>
  new Set([...claims.keys(), ...[...lines.values()].map(({ id }) => id)]);

const notText = (path: string): Fault =>
  fault("unsafe_path", `${path} is not UTF-8 text: writing it would lose bytes of it.`, "Save it as UTF-8.");

/** `isText`: its bytes are UTF-8, so that what is printed of it can be what it was. */
async function readAt(path: string): Promise<Result<{ memory: FileMemory; isText: boolean }, Fault>> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return fail(faultAt("unsafe_path", path, "it is not a plain file"));
      if (stat.size > MAX_BYTES) return fail(faultAt("too_large", path, "a memory file has at most 16 MB"));
      const bytes = await handle.readFile();
      return ok({ memory: readFileMemory(bytes.toString("utf8")), isText: isUtf8(bytes) });
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = errorCode(error);
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    return isMissing ? ok({ memory: noMemory, isText: true }) : fail(faultOf(error, path));
  }
}
