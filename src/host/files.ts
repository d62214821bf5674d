// Files read within bounds and written whole: never through a link that was not checked, never half.
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { chmod, link, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, errorText } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";

export type FileError = {
  code: "not_found" | "not_a_file" | "too_large" | "exists" | "failed";
  message: string;
};

/**
 * The path with every link on it resolved; of a path that does not exist yet, its nearest existing folder is resolved.
 * This is the path to judge and then to open.
 */
export function realTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path); // not there yet: judged by where it would come to lie
    return parent === path ? path : join(realTarget(parent), basename(path));
  }
}

/** The same for a path that must be there; undefined when it is not, or cannot be looked at. */
export function existingTarget(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // nothing there to show
  }
}

/**
 * The folder of a judged path, held open, as a path that leads into it and nowhere else: whoever puts a link into its
 * place, or into a place above it, after it was judged, gains nothing. Throws when that has happened already.
 */
function holdFolder(folder: string): { path: string; release: () => void } {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const path = `/proc/self/fd/${fd}`;
  try {
    const lies = readlinkSync(path);
    if (lies !== folder) throw Object.assign(new Error(`it leads to ${lies} now`), { code: "ELOOP" });
    return { path, release: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    if (errorCode(error) === "ELOOP") throw error;
    return { path: folder, release: () => undefined }; // no /proc on this system: the folder by its name
  }
}

type OpenFile = { fd: number; size: number; mode: number };

/** Opens a regular file by its real path. A link, pipe, device or folder in its place is refused, without waiting on it. */
export function openRegular(path: string): Result<OpenFile, FileError> {
  let fd: number;
  try {
    const folder = holdFolder(dirname(path));
    try {
      fd = openSync(
        join(folder.path, basename(path)),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
    } finally {
      folder.release();
    }
  } catch (error) {
    return fail(fileError(error, path));
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) return ok({ fd, size: stat.size, mode: stat.mode & 0o7777 });
  closeSync(fd);
  return fail({ code: "not_a_file", message: `${path} is ${stat.isDirectory() ? "a folder" : "not a regular file"}.` });
}

/** The whole file, if it is no larger than the bound. */
export function readWhole(path: string, maxBytes: number): Result<{ bytes: Buffer; mode: number }, FileError> {
  const opened = openRegular(path);
  if (!opened.ok) return opened;
  const { fd, size, mode } = opened.value;
  try {
    if (size > maxBytes)
      return fail({ code: "too_large", message: `${path} has ${size} bytes; the limit is ${maxBytes}.` });
    return ok({ bytes: readAt(fd, 0, size), mode });
  } catch (error) {
    return fail(fileError(error, path));
  } finally {
    closeSync(fd);
  }
}

/** The bytes from there on, fewer when the file ends before. */
export function readAt(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for (let n = -1; n !== 0 && filled < length; filled += n)
    n = readSync(fd, bytes, filled, length - filled, from + filled);
  return bytes.subarray(0, filled);
}

/** True for what is no text: a NUL byte near the start. */
export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8192).includes(0);
}

/** The text, or undefined when the bytes are not valid UTF-8. A byte order mark stays in the text. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // the decoder throws on the first invalid byte
  }
}

/** A new file, all of it or nothing; folders are made. Fails with `exists` and leaves what is there. */
export async function createWhole(path: string, bytes: Uint8Array, mode = 0o666): Promise<Result<void, FileError>> {
  try {
    await mkdir(dirname(path), { recursive: true });
    // A link is made only where nothing is: the one step that both tests and writes.
    return await throughTemporary(path, bytes, mode, (temporary, target) => link(temporary, target));
  } catch (error) {
    return fail(fileError(error, path));
  }
}

/** Replaces a file, all of it or nothing, with the given permission bits. */
export async function replaceWhole(path: string, bytes: Uint8Array, mode: number): Promise<Result<void, FileError>> {
  try {
    return await throughTemporary(path, bytes, mode, async (temporary, target) => {
      await chmod(temporary, mode); // the process's umask must not narrow what the file had
      await rename(temporary, target);
    });
  } catch (error) {
    return fail(fileError(error, path));
  }
}

async function throughTemporary(
  path: string,
  bytes: Uint8Array,
  mode: number,
  put: (temporary: string, target: string) => Promise<void>,
): Promise<Result<void, FileError>> {
  const folder = holdFolder(dirname(path));
  const temporary = join(folder.path, `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const file = await open(temporary, flags, mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await put(temporary, join(folder.path, basename(path)));
    return ok(undefined);
  } finally {
    await rm(temporary, { force: true });
    folder.release();
  }
}

function fileError(error: unknown, path: string): FileError {
  switch (errorCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return { code: "not_found", message: `${path} does not exist.` };
    case "EEXIST":
      return { code: "exists", message: `${path} already exists.` };
    case "ELOOP":
      return { code: "not_a_file", message: `${path} is a symbolic link.` };
    default:
      return { code: "failed", message: `${path}: ${errorText(error)}` };
  }
}
