// Trust in a folder: given by a person, recorded with a hash of every file that it covered.
import { dirname, join } from "node:path";
import * as z from "zod";
import type { Failure } from "../base/failure.ts";
import { ok, type Result } from "../base/result.ts";
import { isInside } from "../host/paths.ts";
import type { UpdateFile } from "../settings/write.ts";
import { realPath } from "./path.ts";
import {
  countProjectFiles,
  findAllProjectFiles,
  findProjectFiles,
  hashOf,
  type ProjectCounts,
  type ProjectFile,
} from "./project-files.ts";
import { ABSENT, type StartedFile, startedBy } from "./started-files.ts";
import { changeState, type PermissionFile, readState } from "./state-file.ts";

const trusts = z.looseObject({
  version: z.literal(1),
  /** Trust by real folder; files by their absolute path. */
  folders: z.record(z.string(), z.looseObject({ at: z.string(), files: z.record(z.string(), z.string()) })),
});
type Trusts = z.infer<typeof trusts>;

const file = (everlongHome: string): PermissionFile<Trusts> => ({
  path: join(everlongHome, "trust.json"),
  schema: trusts,
  empty: { version: 1, folders: {} },
});

export type TrustState = {
  trusted: boolean;
  /** The folder that the trust was given to: root itself or one above it; absent when trusted for this run only. */
  by?: string;
  /** Files that are new or changed since, or start one that is: off until the folder is trusted again. */
  changed: string[];
  /** What has changed: those files, or the scripts that they start. */
  causes: string[];
  /** By the file that names them: what hooks and servers start. Empty while the folder is not trusted. */
  started: ReadonlyMap<string, readonly StartedFile[]>;
  files: ProjectFile[];
  found: ProjectCounts;
  /** Why the record could not be read; nothing is trusted then. */
  failure?: Failure;
};

type TrustPlaces = { everlongHome: string; userHome: string };

export async function trustState(places: TrustPlaces, root: string, cwd: string = root): Promise<TrustState> {
  const real = realPath(root, "/") ?? root;
  const files = findProjectFiles(real, realPath(cwd, "/") ?? cwd);
  const counts = countProjectFiles(files);
  const state = await readState(file(places.everlongHome));
  const untrusted = { trusted: false, changed: [], causes: [], started: new Map(), files, found: counts };
  if (!state.ok) return { ...untrusted, failure: state.error };
  const by = trustedFolder(Object.keys(state.value.folders), real, places.userHome);
  if (by === undefined) return untrusted;
  const trustedFiles = state.value.folders[by]?.files ?? {};
  const started = startedByAll(files, real, cwd);
  const causesOf = (file: ProjectFile): string[] =>
    [file, ...(started.get(file.path) ?? [])]
      .filter(({ path, hash }) => (trustedFiles[path] ?? ABSENT) !== hash)
      .map(({ path }) => path);
  const changed = files.filter((file) => causesOf(file).length > 0).map(({ path }) => path);
  return { trusted: true, by, changed, causes: [...new Set(files.flatMap(causesOf))], started, files, found: counts };
}

/** `--trust-folder`: the folder as it is now, for this run. */
export function trustForRun(root: string, cwd: string = root): TrustState {
  const files = findProjectFiles(realPath(root, "/") ?? root, realPath(cwd, "/") ?? cwd);
  const started = startedByAll(files, realPath(root, "/") ?? root, cwd);
  return { trusted: true, changed: [], causes: [], started, files, found: countProjectFiles(files) };
}

const startedByAll = (files: readonly ProjectFile[], root: string, cwd: string): Map<string, StartedFile[]> =>
  new Map(files.map((file) => [file.path, startedBy(file, root, realPath(cwd, "/") ?? cwd)]));

/** Ask this with the very bytes that are about to be used: it holds even if the file changes in between. */
export function acceptsFile(state: TrustState, path: string, content: string | Uint8Array): boolean {
  if (!state.trusted || state.changed.includes(path)) return false;
  return state.files.some((f) => f.path === path && f.hash === hashOf(content));
}

/** The nearest trusted folder at or above; the home folder and `/` pass nothing on to what is below them. */
function trustedFolder(folders: readonly string[], root: string, userHome: string): string | undefined {
  const home = realPath(userHome, "/") ?? userHome;
  for (let folder = root; ; folder = dirname(folder)) {
    const passesOn = folder === root || (folder !== home && folder !== "/");
    if (passesOn && folders.includes(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Records the folder and the hash of each file in it and below it, and of what they start, as they are now. */
export async function trustFolder(
  places: TrustPlaces,
  root: string,
  now: Date,
  update: UpdateFile,
  cwd: string = root,
): Promise<Result<string, Failure>> {
  const real = realPath(root, "/") ?? root;
  const isTop = real === "/" || real === realPath(places.userHome, "/");
  const files = isTop ? findProjectFiles(real) : findAllProjectFiles(real);
  const started = [...startedByAll(files, real, cwd).values()].flat().filter(({ hash }) => hash !== ABSENT);
  const trust = (state: Trusts): Trusts => ({
    ...state,
    folders: {
      ...state.folders,
      [real]: { at: now.toISOString(), files: Object.fromEntries([...started, ...files].map((f) => [f.path, f.hash])) },
    },
  });
  const changed = await changeState(file(places.everlongHome), trust, update);
  return changed.ok ? ok(real) : changed;
}

/** Takes trust from the folder and from all below it; true when there was any. */
export async function revokeTrust(
  places: TrustPlaces,
  root: string,
  update: UpdateFile,
): Promise<Result<boolean, Failure>> {
  const real = realPath(root, "/") ?? root;
  let had = false;
  const revoke = (state: Trusts): Trusts => {
    const others = Object.entries(state.folders).filter(([folder]) => !isInside(folder, real));
    had = others.length < Object.keys(state.folders).length;
    return { ...state, folders: Object.fromEntries(others) };
  };
  const changed = await changeState(file(places.everlongHome), revoke, update);
  return changed.ok ? ok(had) : changed;
}

export async function listTrusted(everlongHome: string): Promise<Result<{ folder: string; at: string }[], Failure>> {
  const state = await readState(file(everlongHome));
  return state.ok ? ok(Object.entries(state.value.folders).map(([folder, { at }]) => ({ folder, at }))) : state;
}

/** One notice for what an untrusted folder holds; undefined when it holds nothing. */
export function trustNotice(state: TrustState): string | undefined {
  const counted = Object.entries(WORDS).flatMap(([kind, word]) => {
    const n = state.found[kind as keyof ProjectCounts];
    return n === 0 ? [] : [`${n} ${word}${n === 1 ? "" : "s"}`];
  });
  const how = "Use --trust-folder for this run, or `everlong trust` to keep it.";
  if (!state.trusted)
    return counted.length > 0 ? `This folder is not trusted: ${counted.join(", ")} not loaded. ${how}` : undefined;
  if (state.changed.length === 0) return undefined;
  const scripts = state.causes.filter((path) => !state.changed.includes(path));
  const off = `not loaded: ${state.changed.join(", ")}`;
  const what = scripts.length === 0 ? `, so ${off}` : `: ${scripts.join(", ")}. So ${off}`;
  return `Changed since this folder was trusted${what}. Look at the change, then run \`everlong trust\`.`;
}

const WORDS: Record<keyof ProjectCounts, string> = {
  hooks: "hook",
  mcpServers: "MCP server",
  agents: "agent",
  skills: "skill",
  commands: "command",
  settings: "settings file",
};
