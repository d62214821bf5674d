// Whether a database that is open still is the file at its path: SQLite itself goes on with a file that was removed.
import { fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { errorCode } from "../base/failure.ts";

const HEADER = "SQLite format 3\0";

export class FileWatch {
  readonly #path: string;
  /** Open as long as the process: closing any descriptor of the file would drop SQLite's locks on it. */
  readonly #fd: number | undefined;
  readonly #file: Stats | undefined;
  #wasFilled = false;

  /** The database has just been opened. */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#fd = openSync(path, "r");
      this.#file = fstatSync(this.#fd);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error; // removed this very moment
    }
  }

  /** What is wrong with the file; undefined when it is the one that was opened. */
  finding(): string | undefined {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (!stat || !this.#file || this.#fd === undefined) return "store_gone: the file was removed or moved";
    if (stat.ino !== this.#file.ino || stat.dev !== this.#file.dev) return "store_gone: the file was replaced";
    const header = Buffer.alloc(HEADER.length);
    readSync(this.#fd, header, 0, HEADER.length, 0);
    // A new database is empty until its log is moved into it.
    if (stat.size === 0 && (this.#wasFilled || this.#file.size > 0)) return "store_corrupt: the file was emptied";
    this.#wasFilled ||= stat.size > 0;
    if (stat.size > 0 && header.toString("latin1") !== HEADER) return "store_corrupt: the file was overwritten";
    return undefined;
  }
}
