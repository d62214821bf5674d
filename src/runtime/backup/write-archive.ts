// Writes a backup: files streamed into one .tar.gz, never whole in memory, under its name only when it is complete.
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createTarPacker, type TarPackController } from "modern-tar";
import { errorCode, type Failure, systemReason } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { BackupEntry } from "./contents.ts";
import { type BackupFile, type BackupManifest, MANIFEST } from "./manifest.ts";

const CHUNK = 1024 * 1024;

/** A file that others made shorter while it was read. */
class Shrunk extends Error {}

type ArchiveParts = {
  entries: AsyncIterable<BackupEntry>;
  /** Called when all files are in. */
  manifest: (files: BackupFile[]) => BackupManifest;
  now: Date;
};

/** Gives the size of the archive. An existing file is never written over. */
export async function writeArchive(
  path: string,
  parts: ArchiveParts,
): Promise<Result<{ bytes: number; files: number }, Failure>> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  const { readable, controller } = createTarPacker();
  let count = 0;
  try {
    const packed = pack(controller, parts).then((files) => {
      count = files;
    });
    const out = createWriteStream(draft, { flags: "wx", mode: 0o600 });
    await Promise.all([packed, pipeline(Readable.fromWeb(readable), createGzip(), out)]);
    const handle = await open(draft);
    await handle.sync();
    const { size } = await handle.stat();
    await handle.close();
    await takeName(draft, path);
    return ok({ bytes: size, files: count });
  } catch (error) {
    return fail(failed(path, error));
  } finally {
    await rm(draft, { force: true });
  }
}

/** The name is taken first, so that no file of somebody else is replaced. Works on disks without hard links too. */
async function takeName(draft: string, path: string): Promise<void> {
  await (await open(path, "wx", 0o600)).close();
  try {
    await rename(draft, path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function pack(controller: TarPackController, { entries, manifest, now }: ArchiveParts): Promise<number> {
  const files: BackupFile[] = [];
  const add = async (path: string, size: number, mode: number, chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    const hash = createHash("sha256");
    const writer = controller.add({ name: path, size, mode, type: "file", mtime: now }).getWriter();
    for await (const chunk of chunks) {
      hash.update(chunk);
      await writer.write(chunk);
    }
    await writer.close();
    files.push({ path, size, sha256: hash.digest("hex") });
  };
  try {
    for await (const entry of entries)
      await add(entry.path, entry.size, entry.executable ? 0o700 : 0o600, chunksOf(entry));
    const text = Buffer.from(`${JSON.stringify(manifest([...files]), undefined, 1)}\n`);
    await add(MANIFEST, text.length, 0o600, Readable.from([text]));
    controller.finalize();
    return files.length - 1;
  } catch (error) {
    controller.error(error);
    throw error;
  }
}

async function* chunksOf({ handle, size, path }: BackupEntry): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const length = Math.min(CHUNK, size - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new Shrunk(`${path} became shorter while it was read`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function failed(path: string, error: unknown): Failure {
  const common = { code: "backup_failed", data: "No backup was made. Your data is unchanged.", exit: 1 } as const;
  if (errorCode(error) === "EEXIST")
    return { ...common, what: `${path} already exists.`, next: "Give another file name.", exit: 2 };
  const next = error instanceof Shrunk ? "Try again." : "Check the folder and the free space there, then try again.";
  return { ...common, what: `The backup could not be written to ${path}: ${systemReason(error)}.`, next };
}
