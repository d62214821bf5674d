// The home folder: there, ours, writable, on a disk whose locks hold; said before any work begins.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, errorText, type Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { markHome } from "./home-marker.ts";

/** File systems by their magic number where locks depend on a server: NFS, SMB, CIFS, SMB2, AFS, Coda, Ceph. */
export const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x73757245, 0x00c36400,
]);

const LOW_BYTES = 500_000_000;

const NEXT = "Make it a folder you can write to, or choose another with EVERLONG_HOME.";
const COPY =
  "Reading needs locks and an index that are written there. To look at it, copy it to a folder that you can write and name the copy with EVERLONG_HOME.";

type HomeOptions = { allowNetwork: boolean; uid?: number | undefined; fileSystem?: (path: string) => number };

/** Makes the folder when it is missing (0700) and checks that it can be used. */
export function prepareHome(path: string, options: HomeOptions): Result<void, Failure> {
  const uid = "uid" in options ? options.uid : process.getuid?.();
  try {
    makeFolder(path);
    const stat = statSync(path);
    if (!stat.isDirectory()) return refuse(path, "is not a folder", NEXT);
    if (uid !== undefined && stat.uid !== uid) {
      return refuse(
        path,
        `belongs to user ${stat.uid}, not to you (${uid})`,
        "Choose another folder with EVERLONG_HOME.",
      );
    }
    if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700); // what is kept here is nobody else's
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!options.allowNetwork && NETWORK_FILE_SYSTEMS.has((options.fileSystem ?? fileSystemOf)(path))) {
      const next =
        "Choose a local folder with EVERLONG_HOME, or set EVERLONG_ALLOW_NETWORK_HOME=1 if its locks are reliable.";
      return refuse(path, "is on a network file system", next);
    }
    markHome(path);
    return ok(undefined);
  } catch (error) {
    if (errorCode(error) === "EROFS") return refuse(path, "is on a read-only file system", COPY);
    return refuse(path, `cannot be used: ${errorText(error)}`, NEXT);
  }
}

/** Node's own recursive mkdir never ends where a file system answers ENOENT for an existing parent (as /proc does). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Said at the start of a session, while there is still time to make room. */
export function lowSpace(path: string): string | undefined {
  const { bavail, bsize } = statfsSync(path);
  const free = bavail * bsize;
  if (free >= LOW_BYTES) return undefined;
  return `Warning: only ${Math.floor(free / 1e6)} MB are free on the disk of ${path}. Work pauses when it is full.`;
}

export function fileSystemOf(path: string): number {
  return statfsSync(path).type >>> 0;
}

function refuse(path: string, reason: string, next: string): Result<never, Failure> {
  return fail({ code: "home_unusable", what: `${path} ${reason}.`, data: "Nothing was written.", next, exit: 1 });
}
