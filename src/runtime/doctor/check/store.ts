// store.db: whole, of a version we know, its log short, its search index sound, and level with the session logs.
import { statSync } from "node:fs";
import { errorText, type Failure } from "../../../base/failure.ts";
import { indexProblem } from "../../../memory/recall/store/damage.ts";
import { DatabaseView } from "../../../store/database-view.ts";
import { segmentsIn } from "../../../store/journal/segment.ts";
import { storeMigrations } from "../../../store/migrations.ts";
import { rebuildStore } from "../../../store/open-store.ts";
import { rebuiltText } from "../../../store/rebuild/rebuilt-text.ts";
import { emptyLog } from "../../../store/sqlite.ts";
import { emptyIndex, rebuildIndex } from "../../recall/rebuild.ts";
import { catchUp, openStore } from "../../store.ts";
import { openWorkspace } from "../../workspace.ts";
import { allWell, type CheckFinding, type DoctorCheck, FIX, failure, plural, some, warning } from "../check.ts";
import { inStore, unevenLogs } from "../indexed-logs.ts";
import type { DoctorView } from "../view.ts";

const LONG_WAL_BYTES = 64 * 1024 * 1024;
const MEGA = 1024 * 1024;

/** What SQLite finds wrong, the search tables included. */
function problemOf(view: DatabaseView): string | undefined {
  try {
    const [first] = view.db.prepare("PRAGMA integrity_check(1)").all();
    const text = String(Object.values(first ?? {})[0]);
    return text === "ok" ? undefined : text.replace(/^\*\*\*.*\n/, "");
  } catch (error) {
    return errorText(error);
  }
}

export const storeCheck: DoctorCheck = {
  name: "store",
  async look({ paths }) {
    const opened = await DatabaseView.open(paths.store);
    if (!opened.ok) {
      if (opened.error.code !== "not_found") return damaged(opened.error.what);
      return segmentsIn(paths.journal).length === 0 ? allWell("none yet") : damaged("it is missing");
    }
    const view = opened.value;
    try {
      const problem = problemOf(view);
      // A damaged search table has its own check, and its own cheaper cure.
      if (problem !== undefined && !isSearchProblem(problem)) return damaged(problem);
      const version = view.number("PRAGMA user_version") ?? 0;
      if (version > storeMigrations.length)
        return failure(
          `written by a newer everlong (schema ${version}, this one supports ${storeMigrations.length})`,
          "Update everlong.",
        );
      const size = (statSync(paths.store).size / MEGA).toFixed(1);
      return allWell(
        `intact, schema ${version}, ${size} MB, ${plural(view.count("sessions") ?? 0, "session")}, ${plural(view.count("memories") ?? 0, "memory", "memories")}`,
      );
    } finally {
      view.close();
    }
  },
  async mend({ paths }) {
    const rebuilt = await rebuildStore(paths, "everlong doctor found it damaged");
    if (!rebuilt.ok) return [rebuilt.error.what];
    return [rebuiltText(rebuilt.value), ...(await remakeIndex())];
  },
};

const damaged = (what: string): CheckFinding => failure(`damaged: ${what}`, FIX);

const isSearchProblem = (problem: string): boolean => /fts5|search_index|recall_terms|memory_text/i.test(problem);

export const walCheck: DoctorCheck = {
  name: "write-ahead log",
  look({ paths }) {
    const bytes = statSync(`${paths.store}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const text = `${(bytes / MEGA).toFixed(1)} MB`;
    return bytes > LONG_WAL_BYTES ? warning(`${text} not yet moved into store.db`, FIX) : allWell(text);
  },
  async mend({ paths }) {
    const db = await openStore(paths);
    if (!db.ok) return [notRepaired(db.error)];
    const emptied = await emptyLog(db.value);
    db.value.close();
    return [emptied.ok ? "Moved the write-ahead log into store.db." : emptied.error.what];
  },
};

export const searchCheck: DoctorCheck = {
  name: "search index",
  async look(view) {
    const problem = await inStore(view, ({ db }) => {
      if (Number(db.prepare("PRAGMA user_version").get()?.["user_version"]) < storeMigrations.length) return undefined;
      return indexProblem(db);
    });
    return problem === undefined ? allWell("intact") : failure(`damaged: ${problem}`, FIX);
  },
  mend: () => remakeIndex(),
};

const notRepaired = ({ what }: Failure): string => `Not repaired: ${what}`;

async function remakeIndex(): Promise<string[]> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return [notRepaired(workspace.error)];
  const db = await openStore(workspace.value.paths);
  if (!db.ok) return [notRepaired(db.error)];
  try {
    const emptied = await emptyIndex(db.value);
    const outcome = emptied.ok ? await rebuildIndex(db.value, workspace.value, () => undefined) : emptied;
    return [
      outcome.ok
        ? `Rebuilt the search index from ${plural(outcome.value.sessions, "session")}.`
        : notRepaired(outcome.error),
    ];
  } finally {
    db.value.close();
  }
}

/** Sessions whose log goes further than the index; those at work are always a little ahead. */
const behind = async (view: DoctorView): Promise<string[]> =>
  (await unevenLogs(view)).filter(({ bytes }) => bytes > 0).map(({ id }) => id);

export const lagCheck: DoctorCheck = {
  name: "indexing",
  async look(view) {
    const late = await behind(view);
    return late.length === 0
      ? allWell("up to date")
      : warning(`${plural(late.length, "session")} not fully indexed: ${some(late.map((id) => id.slice(0, 8)))}`, FIX);
  },
  async mend() {
    const workspace = await openWorkspace();
    if (!workspace.ok) return [notRepaired(workspace.error)];
    const db = await openStore(workspace.value.paths);
    if (!db.ok) return [notRepaired(db.error)];
    const outcome = await catchUp(db.value, workspace.value.paths, workspace.value.indexing, () => undefined);
    db.value.close();
    return [outcome.ok ? "Brought the index up to date." : notRepaired(outcome.error)];
  },
};
