// Every file under home, by what the table of kinds says of it; no link is followed.
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { kindOf, type StoredKind } from "./kinds.ts";

type HomeFile = {
  /** The path under home, with `/` between the names. */
  path: string;
  absolute: string;
  stat: Stats;
  /** Undefined: not one of ours. */
  kind: StoredKind | undefined;
};

/** Files come in the order of their names. What vanishes meanwhile is left out. */
export function* homeFiles(home: string, under = ""): Generator<HomeFile> {
  for (const name of namesIn(join(home, under))) {
    const path = under === "" ? name : `${under}/${name}`;
    const absolute = join(home, path);
    const stat = lstatSync(absolute, { throwIfNoEntry: false });
    if (stat?.isDirectory()) yield* homeFiles(home, path);
    else if (stat) yield { path, absolute, stat, kind: kindOf(path) };
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // gone meanwhile, or not ours to read: the modes are checked elsewhere
  }
}
