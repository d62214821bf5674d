// Care for what is stored on this machine: backups, removal, checks.
import type { BackupMade } from "../backup/backup.ts";
import type { BackupManifest } from "../backup/manifest.ts";
import type { Restored } from "../backup/restore.ts";
import type { CheckResult, Confirm } from "../doctor/check.ts";
import type { Diagnosis, DoctorOptions } from "../doctor/doctor.ts";
import type { WipePlan, WipeScope } from "../wipe/plan.ts";
import type { ResultPromise } from "./open.ts";

export type { CheckResult } from "../doctor/check.ts";
export type { Diagnosis, DoctorOptions } from "../doctor/doctor.ts";
export type { WipePlan, WipeScope } from "../wipe/plan.ts";

export type CareAccess = {
  makeBackup(file: string | undefined, options: { withSecrets?: boolean }): ResultPromise<BackupMade>;
  /** Reads the whole backup and changes nothing. */
  verifyBackup(file: string): ResultPromise<BackupManifest>;
  restoreBackup(file: string, options: { replace?: boolean }): ResultPromise<Restored>;
  planWipe(scope: WipeScope): ResultPromise<WipePlan>;
  wipe(plan: WipePlan): ResultPromise<void>;
  /** `onResult` is called after each check. */
  diagnose(options: DoctorOptions, confirm: Confirm, onResult: (result: CheckResult) => void): ResultPromise<Diagnosis>;
};
