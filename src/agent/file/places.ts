// Where definition files lie: in the project from the working folder up to its root, then in the user's home.
import { dirname, join } from "node:path";
import { isFolder, isInside } from "../../host/paths.ts";
import { realPath } from "../../permission/path.ts";
import { entriesOf } from "../../permission/project-files.ts";
import type { TrustState } from "../../permission/trust.ts";

export type Layer = "client" | "project" | "user" | "plugin" | "remote" | "setting" | "builtin";

export type Grounds = {
  everlongHome: string;
  root: string;
  cwd: string;
  /** Decides which of the project's files count. */
  trust: TrustState;
};

export type Folder = { path: string; layer: Layer; plugin?: string };

/** Folders of the project, nearest to cwd first; of each, the names in their order. */
export function projectFolders({ root, cwd }: Pick<Grounds, "root" | "cwd">, names: readonly string[]): Folder[] {
  const real = realPath(root, "/") ?? root;
  const from = realPath(cwd, "/") ?? cwd;
  const folders: Folder[] = [];
  for (let folder = isInside(from, real) ? from : real; ; folder = dirname(folder)) {
    folders.push(...names.map((name): Folder => ({ path: join(folder, name), layer: "project" })));
    if (folder === real) return folders;
  }
}

/** A plugin is a directory that the user has put there. */
export function pluginFolders(everlongHome: string, name: string): Folder[] {
  const plugins = join(everlongHome, "plugins");
  return entriesOf(plugins)
    .filter((entry) => isFolder(join(plugins, entry.name)))
    .map((entry) => ({ path: join(plugins, entry.name, name), layer: "plugin", plugin: entry.name }));
}
