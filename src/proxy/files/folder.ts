// The files of sessions in folders of this machine: read and edited by people, too.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { faultOf } from "../../store/fault.ts";
import { acquireLock } from "../../store/lock.ts";
import { updateFile } from "../../store/update-file.ts";
import { StateReader } from "../state/files.ts";
import { readSpec } from "../state/spec-file.ts";
import type { RowAccess } from "../store/row-access.ts";
import { claim, isThere } from "./claim.ts";
import type { SessionFileName, SessionFiles } from "./contract.ts";
import { FolderLog } from "./folder-log.ts";

export type FolderPlace = {
  /** `sessions/` is in it. */
  dir: string;
  locks: string;
  quarantine: string;
  /** Told of bytes in a log that were no record; they are kept aside. */
  onDamaged?: (message: string) => void;
};

const LOCK_MS = 5000;

export function folderFiles(place: FolderPlace, rows: RowAccess): SessionFiles {
  const { dir, locks } = place;
  const reader = new StateReader();
  const folderOf = (id: string): string => join(dir, "sessions", id);
  const log = new FolderLog(place, rows, folderOf);
  return {
    placeOf: folderOf,
    claim: (id, mine) => claim(folderOf(id), mine),
    isThere: (id) => isThere(folderOf(id)),
    async texts({ id }, rootDir) {
      const read = await reader.read(folderOf(id), rootDir);
      const spec = await readSpec(folderOf(id));
      if (!spec.ok) return ok({ ...read, warnings: [...read.warnings, spec.error.what] });
      return ok({ ...read, ...optional("spec", spec.value) });
    },
    change<E>({ id }: { id: string }, name: SessionFileName, next: (text: string) => Result<string, E>) {
      const path = join(folderOf(id), name === "spec" ? "spec.json" : `${name}.md`);
      return updateFile<E>(path, (text = "") => next(text), { private: true, locks });
    },
    append: (session, lines, noted) => log.append(session, lines, noted),
    log: (session, page) => log.read(session, page),
    erase: ({ id }, erased) =>
      log.alone(async () => {
        const lock = await acquireLock(join(locks, `proxy-${id}.lock`), { limitMs: LOCK_MS });
        if (!lock.ok) return lock;
        try {
          const gone = await erased();
          if (gone.ok) await rm(folderOf(id), { recursive: true, force: true });
          return gone;
        } catch (error) {
          return fail(faultOf(error, folderOf(id)));
        } finally {
          lock.value.release();
        }
      }),
  };
}
