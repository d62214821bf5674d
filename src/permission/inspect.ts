// Takes the requests of a call apart into what can be judged; the only step that looks at the file system.
import { resolve } from "node:path";
import { gitContext } from "../host/git.ts";
import type { PermissionRequest } from "../schema/permission.ts";
import { hasGlob } from "./glob.ts";
import type { Part, PathPart, ShellPart } from "./part.ts";
import { realPath } from "./path.ts";
import { anyEntry, byName, kindOfPlace, placesOf } from "./places.ts";
import { analyseShell, type ShellAnalysis, type ShellCommand } from "./shell/analyse.ts";
import { changesOwnSettings } from "./shell/own-command.ts";
import { lookedAt, showsBelow } from "./shell/read-only.ts";
import { literalWord, type ShellWord } from "./shell/word.ts";
import { writtenPaths } from "./shell/writes.ts";

export type Place = { cwd: string; userHome: string };

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
  const add = (part: PathPart): void => {
    const { kind, real, path, implied } = part;
    if (!parts.some((p) => p.kind === kind && p.real === real && p.path === path && p.implied === implied))
      parts.push(part);
  };
  const addAll = (kind: "read" | "write", path: string, more: Pick<PathPart, "span" | "implied">): void => {
    for (const folder of folders) add({ kind, index, path, real: realPath(path, folder), ...more });
  };
  for (const c of analysis.commands) {
    const { span } = c;
    const part = shellPart(c, index, folders, analysis.moves.length > 0);
    parts.push(part);
    for (const { path, real } of readPlaces(c.words, folders))
      add({ kind: "read", index, path, real, span, implied: true });
    for (const folder of part.looksInto ?? [])
      add({ kind: "read", index, path: folder, real: folder, span, implied: true });
    const isFolder = (path: string) => folders.some((f) => kindOfPlace(realPath(path, f)) === "folder");
    for (const path of writtenPaths(c.words, { userHome: place.userHome, isFolder })) {
      addAll("write", path, { span, implied: true });
      if (hasGlob(path))
        for (const { real } of placesIn({ ...literalWord(path), glob: true }, folders))
          add({ kind: "write", index, path, real, span, implied: true });
    }
    // What only looks opens no connection, so an address in its arguments is only text.
    if (!part.looksAt) for (const url of urlsIn(c.words)) parts.push({ kind: "url", index, url, span });
  }
  for (const { path, span } of analysis.writes) addAll("write", path, { span });
  for (const { path, span } of analysis.reads) addAll("read", path, { span });
  return parts;
}

function shellPart(c: ShellCommand, index: number, folders: readonly string[], hasMoved: boolean): ShellPart {
  const looked = lookedAt(c.words);
  const isGit = c.words[0]?.value === "git";
  // A folder that was just entered may hold a git repository of its own making, whose configuration runs programs.
  const onlyLooks = looked && c.plain && !c.opaque && !(isGit && hasMoved);
  const places = onlyLooks ? looked.flatMap((word) => folders.flatMap((f) => placesOf(word, f, anyEntry))) : [];
  const into = isGit ? folders.map((f) => gitContext(f).gitRoot ?? f) : places;
  return {
    kind: "shell",
    index,
    text: c.text,
    words: c.words,
    span: c.span,
    ...(c.opaque ? { opaque: c.opaque } : {}),
    transparent: c.transparent,
    ...(onlyLooks ? { looksAt: places } : {}),
    ...(onlyLooks && showsBelow(c.words)
      ? { looksInto: into.flatMap((real) => (real !== undefined && kindOfPlace(real) === "folder" ? [real] : [])) }
      : {}),
    changesOwn: changesOwnSettings(c.words),
  };
}

/** What it is known to look at; of an unknown program, the files that its arguments name. */
function readPlaces(words: readonly ShellWord[], folders: readonly string[]): Named[] {
  const looked = lookedAt(words);
  if (looked) return looked.flatMap((word) => placesIn(word, folders));
  const named = words.slice(1).filter((w) => w.literal);
  // curl -d @file, dd if=file, --from=file
  const inside = named.map((w) => ({ ...w, value: w.value.replace(/^[^=@]*[=@]/, "") }));
  return [...named, ...inside].flatMap((w) => placesIn(w, folders)).filter((p) => kindOfPlace(p.real) === "file");
}

type Named = Pick<PathPart, "path" | "real">;

const placesIn = (word: ShellWord, folders: readonly string[]): Named[] =>
  folders.flatMap((folder) =>
    placesOf(word, folder, byName).map((real) => ({ path: (word.glob && real) || word.value, real })),
  );

/** Every folder that a relative path may be relative to, after none, some or all of the line's cds. */
function foldersOf(analysis: ShellAnalysis, cwd: string): string[] {
  let folders = [cwd];
  for (const target of analysis.moves) folders = [...new Set([...folders, ...folders.map((f) => resolve(f, target))])];
  return folders;
}

function urlsIn(words: readonly ShellWord[]): string[] {
  return [...new Set(words.flatMap((w) => w.value.match(URL_IN_TEXT) ?? []))];
}
