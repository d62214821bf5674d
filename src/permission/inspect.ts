// Takes the requests of a call apart into what can be judged; the only step that looks at the file system.
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PermissionRequest } from "../schema/permission.ts";
import { hasGlob } from "./glob.ts";
import type { Part, ShellPart } from "./part.ts";
import { realPath } from "./path.ts";
import { analyseShell, type ShellAnalysis, type ShellCommand } from "./shell/analyse.ts";
import { changesOwnSettings } from "./shell/own-command.ts";
import { lookedAt } from "./shell/read-only.ts";
import type { ShellWord } from "./shell/word.ts";
import { writtenPaths } from "./shell/writes.ts";

export type Place = { cwd: string; userHome: string };

const MAX_GLOB_ENTRIES = 2000;
const URL_IN_TEXT = /\b(?:https?|ftp|wss?):\/\/[^\s"'<>`]+/gi;

export async function inspect(requests: readonly PermissionRequest[], place: Place): Promise<Part[]> {
  const parts: Part[] = [];
  for (const [index, request] of requests.entries()) {
    if (request.kind === "shell") parts.push(...(await shellParts(request, index, place)));
    else parts.push(plainPart(request, index, place));
  }
  return parts;
}

function plainPart(request: Exclude<PermissionRequest, { kind: "shell" }>, index: number, place: Place): Part {
  switch (request.kind) {
    case "read":
    case "write":
      return { kind: request.kind, index, path: request.path, real: realPath(request.path, place.cwd) };
    case "url":
      return { kind: "url", index, url: request.url };
    case "memory":
      return { kind: "memory", index, summary: request.summary, mustAsk: request["mustAsk"] === true };
    case "mcp":
      return { kind: "mcp", index, server: request.server, tool: request.tool, readOnly: request.readOnly === true };
    case "hook":
      return { kind: "hook", index, name: request.name };
  }
}

type ShellRequest = Extract<PermissionRequest, { kind: "shell" }>;

async function shellParts(request: ShellRequest, index: number, place: Place): Promise<Part[]> {
  const { command } = request;
  if (request["opaque"] === true) {
    const span = { start: 0, end: command.length };
    const reason = "it is input for a program that is already running";
    return [
      { kind: "shell", index, text: command, words: [], span, opaque: reason, transparent: false, changesOwn: false },
    ];
  }
  const analysis = await analyseShell(command, place.userHome);
  const folders = foldersOf(analysis, place.cwd);
  const parts: Part[] = [];
  const addPath = (kind: "read" | "write", path: string, more: { span: Part["span"]; implied?: boolean }): void => {
    for (const folder of folders) {
      const real = realPath(path, folder);
      if (parts.some((p) => p.kind === kind && p.real === real && p.path === path)) continue;
      const { span, implied } = more;
      parts.push({ kind, index, path, real, ...(span ? { span } : {}), ...(implied ? { implied } : {}) });
    }
  };
  for (const c of analysis.commands) {
    const part = shellPart(c, index, folders, analysis.moves.length > 0);
    parts.push(part);
    for (const path of writtenPaths(c.words)) addPath("write", path, { span: c.span, implied: true });
    // What only looks opens no connection, so an address in its arguments is only text.
    if (!part.looksAt) for (const url of urlsIn(c.words)) parts.push({ kind: "url", index, url, span: c.span });
  }
  for (const target of analysis.writes) addPath("write", target.path, { span: target.span });
  for (const target of analysis.reads) addPath("read", target.path, { span: target.span });
  return parts;
}

function shellPart(c: ShellCommand, index: number, folders: readonly string[], hasMoved: boolean): ShellPart {
  const paths = c.plain && !c.opaque ? lookedAt(c.words, hasMoved) : undefined;
  return {
    kind: "shell",
    index,
    text: c.text,
    words: c.words,
    span: c.span,
    ...(c.opaque ? { opaque: c.opaque } : {}),
    transparent: c.transparent,
    ...(paths ? { looksAt: paths.flatMap((word) => folders.flatMap((folder) => placesOf(word, folder))) } : {}),
    changesOwn: changesOwnSettings(c.words),
  };
}

/** Every folder that a relative path may be relative to, after none, some or all of the line's cds. */
function foldersOf(analysis: ShellAnalysis, cwd: string): string[] {
  let folders = [cwd];
  for (const target of analysis.moves) folders = [...new Set([...folders, ...folders.map((f) => resolve(f, target))])];
  return folders;
}

function placesOf(word: ShellWord, folder: string): (string | undefined)[] {
  if (!word.glob) return word.value === "-" ? [] : [realPath(word.value, folder)];
  const names = word.value.split("/");
  const first = names.findIndex(hasGlob);
  const start = names.slice(0, first).join("/");
  return globPlaces(
    realPath(start === "" && word.value.startsWith("/") ? "/" : start, folder),
    names.slice(first),
    first === 0,
  );
}

/** A pattern is judged as if it stood for every entry of its folder: never fewer than bash will find. */
function globPlaces(folder: string | undefined, rest: readonly string[], mayBeOption: boolean): (string | undefined)[] {
  const [name, ...after] = rest;
  if (folder === undefined || name === undefined) return [folder];
  if (!hasGlob(name)) return globPlaces(realPath(name, folder), after, false);
  const entries = entriesOf(folder);
  if (!entries || (mayBeOption && entries.some((e) => e.startsWith("-")))) return [undefined];
  return entries.flatMap((entry) => globPlaces(realPath(entry, folder), after, false));
}

function entriesOf(folder: string): string[] | undefined {
  try {
    const entries = readdirSync(join(folder));
    return entries.length > MAX_GLOB_ENTRIES ? undefined : entries;
  } catch {
    // Not a folder that can be listed: the pattern then finds nothing in it.
    return [];
  }
}

function urlsIn(words: readonly ShellWord[]): string[] {
  return [...new Set(words.flatMap((w) => w.value.match(URL_IN_TEXT) ?? []))];
}
