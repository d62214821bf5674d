// Reads a backup from end to end and trusts nothing in it: names, kinds of entries, sizes and hashes are checked.
import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { errorText, type Failure, refusal } from "../../base/failure.ts";
import { parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import {
  type BackupFile,
  type BackupManifest,
  backupManifest,
  badPath,
  MANIFEST,
  MAX_MANIFEST_BYTES,
} from "./manifest.ts";

/** Takes the bytes of one file; what it throws is the machine's fault and ends the reading. */
export type FileSink = (path: string, executable: boolean, chunks: AsyncIterable<Uint8Array>) => Promise<void>;

/** Says why the archive cannot be trusted. */
class Refused extends Error {}

const discard: FileSink = async (_path, _executable, chunks) => {
  for await (const _ of chunks);
};

/** The manifest, once every file in the archive is what the manifest says, and nothing else is there. */
export async function readArchive(file: string, sink: FileSink = discard): Promise<Result<BackupManifest, Failure>> {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile()) throw new Refused(stat ? "it is not a file" : "no such file");
    const decoder = createTarDecoder({ strict: true });
    const source = createReadStream(file);
    const bytes = createGunzip();
    source.on("error", (error) => bytes.destroy(error)).pipe(bytes);
    try {
      return ok(await readEntries(Readable.toWeb(bytes).pipeThrough(decoder), sink));
    } finally {
      source.destroy();
      bytes.destroy();
    }
  } catch (error) {
    return fail(invalid(file, error instanceof Refused ? error.message : unreadable(error)));
  }
}

async function readEntries(entries: ReadableStream<ParsedTarEntry>, sink: FileSink): Promise<BackupManifest> {
  const files = new Map<string, BackupFile>();
  let manifest: BackupManifest | undefined;
  for await (const { header, body } of entries) {
    const path = header.name;
    if (manifest) throw new Refused(`${path} comes after the list of files`);
    if (header.type !== "file") throw new Refused(`${path} is a ${header.type}, not a plain file`);
    if (path === MANIFEST) {
      manifest = await readManifest(header.size, body);
      continue;
    }
    const wrong = badPath(path) ?? (clashes(files, path) ? "appears twice" : undefined);
    if (wrong) throw new Refused(`${path} ${wrong}`);
    const hash = createHash("sha256");
    let size = 0;
    await sink(
      path,
      ((header.mode ?? 0) & 0o100) !== 0,
      (async function* () {
        for await (const chunk of body) {
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      })(),
    );
    files.set(path, { path, size, sha256: hash.digest("hex") });
  }
  if (!manifest) throw new Refused("it has no list of files: it is incomplete, or not an Everlong backup");
  compare(manifest, files);
  return manifest;
}

/** A file where another has a folder is the same name used twice. */
function clashes(files: ReadonlyMap<string, BackupFile>, path: string): boolean {
  if (files.has(path)) return true;
  const names = path.split("/");
  return names.some((_, i) => i > 0 && files.has(names.slice(0, i).join("/")));
}

async function readManifest(size: number, body: AsyncIterable<Uint8Array>): Promise<BackupManifest> {
  if (size > MAX_MANIFEST_BYTES) throw new Refused("its list of files is too long");
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const parsed = parseJson(Buffer.concat(chunks).toString("utf8"));
  const manifest = backupManifest.safeParse(parsed.ok ? parsed.value : undefined);
  if (!manifest.success) throw new Refused("its list of files cannot be read; a newer everlong may have made it");
  return manifest.data;
}

function compare(manifest: BackupManifest, files: ReadonlyMap<string, BackupFile>): void {
  const listed = new Map(manifest.files.map((file) => [file.path, file]));
  for (const { path, size, sha256 } of listed.values()) {
    const file = files.get(path);
    if (!file) throw new Refused(`${path} is missing`);
    if (file.size !== size || file.sha256 !== sha256) throw new Refused(`${path} was changed`);
  }
  for (const path of files.keys()) if (!listed.has(path)) throw new Refused(`${path} is not in its list of files`);
}

/** The decoders tell of bytes that are no archive by a bare TypeError, whose reason is its cause. */
const unreadable = (error: unknown): string =>
  error instanceof TypeError ? "it is damaged, or not an Everlong backup" : errorText(error);

const invalid = (file: string, reason: string): Failure =>
  refusal("backup_invalid", `${file} cannot be used as a backup: ${reason}.`, "Use another backup.");
