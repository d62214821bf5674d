// events.jsonl of a session: whole lines, each once, whichever process writes them.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { encodeLine } from "../../base/json-line.ts";
import { Mutex } from "../../base/mutex.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type AppendLog, MAX_LINE, openLog } from "../../store/append-log.ts";
import { type Fault, faultOf } from "../../store/fault.ts";
import { acquireLock } from "../../store/lock.ts";
import { type Damage, readLog } from "../../store/read-log.ts";
import { spillText } from "../../store/spill.ts";
import { execute, oneRow } from "../../store/unit.ts";
import { change, type RowAccess, read } from "../store/row-access.ts";
import type { FiledSession, LogPage, SessionFiles } from "./contract.ts";
import { isEvent, type ProxyLogLine } from "./log-line.ts";

type LogPlace = { locks: string; quarantine: string; onDamaged?: (message: string) => void };

/** A cut waits for it; lines that could not be written are due until they are. */
const LOCK_MS = 1000;

export class FolderLog {
  readonly #place: LogPlace;
  readonly #rows: RowAccess;
  readonly #folderOf: (id: string) => string;
  /** One log is written at a time. */
  readonly #logs = new Mutex();

  constructor(place: LogPlace, rows: RowAccess, folderOf: (id: string) => string) {
    this.#place = place;
    this.#rows = rows;
    this.#folderOf = folderOf;
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#logs.run(work);
  }

  append(
    session: FiledSession,
    ...[lines, noted]: Tail<Parameters<SessionFiles["append"]>>
  ): Promise<Result<void, Fault>> {
    return this.alone(async () => {
      const { locks, quarantine, onDamaged } = this.#place;
      const folder = this.#folderOf(session.id);
      const path = logIn(folder);
      const lock = await acquireLock(join(locks, `proxy-${session.id}.lock`), { limitMs: LOCK_MS });
      if (!lock.ok) return lock;
      let log: AppendLog | undefined;
      try {
        const ready = await read(this.#rows, function* () {
          const row = yield* oneRow("SELECT logged FROM proxy_session WHERE no = ?", session.no);
          return row && { logged: Number(row["logged"]), events: yield* lines() };
        });
        if (!ready.ok) return ready;
        if (!ready.value) return ok(undefined); // deleted meanwhile: nothing is made again
        const { events, logged } = ready.value;
        const there = new Set<string>();
        const opened = await openLog(path, {
          accept: isEvent,
          onRecord: ({ value }) => there.add(String(value["id"])),
          from: await knownEnd(path, logged),
          quarantine: { folder: quarantine, label: `proxy-${session.id}` },
        });
        if (!opened.ok) return opened;
        log = opened.value.log;
        const { damaged } = opened.value.report;
        if (damaged.length > 0) onDamaged?.(damagedText(path, damaged));
        const written = await appendNew(log, folder, events, there);
        if (!written.ok) return written;
        const { size } = log;
        return await change(this.#rows, function* () {
          yield* noted(events);
          yield* execute("UPDATE proxy_session SET logged = ? WHERE no = ?", size, session.no);
        });
      } catch (error) {
        return fail(faultOf(error, path));
      } finally {
        await log?.close();
        lock.value.release();
      }
    });
  }

  async read(session: FiledSession, page: Parameters<SessionFiles["log"]>[1]): Promise<Result<LogPage, Fault>> {
    const { after = 0, kind, limit = 50 } = page;
    const events: ProxyLogLine[] = [];
    const enough = new AbortController();
    let next: number | undefined;
    const outcome = await readLog(logIn(this.#folderOf(session.id)), {
      accept: isEvent,
      from: after,
      signal: enough.signal,
      onRecord: ({ value, offset }) => {
        if (kind !== undefined && value["kind"] !== kind) return;
        if (events.length < limit) events.push(value as ProxyLogLine);
        else if (next === undefined) {
          next = offset;
          enough.abort(Object.assign(new Error("the page is full"), { code: "ECANCELED" }));
        }
      },
    });
    if (outcome.ok || next !== undefined) return ok({ events, ...optional("next", next) });
    return outcome.error.code === "not_found" ? ok({ events: [] }) : fail(outcome.error);
  }
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

const logIn = (folder: string): string => join(folder, "events.jsonl");

/** Where reading goes on: what lies before is known to be whole. */
async function knownEnd(path: string, logged: number): Promise<number> {
  try {
    return (await stat(path)).size >= logged ? logged : 0;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}

function damagedText(path: string, damaged: readonly Damage[]): string {
  const bytes = damaged.reduce((sum, one) => sum + one.bytes, 0);
  const moved = damaged.flatMap(({ file }) => file ?? []);
  return `${path}: ${bytes} bytes are damaged${moved.length > 0 ? ` and were moved to ${moved.join(", ")}` : ""}.`;
}

async function appendNew(
  log: AppendLog,
  folder: string,
  events: readonly ProxyLogLine[],
  there: ReadonlySet<string>,
): Promise<Result<void, Fault>> {
  for (const event of events) {
    if (there.has(event.id)) continue;
    const short = await inLine(folder, event);
    if (!short.ok) return short;
    const written = log.append(short.value);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

/** A text that does not fit into a line stands in a file of its own first. */
async function inLine(folder: string, event: ProxyLogLine): Promise<Result<ProxyLogLine, Fault>> {
  if (event.text.length * 6 < MAX_LINE - 4096 || Buffer.byteLength(encodeLine(event)) <= MAX_LINE) return ok(event);
  const spilled = await spillText(join(folder, "files"), event.text);
  if (!spilled.ok) return spilled;
  const { sha256, bytes } = spilled.value;
  return ok({ ...event, text: "", file: { sha256, bytes } });
}
