// Whether each name in the home folder is what it must be: a file where a folder belongs, or a folder where a file does, stops everything.
import { lstatSync, mkdirSync, renameSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { errorCode } from "../../../base/failure.ts";
import { sessionIds } from "../../../session/find-session.ts";
import { allWell, type DoctorCheck, FIX, failure, some } from "../check.ts";
import type { DoctorView } from "../view.ts";

/** What stands where something else belongs; links are the person's own choice. */
function misplacedNames({ paths }: DoctorView): string[] {
  const { home, quarantine, sessions, journal, locks, logs, proxy } = paths;
  const folders = [
    ...[quarantine, sessions, journal, locks, logs, proxy],
    ...sessionIds(sessions).map((id) => paths.session(id).dir),
  ];
  const files = [
    ...["secret.key", "gateway.token", "gateway.json"].map((name) => join(home, name)),
    ...sessionIds(sessions).flatMap((id) => [paths.session(id).events, paths.session(id).workspace]),
  ];
  return [
    ...folders.filter((path) => isOther(path, (stat) => stat.isDirectory())),
    ...files.filter((path) => isOther(path, (stat) => stat.isFile())),
  ];
}

function isOther(path: string, isRight: (stat: Stats) => boolean): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat !== undefined && !stat.isSymbolicLink() && !isRight(stat);
  } catch (error) {
    // What lies above it is found by itself.
    if (errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

export const layoutCheck: DoctorCheck = {
  name: "layout",
  look(view) {
    const misplaced = misplacedNames(view);
    if (misplaced.length === 0) return allWell("every file and folder is what it should be");
    const names = misplaced.map((path) => path.slice(view.paths.home.length + 1));
    return failure(`not what should be there: ${some(names)}`, `${FIX} moves it aside`);
  },
  async mend(view) {
    const { paths, now } = view;
    const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
    return misplacedNames(view).map((path) => {
      // What is in the place of quarantine/ itself can only go beside it.
      const aside = path === paths.quarantine ? paths.home : paths.quarantine;
      mkdirSync(aside, { recursive: true, mode: 0o700 });
      const target = join(aside, `${time}-${path.slice(paths.home.length + 1).replaceAll("/", "-")}`);
      renameSync(path, target);
      return `Moved ${basename(path)}, which was not what should be there, to ${target}.`;
    });
  },
};
