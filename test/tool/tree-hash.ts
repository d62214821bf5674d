// What a folder holds, as one line for each path, so that two states can be compared and the difference named.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Path under the folder to its kind, mode and content hash. A folder that is missing holds nothing. */
export function treeOf(folder: string): Map<string, string> {
  const tree = new Map<string, string>();
  const walk = (inner: string): void => {
    const path = join(folder, inner);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    const mode = (stat.mode & 0o777).toString(8);
    if (stat.isDirectory()) {
      tree.set(`${inner}/`, mode);
      for (const name of readdirSync(path)) walk(join(inner, name));
    } else if (stat.isSymbolicLink()) tree.set(inner, `link ${readlinkSync(path)}`);
    else
      tree.set(
        inner,
        `${mode} ${stat.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "special"}`,
      );
  };
  walk("");
  return tree;
}

/** `+ path`, `- path` and `~ path` for what came, went and changed. */
export function treeChanges(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const came = [...after.keys()].filter((path) => !before.has(path)).map((path) => `+ ${path}`);
  const went = [...before.keys()].filter((path) => !after.has(path)).map((path) => `- ${path}`);
  const changed = [...after]
    .filter(([path, what]) => before.has(path) && before.get(path) !== what)
    .map(([path]) => `~ ${path}`);
  return [...came, ...went, ...changed].sort();
}
