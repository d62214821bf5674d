// The home folder: whose it is, on what disk, who may read it, who works in it, and whether its clock makes sense.
import { accessSync, chmodSync, constants, lstatSync, readdirSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileSystemOf, NETWORK_FILE_SYSTEMS } from "../../../store/home.ts";
import { homeFiles } from "../../../store/home-files.ts";
import { homeLockPath, lockHolders } from "../../../store/home-lock.ts";
import { isMarked } from "../../../store/home-marker.ts";
import { allWell, type DoctorCheck, FIX, failure, plural, some, warning } from "../check.ts";
import type { DoctorView } from "../view.ts";

const OTHERS = 0o077;
const LOW_BYTES = 500e6;
const NONE_BYTES = 50e6;
const DAY_MS = 86_400_000;
/** No clock that is right shows an earlier time than this program was written at. */
const WRITTEN = Date.parse("2026-01-01");

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const homeCheck: DoctorCheck = {
  name: "home",
  look({ paths: { home }, hasHome, settings }) {
    if (!hasHome) return allWell(`${home} does not exist yet; the first session creates it`);
    const stat = statSync(home);
    if (!stat.isDirectory()) return failure(`${home} is not a folder`, "Move it away, or set EVERLONG_HOME.");
    const uid = process.getuid?.();
    if (uid !== undefined && stat.uid !== uid)
      return failure(`${home} belongs to user ${stat.uid}`, "Choose another folder with EVERLONG_HOME.");
    if (!isWritable(home))
      return failure(
        `cannot write to ${home}`,
        "Make it a folder you can write to, or choose another with EVERLONG_HOME.",
      );
    if ((stat.mode & OTHERS) !== 0) return failure(`others can open ${home} (mode ${octal(stat.mode)})`, FIX);
    if (NETWORK_FILE_SYSTEMS.has(fileSystemOf(home)))
      return warning(
        `${home} is on a network disk, where locks may not work`,
        "Choose a local folder with EVERLONG_HOME.",
      );
    const durability = settings.ok ? `, durability ${settings.value.values.durability}` : "";
    return allWell(
      `${home}, mode ${octal(stat.mode)}${isMarked(home) ? "" : ", shared with other files"}${durability}`,
    );
  },
  async mend({ paths: { home } }) {
    if ((statSync(home).mode & OTHERS) === 0) return [];
    chmodSync(home, 0o700);
    return [`Made ${home} private.`];
  },
};

export const diskCheck: DoctorCheck = {
  name: "disk",
  look({ paths: { home }, hasHome }) {
    const { bavail, bsize } = statfsSync(hasHome ? home : dirname(home));
    const free = bavail * bsize;
    const finding = `${(free / 1e9).toFixed(1)} GB free`;
    if (free < NONE_BYTES) return failure(finding, "Free some space: sessions stop when the disk is full.");
    return free < LOW_BYTES ? warning(finding, "Free some space.") : allWell(finding);
  },
};

/** Files and folders that others can read or write. */
function openToOthers({ paths: { home } }: DoctorView, secret: boolean): string[] {
  const files = [...homeFiles(home)].filter(({ kind }) => (kind?.kind === "secret") === secret);
  const folders = secret ? [] : new Set(files.map(({ absolute }) => dirname(absolute)));
  const paths = [...folders]
    .filter((folder) => folder !== home)
    .concat(files.filter(({ stat }) => !stat.isSymbolicLink()).map((f) => f.absolute));
  return paths.filter((path) => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0);
}

async function makePrivate(view: DoctorView, secret: boolean): Promise<string[]> {
  const paths = openToOthers(view, secret);
  for (const path of paths) chmodSync(path, lstatSync(path).mode & 0o700);
  return [`Made ${plural(paths.length, "file")} private: ${some(names(view, paths))}.`];
}

const names = ({ paths: { home } }: DoctorView, files: readonly string[]): string[] =>
  files.map((path) => path.slice(home.length + 1));

export const modesCheck: DoctorCheck = {
  name: "file modes",
  look(view) {
    const open = openToOthers(view, false);
    return open.length === 0 ? allWell("private") : warning(`others can read ${some(names(view, open))}`, FIX);
  },
  mend: (view) => makePrivate(view, false),
};

export const secretsCheck: DoctorCheck = {
  name: "secrets",
  look(view) {
    const open = openToOthers(view, true);
    if (open.length > 0)
      return failure(
        `others can read ${some(names(view, open))}`,
        `${FIX}; if others may have read them, delete them: new ones are created`,
      );
    const uid = process.getuid?.();
    const foreign = [...homeFiles(view.paths.home)].filter(
      ({ kind, stat }) => kind?.kind === "secret" && uid !== undefined && stat.uid !== uid,
    );
    if (foreign.length > 0)
      return failure(`${foreign.map((f) => f.path).join(", ")} belong to another user`, "Delete them.");
    return allWell("private");
  },
  mend: (view) => makePrivate(view, true),
};

export const locksCheck: DoctorCheck = {
  name: "locks",
  look({ paths }) {
    const others = lockHolders(homeLockPath(paths.home)).filter((pid) => pid !== process.pid);
    const sessions = [...namesIn(paths.sessions)].flatMap((id) =>
      lockHolders(join(paths.sessions, id, "session.lock")).map((pid) => `session ${id.slice(0, 8)} by process ${pid}`),
    );
    if (others.length === 0 && sessions.length === 0) return allWell("not in use by another process");
    return allWell(
      [
        `in use by ${plural(others.length, "process", "processes")} (${some(others.map(String))})`,
        ...sessions.slice(0, 5),
      ].join(", "),
    );
  },
};

export const clockCheck: DoctorCheck = {
  name: "clock",
  look({ paths, now }) {
    if (now.getTime() < WRITTEN) return failure(`it says ${now.toISOString()}`, "Set the clock.");
    const newest = [paths.store, ...namesIn(paths.sessions).map((id) => paths.session(id).events)]
      .flatMap((path) => statSync(path, { throwIfNoEntry: false }) ?? [])
      .reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0);
    if (newest > now.getTime() + DAY_MS)
      return warning(`files here are dated ${new Date(newest).toISOString()}, in the future`, "Set the clock.");
    return allWell(now.toISOString());
  },
};

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => basename(name) === name);
  } catch {
    return []; // no session yet
  }
}
