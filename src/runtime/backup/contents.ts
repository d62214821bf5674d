// What goes into a backup, in the order that keeps it consistent: an index before the logs it was made from, so that it is never ahead.
import { randomBytes } from "node:crypto";
import { constants, existsSync, mkdirSync, rmdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorText } from "../../base/failure.ts";
import { homeFiles } from "../../store/home-files.ts";
import { openDatabase, sqlite } from "../../store/sqlite.ts";
import { belongsInBackup, isDatabase } from "./manifest.ts";

export type BackupEntry = { path: string; handle: FileHandle; size: number; executable: boolean };
type Contents = {
  entries(): AsyncGenerator<BackupEntry>;
  /** Files that belong in but could not be read, with the reason. */
  leftOut: { path: string; reason: string }[];
  /** Links: what they lead to is not Everlong's. */
  links: string[];
  /** Removes the copies of databases. */
  dispose(): void;
};

const CHUNK = 64 * 1024;
/** All pages in one step: a copy that others keep writing to would otherwise begin again and again. */
const ALL_PAGES = 2 ** 31 - 1;

export function backupContents(home: string, withSecrets: boolean): Contents {
  const copies = join(home, "backups", `copy-${randomBytes(6).toString("hex")}`);
  const leftOut: Contents["leftOut"] = [];
  const links: string[] = [];

  async function* entries(): AsyncGenerator<BackupEntry> {
    const files = [...homeFiles(home)];
    links.push(...files.filter(({ stat }) => stat.isSymbolicLink()).map(({ path }) => path));
    const plain = files.filter(({ path, stat }) => !stat.isSymbolicLink() && belongsInBackup(path, withSecrets));
    for (const path of inOrder(plain.map((file) => file.path))) {
      const entry = await openEntry(path).catch((error: unknown) => errorText(error));
      if (entry === undefined) continue;
      if (typeof entry === "string") {
        leftOut.push({ path, reason: entry });
        continue;
      }
      try {
        yield entry;
      } finally {
        await entry.handle.close();
      }
    }
  }

  /** Undefined: gone meanwhile. Text: why it cannot be read. */
  async function openEntry(path: string): Promise<BackupEntry | string | undefined> {
    const absolute = join(home, path);
    if (!existsSync(absolute)) return undefined;
    const source = isDatabase(path) ? await copyDatabase(absolute) : { ok: true as const, file: absolute };
    if (!source.ok) return source.reason;
    const handle = await open(source.file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    // The copy lives on while it is open, and goes with the process if it dies.
    if (source.file !== absolute) rmSync(source.file);
    const stat = await handle.stat();
    if (!stat.isFile()) {
      await handle.close();
      return "it is not a plain file";
    }
    const size = path.endsWith(".jsonl") ? await wholeLines(handle, stat.size) : stat.size;
    return { path, handle, size, executable: (stat.mode & 0o100) !== 0 };
  }

  async function copyDatabase(from: string): Promise<{ ok: true; file: string } | { ok: false; reason: string }> {
    const file = join(copies, randomBytes(6).toString("hex"));
    mkdirSync(copies, { recursive: true, mode: 0o700 });
    const db = await openDatabase(from);
    if (!db.ok) return { ok: false, reason: db.error.what };
    try {
      await sqlite().backup(db.value, file, { rate: ALL_PAGES });
      return { ok: true, file };
    } catch (error) {
      return { ok: false, reason: errorText(error) };
    } finally {
      db.value.close();
    }
  }

  return { entries, leftOut, links, dispose: () => removeCopies(copies) };
}

function removeCopies(copies: string): void {
  rmSync(copies, { recursive: true, force: true });
  try {
    rmdirSync(dirname(copies));
  } catch {
    // Other copies are in it, or it was never made.
  }
}

/** store.db, then session databases, then logs, then all that logs point to. */
function inOrder(paths: string[]): string[] {
  const rank = (path: string): number =>
    path === "store.db" ? 0 : isDatabase(path) ? 1 : path.endsWith(".jsonl") ? 2 : 3;
  return paths.sort((a, b) => rank(a) - rank(b));
}

/** Up to the end of the last whole line: the writer may be in the middle of the next one. */
async function wholeLines(handle: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - CHUNK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - from), 0, end - from, from);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at !== -1) return from + at + 1;
    end = from;
  }
  return 0;
}
