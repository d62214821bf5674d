// A client's home as a fixture: only its history, without the machine's paths, long texts cut short.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Where the fixtures' project and user are said to be. */
export const PROJECT = "/home/ada/shop";
export const USER = "/home/ada";

const HISTORY: Record<string, RegExp> = {
  claude: /^\.claude\/projects\/.*\.jsonl$/,
  codex: /^\.codex\/(?:archived_)?sessions\/.*\.jsonl(?:\.zst)?$/,
  copilot: /^\.copilot\/(?:session-state\/[^/]+\/(?:events\.jsonl|workspace\.yaml)|session-store\.db)$/,
  opencode: /^\.local\/share\/opencode\/(?:opencode\.db|storage\/(?:session|message|part|project)\/.*\.json)$/,
  gemini: /^\.gemini\/(?:projects\.json|tmp\/[^/]+\/(?:\.project_root|chats\/.*))$/,
  pi: /^\.pi\/agent\/sessions\/.*\.jsonl$/,
  qwen: /^\.qwen\/projects\/[^/]+\/chats\/.*\.jsonl$/,
  cline: /^\.cline\/data\/sessions\/.*\.json$/,
  letta: /^\.letta\/lc-local-backend\/conversations\/.*\/(?:messages\.jsonl|conversation\.json)$/,
};
/** System prompts and tool definitions are the vendors'; of them nothing but the beginning is kept. */
const LONGEST = 160;
const MOST_PARTS = 8;
/** So that a block that was cut is still closed. */
const TAIL = 60;

export type HomeOf = { name: string; version: string; home: string; folder: string };

export function keepHome({ name, version, home, folder }: HomeOf, fixtures: string): void {
  const to = join(fixtures, name, version);
  rmSync(to, { recursive: true, force: true });
  const clean = (text: string): string =>
    [
      [folder, PROJECT],
      [home, USER],
      [process.env["EVERLONG_CLIENTS_DIR"] ?? home, "/opt/clients"],
    ].reduce((left, [from = "", to = ""]) => left.replaceAll(from, to), text);
  const dashed = (path: string): string =>
    path.replace(/-{0,2}root-[.-]everlong-clients-\w+-project/, (all) => `${/^-*/.exec(all)?.[0]}home-ada-shop`);
  for (const path of filesIn(home).filter((path) => HISTORY[name]?.test(path))) {
    const target = join(to, dashed(path));
    mkdirSync(dirname(target), { recursive: true });
    if (path.endsWith(".db")) keepDatabase(join(home, path), target, clean);
    else writeFileSync(target, keptText(clean(readFileSync(join(home, path), "utf8"))));
  }
}

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
    .sort();
}

/** JSON, lines of it, or anything else as it is. */
function keptText(text: string): string {
  const cut = (json: string): string => JSON.stringify(JSON.parse(json), (_key, value) => kept(value));
  try {
    return cut(text);
  } catch {
    return text
      .split("\n")
      .map((line) => (line.startsWith("{") ? cut(line) : line))
      .join("\n");
  }
}

function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_PARTS);
  return typeof value === "string" ? short(value) : value;
}

/** JSON inside of a text stays JSON. */
function short(value: string): string {
  if (value.length <= LONGEST) return value;
  return /^[[{]/.test(value)
    ? keptText(value)
    : [value.slice(0, LONGEST), ...placeLine(value), value.slice(-TAIL)].join("\n…\n");
}

/** The line that says where the project is, when it is among what is cut. */
const placeLine = (text: string): string[] =>
  text
    .slice(LONGEST, -TAIL)
    .split("\n")
    .filter((line) => line.includes(PROJECT))
    .slice(0, 1);

/** What no import reads is emptied: events, accounts, settings. */
const NOT_HISTORY =
  /^(?:event|event_sequence|account|account_state|control_account|credential|permission|migration|assistant_usage_events|search_index)$/;

function keepDatabase(from: string, to: string, clean: (text: string) => string): void {
  rmSync(to, { force: true });
  cpSync(from, to);
  if (existsSync(`${from}-wal`)) cpSync(`${from}-wal`, `${to}-wal`);
  const db = new DatabaseSync(to);
  db.exec("PRAGMA foreign_keys = OFF");
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_index_%'",
    )
    .all();
  for (const { name } of tables) {
    if (NOT_HISTORY.test(String(name))) {
      db.exec(`DELETE FROM "${name}"`);
      continue;
    }
    for (const row of db.prepare(`SELECT rowid AS at, * FROM "${name}"`).all())
      for (const [column, value] of Object.entries(row))
        if (typeof value === "string" && column !== "at")
          db.prepare(`UPDATE "${name}" SET "${column}" = ? WHERE rowid = ?`).run(
            short(clean(value)),
            row["at"] as number,
          );
  }
  db.exec("PRAGMA journal_mode = DELETE; VACUUM");
  db.close();
  for (const end of ["-wal", "-shm"]) rmSync(`${to}${end}`, { force: true });
}
