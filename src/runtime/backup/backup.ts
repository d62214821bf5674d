// `everlong backup`: everything that cannot be made again, in one file, while other processes go on working.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { VERSION } from "../../base/version.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { openWorkspace } from "../workspace.ts";
import { backupContents } from "./contents.ts";
import type { BackupManifest } from "./manifest.ts";
import { readArchive } from "./read-archive.ts";
import { writeArchive } from "./write-archive.ts";

type BackupSummary = {
  file: string;
  bytes: number;
  files: number;
  secrets: boolean;
  leftOut: { path: string; reason: string }[];
  links: string[];
};

/** Where backups go when no file is named: beside home, so that removing home does not remove them. */
export const BACKUP_NAME = /^everlong-backup-\d{8}T\d{6}Z\.tar\.gz$/;
const defaultFile = (home: string, now: Date): string =>
  join(dirname(home), `everlong-backup-${now.toISOString().replace(/[-:]|\.\d+/g, "")}.tar.gz`);

export async function makeBackup(
  file: string | undefined,
  options: { withSecrets?: boolean } = {},
): Promise<Result<BackupSummary, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const secrets = options.withSecrets ?? false;
  const refused = secrets ? refuseInToolShell(workspace.value.env, "make a backup with secrets") : undefined;
  if (refused) return fail(refused);
  const { home } = workspace.value.paths;
  const now = new Date();
  const target = resolve(file ?? defaultFile(home, now));
  const hasStore = existsSync(workspace.value.paths.store);
  const contents = backupContents(home, secrets);
  try {
    const written = await writeArchive(target, {
      entries: contents.entries(),
      now,
      manifest: (files) => ({
        everlongBackup: 1,
        everlongVersion: VERSION,
        createdAt: now.toISOString(),
        ...optional("schema", hasStore ? storeMigrations.length : undefined),
        secrets,
        files,
      }),
    });
    const { leftOut, links } = contents;
    return written.ok ? ok({ file: target, ...written.value, secrets, leftOut, links }) : written;
  } finally {
    contents.dispose();
  }
}

/** Reads the whole backup and changes nothing. */
export const verifyBackup = (file: string): Promise<Result<BackupManifest, Failure>> => readArchive(resolve(file));
