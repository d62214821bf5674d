// Logs with torn ends, and what crashes leave behind.
import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { newId } from "../../../base/id.ts";
import { SessionLog } from "../../../session/log.ts";
import { openLog } from "../../../store/append-log.ts";
import { homeFiles } from "../../../store/home-files.ts";
import { isTemporary } from "../../../store/kinds.ts";
import { acquireLock } from "../../../store/lock.ts";
import { allWell, type DoctorCheck, FIX, failure, plural, some, warning } from "../check.ts";
import { unevenLogs } from "../indexed-logs.ts";
import type { LogCondition } from "../log-condition.ts";
import type { DoctorView } from "../view.ts";

const HOUR_MS = 3_600_000;

const isBroken = ({ damaged, report, inUse }: LogCondition): boolean =>
  !inUse && (damaged.length > 0 || report?.terminated === false);

/** Nothing of it is left that could be mended. */
const isEmptied = ({ emptied, inUse }: LogCondition): boolean => emptied && !inUse;

const brokenText = ({ id, report, damaged }: LogCondition): string => {
  const [first] = damaged;
  const where = first
    ? `line ${first.line}, offset ${first.offset}, ${first.bytes} bytes`
    : "its last line is incomplete";
  return `session ${id.slice(0, 8)} (${where}${report ? `; ${report.records} events are whole` : ""})`;
};

export const logsCheck: DoctorCheck = {
  name: "session logs",
  async look(view) {
    const logs = await view.logs();
    const unreadable = logs.filter(({ report }) => !report);
    if (unreadable.length > 0)
      return failure(
        some(unreadable.map(({ problem }) => problem ?? "")),
        "Make the files plain files that you can read.",
      );
    const broken = logs.filter(isBroken);
    const emptied = logs.filter(isEmptied);
    const named = new Set([...broken, ...emptied].map(({ id }) => id));
    const shortened = (await unevenLogs(view)).filter(({ id, bytes }) => bytes < 0 && !named.has(id));
    if (broken.length + emptied.length + shortened.length === 0)
      return allWell(`${plural(logs.length, "log")}, all intact`);
    const lost = emptied.map(({ id }) => `session ${id.slice(0, 8)}`);
    const findings: string[] = [];
    const fixes: string[] = [];
    if (broken.length > 0) {
      findings.push(`damaged: ${some(broken.map(brokenText))}`);
      fixes.push(`${FIX} moves the damaged bytes to quarantine/; every intact event is kept`);
    }
    if (emptied.length > 0) {
      findings.push(`emptied, the conversation is gone: ${some(lost)}`);
      fixes.push("put events.jsonl back from a backup, or remove the session: everlong sessions delete ID");
    }
    if (shortened.length > 0) {
      const texts = shortened.map(
        ({ id, bytes }) => `session ${id.slice(0, 8)} (${plural(-bytes, "byte")} at its end)`,
      );
      findings.push(`shorter than when they were indexed: ${some(texts)}`);
      fixes.push("put events.jsonl back from a backup; what was said there is still found by everlong recall");
    }
    return failure(findings.join("; "), fixes.join("; "));
  },
  async mend(view) {
    const broken = (await view.logs()).filter(isBroken);
    const did: string[] = [];
    for (const log of broken) did.push(log.proxied ? await mendProxied(view, log) : await mendOwn(view, log));
    return did;
  },
};

/** As a resume does it: the tail moves to quarantine, and each damage is told of in the log. */
async function mendOwn({ paths }: DoctorView, { id }: LogCondition): Promise<string> {
  const opened = await SessionLog.open({
    paths: paths.session(id),
    quarantine: paths.quarantine,
    sessionId: id,
    clock: systemClock,
    newId,
    onEvent: () => undefined,
    giveUpMs: 0,
  });
  if (!opened.ok) return `Session ${id} is unchanged: ${opened.error.what}`;
  const { log, report } = opened.value;
  try {
    for (const { line, offset, bytes, file } of report.damaged)
      await log.emit("session.damaged", { line, offset, bytes, ...(file ? { file } : {}) });
  } finally {
    await log.close();
  }
  return mendedText(id, report.tornBytes);
}

const mendedText = (id: string, tornBytes: number): string =>
  tornBytes > 0
    ? `Session ${id}: ${plural(tornBytes, "byte")} moved to quarantine/; the log is intact again.`
    : `Session ${id}: the log is readable to its end; damaged lines in it are skipped.`;

async function mendProxied({ paths }: DoctorView, { id, path }: LogCondition): Promise<string> {
  const lock = await acquireLock(join(paths.home, "locks", `proxy-${id}.lock`), { limitMs: 1000 });
  if (!lock.ok) return `Session ${id} is in use and was left unchanged.`;
  try {
    const opened = await openLog(path, {
      accept: (value) => typeof value["id"] === "string",
      onRecord: () => undefined,
      quarantine: { folder: paths.quarantine, label: `proxy-${id}` },
    });
    if (!opened.ok) return `Session ${id} is unchanged: ${opened.error.what}`;
    await opened.value.log.close();
    return mendedText(id, opened.value.report.tornBytes);
  } finally {
    lock.value.release();
  }
}

/** What we made ourselves and is of use to nobody; what is younger than an hour may still be at work. */
async function leftovers(view: DoctorView): Promise<string[]> {
  const { paths, now } = view;
  const isOld = (path: string): boolean =>
    now.getTime() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime()) > HOUR_MS;
  const temporary = [...homeFiles(paths.home)].filter(({ path }) => isTemporary(path)).map((f) => f.absolute);
  const copies = namesIn(join(paths.home, "backups")).filter((name) => /^copy-[0-9a-f]{12}$/.test(name));
  const unpacked = namesIn(dirname(paths.home)).filter((name) => name.startsWith(`${basename(paths.home)}.restore-`));
  const orphans = (await view.logs()).flatMap(({ id, report, checkpoints, inUse, proxied }) => {
    if (proxied || inUse || !report) return [];
    const { checkpoints: folder } = paths.session(id);
    const wanted = new Set(["index.md", ...checkpoints.map((path) => basename(path))]);
    return namesIn(folder)
      .filter((name) => name.endsWith(".md") && !wanted.has(name))
      .map((name) => join(folder, name));
  });
  return [
    ...temporary,
    ...copies.map((name) => join(paths.home, "backups", name)),
    ...unpacked.map((name) => join(dirname(paths.home), name)),
    ...orphans,
  ].filter(isOld);
}

export const leftoversCheck: DoctorCheck = {
  name: "leftovers",
  async look(view) {
    const paths = await leftovers(view);
    return paths.length === 0
      ? allWell("none")
      : warning(
          `${plural(paths.length, "file")} that a crash left behind: ${some(paths.map((p) => basename(p)))}`,
          FIX,
        );
  },
  async mend(view) {
    const paths = await leftovers(view);
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    return [`Removed ${some(paths.map((path) => basename(path)))}.`];
  },
};

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
