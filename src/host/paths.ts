// Where things lie: under home, in private folders, and inside of one another.
import { mkdirSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

export type SessionPaths = ReturnType<typeof sessionPaths>;
export type HomePaths = ReturnType<typeof homePaths>;

export function homePaths(home: string) {
  return {
    home,
    settings: join(home, "settings.json"),
    trust: join(home, "trust.json"),
    permissions: join(home, "permissions.json"),
    models: join(home, "models.json"),
    instructions: join(home, "AGENTS.md"),
    agents: join(home, "agents"),
    skills: join(home, "skills"),
    hooks: join(home, "hooks"),
    sessions: join(home, "sessions"),
    store: join(home, "store.db"),
    journal: join(home, "journal"),
    locks: join(home, "locks"),
    proxy: join(home, "proxy"),
    quarantine: join(home, "quarantine"),
    logs: join(home, "logs"),
    /** The id must have been checked: it becomes a folder name. */
    session: (id: string) => sessionPaths(join(home, "sessions", id)),
  };
}

export function sessionPaths(dir: string) {
  return {
    dir,
    events: join(dir, "events.jsonl"),
    workspace: join(dir, "workspace.yaml"),
    resume: join(dir, "resume.cache"),
    plan: join(dir, "plan.md"),
    db: join(dir, "session.db"),
    checkpoints: join(dir, "checkpoints"),
    outputs: join(dir, "outputs"),
    files: join(dir, "files"),
    research: join(dir, "research"),
    snapshots: join(dir, "snapshots"),
    /** Where other processes reach the session while it is open. */
    control: join(dir, "control"),
  };
}

/** Makes the folder, parents too, for its owner only. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Both are real paths. `/srv/project-evil` is not inside `/srv/project`. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The root and every folder from there down to `cwd`; the root alone when `cwd` is not inside of it. */
export function foldersDownTo(cwd: string, root: string): string[] {
  const names = isInside(cwd, root) ? relative(root, cwd).split(sep).filter(Boolean) : [];
  return [root, ...names.map((_, i) => join(root, ...names.slice(0, i + 1)))];
}

/** Whether the path leads to a folder, by a link too. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // absent, a loop of links, or not to be looked at
  }
}
