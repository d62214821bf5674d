// The files of a client's history: found by their names, nothing opened yet, no link followed.
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { isInside } from "../../host/paths.ts";
import type { HistoryClient, HistoryFile, HistoryForm } from "../../memory/import/contract.ts";
import type { Environment } from "../../settings/environment.ts";
import { journalOf } from "./copy-database.ts";
import type { BadLine } from "./summary.ts";

export type SourceFile = HistoryFile & { form: HistoryForm; size: number; mtime: number };
type SourceList = { files: SourceFile[]; unreadable: BadLine[] };

/** More levels than any client uses. */
const DEEPEST = 12;
const SMALL = 4 * 1024 * 1024;

/** The places that are there; a place that is a link is what it leads to. */
export function placesOf(client: HistoryClient, env: Environment, userHome: string): string[] {
  return client.places(env, userHome).flatMap((place) => {
    const real = realPlace(place);
    return real === undefined ? [] : [real];
  });
}

function realPlace(place: string): string | undefined {
  try {
    return realpathSync(place);
  } catch {
    return undefined; // not there, or not ours to look into
  }
}

/** `places`: folders, or single files. Sorted, so that what belongs together is read together. */
export function sourcesIn(client: HistoryClient, places: readonly string[]): SourceList {
  const list: SourceList = { files: [], unreadable: [] };
  for (const place of places) {
    const real = realPlace(place);
    if (real === undefined) continue;
    if (lstatSync(real).isDirectory()) walk(client, real, real, 0, list);
    else addFile(dirname(real), real, client.formOf(basename(real)) ?? client.formOf(real.slice(1)), list);
  }
  list.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return list;
}

function walk(client: HistoryClient, root: string, folder: string, depth: number, list: SourceList): void {
  if (depth > DEEPEST) return;
  let entries: ReturnType<typeof entriesOf>;
  try {
    entries = entriesOf(folder);
  } catch (error) {
    list.unreadable.push({ file: folder, reason: whyUnreadable(error) });
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(client, root, path, depth + 1, list);
    else if (entry.isFile()) addFile(root, path, client.formOf(relative(root, path).split(sep).join("/")), list);
  }
}

const entriesOf = (folder: string) => readdirSync(folder, { withFileTypes: true });

function addFile(root: string, path: string, form: HistoryForm | undefined, list: SourceList): void {
  if (form === undefined) return;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  const besides = (near: string): string | undefined => {
    const wanted = resolve(dirname(path), near);
    return isInside(wanted, root) ? wanted : undefined;
  };
  // What a database has not taken into its file yet stands beside it.
  const journal = form === "database" ? lstatSync(journalOf(path), { throwIfNoEntry: false }) : undefined;
  const [size, mtime] = [stat.size + (journal?.size ?? 0), Math.max(stat.mtimeMs, journal?.mtimeMs ?? 0)];
  list.files.push({
    ...{ path, form, size, mtime },
    beside: (near) => smallText(besides(near)),
    names: (near) => namesIn(besides(near)),
  });
}

function smallText(path: string | undefined): string | undefined {
  try {
    const stat = path === undefined ? undefined : lstatSync(path);
    return path !== undefined && stat?.isFile() && stat.size <= SMALL ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined; // gone or unreadable: what it would have told is unknown
  }
}

function namesIn(path: string | undefined): string[] {
  try {
    return path !== undefined && lstatSync(path).isDirectory() ? readdirSync(path).sort() : [];
  } catch {
    return []; // gone or unreadable
  }
}

const whyUnreadable = (error: unknown): string =>
  errorCode(error) === "EACCES" || errorCode(error) === "EPERM"
    ? "no permission to read it"
    : (errorCode(error) ?? "unreadable");
