// The files with which a project can make Everlong run something or allow something: what trust is about.
import { createHash } from "node:crypto";
import { type Dirent, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import { readWhole, realTarget } from "../host/files.ts";
import { foldersDownTo, isInside } from "../host/paths.ts";

type ProjectFileKind = "hooks" | "mcpServers" | "agents" | "skills" | "commands" | "settings";
export type ProjectFile = { path: string; kind: ProjectFileKind; hash: string };
export type ProjectCounts = Record<ProjectFileKind, number>;

const HOMES = [".everlong", ".github", ".claude"];
const SKIPPED = new Set(["node_modules", ".git", ".everlong", ".github", ".claude"]);
const MAX_FOLDERS = 20_000;
const MAX_DEPTH = 8;
/** More than any loader takes: it then says itself that the file is too large. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Those that apply to work in `cwd`: in root and every folder from there down to it. */
export function findProjectFiles(root: string, cwd: string = root): ProjectFile[] {
  return foldersDownTo(cwd, root).flatMap((folder) => filesOf(folder, root));
}

/** Those of root and all folders below it, so that a subfolder of a trusted folder is covered too. */
export function findAllProjectFiles(root: string): ProjectFile[] {
  const files: ProjectFile[] = [];
  let folders = [root];
  let seen = 0;
  for (let depth = 0; depth < MAX_DEPTH && folders.length > 0 && seen < MAX_FOLDERS; depth++) {
    seen += folders.length;
    files.push(...folders.flatMap((folder) => filesOf(folder, root)));
    folders = folders.flatMap((folder) =>
      entriesOf(folder)
        .filter((e) => e.isDirectory() && !SKIPPED.has(e.name))
        .map((e) => join(folder, e.name)),
    );
  }
  return files;
}

export function countProjectFiles(files: readonly ProjectFile[]): ProjectCounts {
  const counts: ProjectCounts = { hooks: 0, mcpServers: 0, agents: 0, skills: 0, commands: 0, settings: 0 };
  for (const file of files) {
    const content = /^(hooks|mcpServers|settings)$/.test(file.kind) ? jsonOf(file.path) : {};
    counts.hooks += hooksIn(content);
    counts.mcpServers += isRecord(content["mcpServers"]) ? Object.keys(content["mcpServers"]).length : 0;
    if (file.kind !== "hooks" && file.kind !== "mcpServers") counts[file.kind]++;
  }
  return counts;
}

export const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

function filesOf(folder: string, root: string): ProjectFile[] {
  const files: { path: string; kind: ProjectFileKind }[] = [
    { path: join(folder, ".everlong", "settings.json"), kind: "settings" },
    { path: join(folder, ".mcp.json"), kind: "mcpServers" },
  ];
  const add = (kind: ProjectFileKind, paths: string[]): void => {
    files.push(...paths.map((path) => ({ path, kind })));
  };
  for (const home of HOMES.map((name) => join(folder, name))) {
    if (basename(home) !== ".claude") add("hooks", filesIn(join(home, "hooks"), ".json", 0));
    add("agents", filesIn(join(home, "agents"), ".md", 0));
    add("skills", filesIn(join(home, "skills"), "SKILL.md", 1, root));
    add(
      "commands",
      basename(home) === ".github"
        ? filesIn(join(home, "prompts"), ".prompt.md", 0)
        : filesIn(join(home, "commands"), ".md", 4),
    );
  }
  const hashes = hashesOf(files.map(({ path }) => path));
  return files.flatMap((file) => {
    const hash = hashes.get(file.path);
    return hash === undefined ? [] : [{ ...file, hash }];
  });
}

/** Thousands of links to one large file cost no more than that file. */
function hashesOf(paths: readonly string[]): Map<string, string | undefined> {
  const byTarget = new Map<string, string | undefined>();
  return new Map(
    paths.map((path) => {
      const real = realTarget(path);
      if (!byTarget.has(real)) {
        const content = contentOf(real);
        byTarget.set(real, content && hashOf(content));
      }
      return [path, byTarget.get(real)];
    }),
  );
}

/** `linksWithin`: of the folder's own entries, a link to a folder below this one counts as that folder. */
export function filesIn(folder: string, ending: string, depth: number, linksWithin?: string): string[] {
  const leadsInside = (path: string): boolean => linksWithin !== undefined && isInside(realTarget(path), linksWithin);
  return entriesOf(folder).flatMap((e) => {
    const path = join(folder, e.name);
    if (e.isDirectory() || (e.isSymbolicLink() && leadsInside(path) && !e.name.endsWith(ending)))
      return depth > 0 ? filesIn(path, ending, depth - 1) : [];
    return e.name.endsWith(ending) ? [path] : [];
  });
}

/** Sorted by name; of a folder that cannot be listed, none. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // absent or not to be looked into: nothing can be loaded from it
  }
}

/** Undefined when it is absent or unreadable, or a device or pipe that would be read for ever: it is not accepted then. */
function contentOf(path: string): Buffer | undefined {
  const read = readWhole(realTarget(path), MAX_BYTES);
  return read.ok ? read.value.bytes : undefined;
}

function jsonOf(path: string): Record<string, unknown> {
  const parsed = parseJson(contentOf(path)?.toString("utf8") ?? "");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}

function hooksIn(content: Record<string, unknown>): number {
  if (!isRecord(content["hooks"])) return 0;
  return Object.values(content["hooks"]).flatMap((list) => (Array.isArray(list) ? list : [])).length;
}
