// The last file of a backup: what is in it, so that a part that is missing, changed or added shows.
import * as z from "zod";
import { kindOf } from "../../store/kinds.ts";

export const MANIFEST = "manifest.json";
/** A backup with a million files has a manifest of this size; anything larger is no list of ours. */
export const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

export const backupManifest = z.looseObject({
  everlongBackup: z.literal(1),
  everlongVersion: z.string(),
  createdAt: z.string(),
  /** Version of the tables in store.db; absent when there is none. */
  schema: z.number().optional(),
  secrets: z.boolean(),
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string() })),
});
export type BackupManifest = z.infer<typeof backupManifest>;
export type BackupFile = BackupManifest["files"][number];

/** Whether files of that path belong into a backup. Locks, logs, caches and older copies do not. */
export function belongsInBackup(path: string, withSecrets: boolean): boolean {
  const kind = kindOf(path)?.kind;
  if (isSqliteSide(path)) return false;
  return kind === "truth" || kind === "projection" || (kind === "secret" && withSecrets);
}

export const isDatabase = (path: string): boolean => /(^|\/)(store|session)\.db$/.test(path);

/** What SQLite keeps beside a database; a copy made by SQLite has it inside. */
const isSqliteSide = (path: string): boolean => /(^|\/)(store|session)\.db-/.test(path);

/** What is wrong with the name of an entry, before anything is done with it. */
export function badPath(path: string): string | undefined {
  if (path === "" || path.length > 4096 || /[\u0000-\u001f\\]/.test(path)) return "has a name that cannot be used";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is an absolute path";
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) return "leads out of the folder";
  return belongsInBackup(path, true) ? undefined : "is not a file that Everlong keeps";
}
