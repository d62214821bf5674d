// The change journal that store.db is made from, and the small databases of sessions.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { sessionIds } from "../../../session/find-session.ts";
import { DatabaseView } from "../../../store/database-view.ts";
import { holdHomeAlone } from "../../../store/home-lock.ts";
import { verifyJournal } from "../../../store/journal/verify.ts";
import { quickCheck } from "../../../store/rebuild/look.ts";
import { homeBusy } from "../../home-busy.ts";
import { openStore } from "../../store.ts";
import { allWell, type DoctorCheck, FIX, failure, plural, some } from "../check.ts";
import type { DoctorView } from "../view.ts";

export const journalCheck: DoctorCheck = {
  name: "journal",
  async look({ paths }) {
    const { segments, isWhole } = await verifyJournal(paths.journal);
    if (segments.length === 0) return allWell("none yet");
    const broken = segments.flatMap(({ path, damaged, fault }) => {
      if (fault) return [fault.what];
      return damaged.map(
        ({ line, offset, bytes }) => `${basename(path)} line ${line}, offset ${offset}, ${bytes} bytes`,
      );
    });
    if (broken.length > 0) return failure(`damaged: ${some(broken)}`, FIX);
    if (!isWhole) return failure("parts of it are missing", FIX);
    const lines = segments.reduce((sum, segment) => sum + segment.lines, 0);
    return allWell(`${plural(lines, "line")} in ${plural(segments.length, "segment")}, all intact`);
  },
  mend: mendJournal,
};

/** What can be read of it is applied to the store; what is damaged goes to quarantine, and it is written anew from the rows. */
async function mendJournal({ paths, now }: DoctorView): Promise<string[]> {
  const lock = await holdHomeAlone(paths.home);
  if (!lock.ok) return [homeBusy(paths.home).what];
  try {
    const level = await openStore(paths);
    if (!level.ok) return [level.error.what];
    level.value.close();
    const { segments, isWhole } = await verifyJournal(paths.journal);
    // A later copy of every row makes those before it unneeded.
    const inTheWay = isWhole ? segments.filter(({ damaged, fault }) => damaged.length > 0 || fault) : segments;
    if (isWhole && inTheWay.length === 0) return ["Moved damaged bytes to quarantine/."];
    const folder = join(paths.quarantine, `${now.toISOString().replace(/[-:]|\.\d+/g, "")}-journal`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { path } of inTheWay) renameSync(path, join(folder, basename(path)));
    if (isWhole) return [`Moved ${plural(inTheWay.length, "damaged segment")} of the journal to ${folder}.`];
    const renewed = await openStore(paths);
    if (!renewed.ok) return [renewed.error.what];
    renewed.value.close();
    return [`Rewrote the journal from store.db; the damaged one is kept in ${folder}.`];
  } finally {
    lock.value.release();
  }
}

async function brokenDatabases({ paths }: DoctorView): Promise<{ id: string; reason: string }[]> {
  const broken: { id: string; reason: string }[] = [];
  for (const id of sessionIds(paths.sessions)) {
    const { db: path } = paths.session(id);
    const opened = existsSync(path) ? await DatabaseView.open(path) : undefined;
    if (!opened) continue;
    const reason = opened.ok ? quickCheck(opened.value.db) : opened.error.what;
    if (opened.ok) opened.value.close();
    if (reason !== undefined) broken.push({ id, reason });
  }
  return broken;
}

export const sessionDatabasesCheck: DoctorCheck = {
  name: "session databases",
  async look(view) {
    const broken = await brokenDatabases(view);
    return broken.length === 0
      ? allWell("intact")
      : failure(`damaged: ${some(broken.map(({ id, reason }) => `session ${id.slice(0, 8)} (${reason})`))}`, FIX);
  },
  async mend(view) {
    const { paths } = view;
    const broken = await brokenDatabases(view);
    mkdirSync(paths.quarantine, { recursive: true, mode: 0o700 });
    for (const { id } of broken)
      for (const end of ["", "-wal", "-shm"]) {
        const from = `${paths.session(id).db}${end}`;
        if (existsSync(from)) renameSync(from, join(paths.quarantine, `${id}-session.db${end}`));
      }
    const ids = broken.map(({ id }) => id.slice(0, 8));
    return [
      `Moved the databases of ${some(ids)} to quarantine/; todos come back from the log when the session is resumed.`,
    ];
  },
};
