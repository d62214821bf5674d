// `everlong backup restore`: checked as a whole first, unpacked beside home, then put in its place by renaming.
import { randomBytes } from "node:crypto";
import { createWriteStream, existsSync, readdirSync, realpathSync, renameSync, statfsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorText, type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { homePaths } from "../../host/paths.ts";
import { processEnvironment } from "../../settings/environment.ts";
import { resolveHome } from "../../settings/home.ts";
import { prepareHome } from "../../store/home.ts";
import { homeFiles } from "../../store/home-files.ts";
import { holdHomeAlone } from "../../store/home-lock.ts";
import { fileKinds } from "../../store/kinds.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { homeBusy } from "../home-busy.ts";
import { openStore } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import type { BackupManifest } from "./manifest.ts";
import { type FileSink, readArchive } from "./read-archive.ts";

type RestoreSummary = {
  home: string;
  files: number;
  createdAt: string;
  /** Where the old home lies now. */
  movedTo?: string;
};

export async function restoreBackup(
  file: string,
  options: { replace?: boolean } = {},
): Promise<Result<RestoreSummary, Failure>> {
  const env = processEnvironment();
  const refused = refuseInToolShell(env, "restore a backup");
  if (refused) return fail(refused);
  const wanted = resolveHome(env);
  if (!wanted.ok) return wanted;
  const home = existsSync(wanted.value) ? realpathSync(wanted.value) : wanted.value;
  const archive = resolve(file);
  const checked = await readArchive(archive);
  if (!checked.ok) return checked;
  if ((checked.value.schema ?? 0) > storeMigrations.length) return fail(tooNew(archive, checked.value));
  const isUsed = existsSync(home) && hasData(home);
  if (isUsed && !options.replace) return fail(used(home));
  const room = checkRoom(home, checked.value);
  if (room) return fail(room);
  const staging = `${home}.restore-${randomBytes(6).toString("hex")}`;
  try {
    return await swap(archive, { home, staging, isUsed });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

type Places = { home: string; staging: string; isUsed: boolean };

async function swap(archive: string, { home, staging, isUsed }: Places): Promise<Result<RestoreSummary, Failure>> {
  const lock = existsSync(home) ? await holdHomeAlone(home) : undefined;
  if (lock && !lock.ok) return fail(lock.error.code === "store_busy" ? homeBusy(home) : lock.error);
  let movedTo: string | undefined;
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const unpacked = await readArchive(archive, sinkInto(staging));
    if (!unpacked.ok) return unpacked;
    if (existsSync(home)) {
      await keepSecrets(home, staging, unpacked.value);
      movedTo = asideOf(home, isUsed);
      renameSync(home, movedTo);
    }
    renameSync(staging, home);
    if (movedTo !== undefined && !isUsed) await rm(movedTo, { recursive: true });
    const ready = await migrateRestored(home);
    if (!ready.ok) return ready;
    const { files, createdAt } = unpacked.value;
    return ok({ home, files: files.length, createdAt, ...optional("movedTo", isUsed ? movedTo : undefined) });
  } catch (error) {
    return fail(broken(home, movedTo, error));
  } finally {
    if (lock?.ok) lock.value.release();
  }
}

/** Folders 0700, files 0600 or 0700; a name that is taken is an error. */
const sinkInto =
  (folder: string): FileSink =>
  async (path, executable, chunks) => {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline(
      Readable.from(chunks, { objectMode: false }),
      createWriteStream(target, { flags: "wx", mode: executable ? 0o700 : 0o600 }),
    );
  };

/** Keys of the home that is replaced serve on where the backup has none: clients know the token, stored marks the key. */
async function keepSecrets(home: string, staging: string, { secrets }: BackupManifest): Promise<void> {
  if (secrets) return;
  for (const { path, kind } of fileKinds)
    if (kind === "secret" && existsSync(join(home, path))) await copyFile(join(home, path), join(staging, path));
}

async function migrateRestored(home: string): Promise<Result<void, Failure>> {
  const usable = prepareHome(home, { allowNetwork: true });
  if (!usable.ok || !existsSync(homePaths(home).store)) return usable;
  const db = await openStore(homePaths(home));
  if (!db.ok) return db;
  db.value.close();
  return ok(undefined);
}

/** Anything that a person would miss. */
function hasData(home: string): boolean {
  for (const { kind } of homeFiles(home)) if (!kind || kind.kind === "truth" || kind.kind === "projection") return true;
  return false;
}

const asideOf = (home: string, isUsed: boolean): string =>
  `${home}.${isUsed ? "before" : "unused"}-${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}`;

function checkRoom(home: string, { files }: BackupManifest): Failure | undefined {
  let folder = dirname(home);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const needed = files.reduce((sum, { size }) => sum + size, 0);
  if (needed <= bavail * bsize) return undefined;
  return refusal(
    "store_full",
    `The backup needs ${needed} bytes and ${folder} has ${bavail * bsize} left.`,
    "Free some space, then try again.",
  );
}

const tooNew = (archive: string, { everlongVersion }: BackupManifest): Failure =>
  refusal(
    "backup_too_new",
    `${archive} was made by a newer everlong (${everlongVersion}).`,
    "Install that version or a later one, then try again.",
  );

const used = (home: string): Failure =>
  refusal(
    "home_used",
    `${home} already contains data (${readdirSync(home).length} entries).`,
    "Add --replace: it moves the old folder aside and keeps it.",
  );

const broken = (home: string, movedTo: string | undefined, error: unknown): Failure => ({
  code: "restore_failed",
  what: `The backup could not be restored: ${errorText(error)}.`,
  data:
    movedTo !== undefined && existsSync(movedTo) ? `The old data is unharmed in ${movedTo}.` : `${home} is unchanged.`,
  next:
    movedTo !== undefined && existsSync(movedTo) && !existsSync(home)
      ? `Move it back: mv ${movedTo} ${home}`
      : "Check the disk, then try again.",
  exit: 1,
});
