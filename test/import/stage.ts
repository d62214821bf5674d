// A user's home with the history of a client in it, and a project whose repository the history is about.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newPlace, type Place } from "../tool/everlong.ts";
import { PROJECT, USER } from "./keep-home.ts";

export const FIXTURES = join(import.meta.dirname, "fixture");

export type Fixture = { client: string; version: string };

/** The homes that real clients left, one a version. */
export const fixtures: readonly Fixture[] = readdirSync(FIXTURES).flatMap((client) =>
  readdirSync(join(FIXTURES, client)).map((version) => ({ client, version })),
);

export type ImportStage = {
  place: Place;
  /** The user's home; the clients' folders are in it. */
  home: string;
};

/** A place whose folder is a repository, with an empty home of a user. */
export function importStage(env: Record<string, string> = {}): ImportStage {
  const place = newPlace(env);
  const home = join(dirname(place.folder), "user");
  mkdirSync(home);
  place.env["HOME"] = home;
  // A slow machine must not lose what it looked for.
  place.env["EVERLONG_RECALL_TIMEOUT_MS"] = "60000";
  execFileSync("git", ["init", "-q", place.folder]);
  execFileSync("git", ["-C", place.folder, "remote", "add", "origin", "https://github.com/acme/shop.git"]);
  return { place: { ...place, folder: realpathSync(place.folder) }, home };
}

/** The fixture's files in the user's home, as if the client had run in the stage's folder. */
export function placeFixture({ client, version }: Fixture, { place, home }: ImportStage): void {
  const from = join(FIXTURES, client, version);
  const own = (text: string): string => text.replaceAll(PROJECT, place.folder).replaceAll(USER, home);
  for (const path of filesOf(from)) {
    const target = join(home, path);
    mkdirSync(dirname(target), { recursive: true });
    if (path.endsWith(".db")) placeDatabase(join(from, path), target, own);
    else writeFileSync(target, own(readFileSync(join(from, path), "utf8")));
  }
}

function placeDatabase(from: string, to: string, own: (text: string) => string): void {
  cpSync(from, to);
  const db = new DatabaseSync(to);
  for (const [table, column] of [
    ["session", "directory"],
    ["sessions", "cwd"],
  ] as const) {
    const known = db.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(table);
    for (const row of known ? db.prepare(`SELECT id, ${column} AS folder FROM ${table}`).all() : [])
      db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(own(String(row["folder"])), String(row["id"]));
  }
  db.close();
}

export const filesOf = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();

/** Names, bytes and times of everything in a folder. */
export const printOf = (root: string): string[] =>
  filesOf(root).map((path) => {
    const hash = createHash("sha1")
      .update(readFileSync(join(root, path)))
      .digest("hex");
    return `${path} ${hash} ${statSync(join(root, path)).mtimeMs}`;
  });

export type Line = Record<string, unknown>;

/** A session of Claude Code with the given lines, each after the other. */
export function claudeFile(stage: ImportStage, lines: readonly (Line | string)[], name = "one"): string {
  const path = join(stage.home, ".claude", "projects", "-shop", `${name}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
}

/** A prompt as Claude Code writes it. */
export const claudeSays = (
  stage: ImportStage,
  text: string,
  { id = text, type = "user", session = "one", ...rest }: Line & { id?: string; type?: string; session?: string } = {},
): Line => ({
  ...{
    type,
    uuid: id,
    sessionId: session,
    cwd: stage.place.folder,
    gitBranch: "main",
    timestamp: "2026-03-04T05:06:07.000Z",
  },
  message: { role: type, content: [{ type: "text", text }] },
  ...rest,
});

/** The file's time, set back: two writes within a moment would look like one. */
export const setBack = (path: string, seconds = 100): void => {
  const time = Date.now() / 1000 - seconds;
  utimesSync(path, time, time);
};
