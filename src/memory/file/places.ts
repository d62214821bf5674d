// Where a repository's memory files are, and whether they may be used: never one that a link leads out of the repository.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../host/paths.ts";
import { realPath } from "../../permission/path.ts";

const SEED_FILE = ".github/copilot-memories.jsonl";
const OWN_FILE = ".everlong/memories.jsonl";

type FilePlaces = {
  /** The real paths of the files to read. */
  files: string[];
  /** New records go there; undefined when that place leads out of the repository. */
  target: string | undefined;
  /** Names that were refused. */
  refused: string[];
};

/** `seed`: the seed's own flag turned file memory on. */
export function filePlaces(root: string, seed: boolean): FilePlaces {
  const real = realPath(root, "/") ?? root;
  const inside = (name: string): string | undefined => {
    const path = realPath(join(real, name), "/");
    return path !== undefined && isInside(path, real) ? path : undefined;
  };
  const names = [SEED_FILE, OWN_FILE];
  const candidates = names.map((name) => ({ name, path: inside(name) }));
  const wanted = seed || existsSync(join(real, SEED_FILE)) ? SEED_FILE : OWN_FILE;
  return {
    files: [...new Set(candidates.flatMap(({ path }) => path ?? []))],
    target: inside(wanted),
    refused: candidates.filter(({ path }) => path === undefined).map(({ name }) => name),
  };
}

/** Moves when one of the files is written, by whomever. */
export function stampOf(paths: readonly string[]): number {
  return paths.reduce((sum, path) => {
    try {
      const { mtimeMs, size } = statSync(path);
      return sum + mtimeMs + size;
    } catch {
      return sum; // what cannot be looked at cannot be read either
    }
  }, 0);
}
