// The files of sessions as rows of the team's database: any node reads and changes them.
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultAt } from "../../store/fault.ts";
import { allRows, changeCount, execute, insertRows, oneRow, type Unit } from "../../store/unit.ts";
import { readableText, StateReader } from "../state/files.ts";
import { parseSpec } from "../state/spec-file.ts";
import { change, type RowAccess, read } from "../store/row-access.ts";
import type { FiledSession, SessionFileName, SessionFiles } from "./contract.ts";
import type { ProxyLogLine } from "./log-line.ts";

export function rowFiles(rows: RowAccess): SessionFiles {
  const root = new StateReader();
  const placeOf = (id: string): string => `the proxied session ${id}`;
  return {
    placeOf,
    // A name belongs to the row that has it.
    claim: () => ok(true),
    isThere: () => ok(true),
    async texts({ no }, rootDir) {
      const stored = await read(rows, () => allRows("SELECT name, text FROM proxy_text WHERE session = ?", no));
      if (!stored.ok) return stored;
      const texts = new Map(stored.value.map((row) => [String(row["name"]), String(row["text"])]));
      const text = (name: SessionFileName): string => readableText(texts.get(name) ?? "");
      const { agents, warnings } = await root.root(rootDir);
      return ok({
        ...{ pinned: text("pinned"), summary: text("summary"), todo: text("todo"), agents, warnings },
        ...optional("spec", parseSpec(texts.get("spec") ?? "")),
      });
    },
    async change<E>(session: FiledSession, name: SessionFileName, next: (text: string) => Result<string, E>) {
      const outcome = await change(rows, () => changing(session, name, next, placeOf(session.id)));
      return outcome.ok ? outcome.value : outcome;
    },
    append: (session, lines, noted) =>
      change(rows, function* () {
        if (!(yield* locked(session))) return; // deleted meanwhile: nothing is made again
        const events = yield* lines();
        const values = events.map((event) => [session.no, event.id, event.kind, JSON.stringify(withoutStored(event))]);
        yield* insertRows(
          "proxy_event",
          ["session", "id", "kind", "line"],
          values,
          "ON CONFLICT (session, id) DO NOTHING",
        );
        yield* noted(events);
      }),
    async log(session, { after = 0, kind, limit = 50 }) {
      const own = kind === undefined ? "" : "AND e.kind = ?";
      const sql = `SELECT e.no, e.line, i.text FROM proxy_event e
        LEFT JOIN proxy_item i ON i.session = e.session AND i.own = e.id
        WHERE e.session = ? AND e.no > ? ${own} ORDER BY e.no LIMIT ?`;
      const values = [session.no, after, ...(kind === undefined ? [] : [kind]), limit + 1];
      const page = await read(rows, () => allRows(sql, ...values));
      if (!page.ok) return page;
      const shown = page.value.slice(0, limit);
      const events = shown.map((row) => lineOf(row["line"], row["text"]));
      const next = page.value.length > limit ? Number(shown.at(-1)?.["no"]) : undefined;
      return ok({ events, ...optional("next", next) });
    },
    // They go with the session's row.
    erase: (_session, erased) => erased(),
  };
}

function* locked({ no }: FiledSession): Unit<boolean> {
  return (yield* changeCount("UPDATE proxy_session SET logged = logged + 1 WHERE no = ?", no)) === 1;
}

function* changing<E>(
  session: FiledSession,
  name: SessionFileName,
  next: (text: string) => Result<string, E>,
  place: string,
): Unit<Result<string, E | Fault>> {
  if (!(yield* locked(session))) return fail(faultAt("not_found", place, "the session was deleted"));
  const row = yield* oneRow("SELECT text FROM proxy_text WHERE session = ? AND name = ?", session.no, name);
  const before = row === undefined ? "" : String(row["text"]);
  const after = next(before);
  if (!after.ok || after.value === before) return after;
  yield* execute(
    `INSERT INTO proxy_text (session, name, text) VALUES (?, ?, ?)
     ON CONFLICT (session, name) DO UPDATE SET text = excluded.text`,
    ...[session.no, name, after.value],
  );
  return after;
}

/** The text of an item is in its own row. */
const withoutStored = (event: ProxyLogLine): ProxyLogLine =>
  event.hash === undefined ? event : { ...event, text: "" };

function lineOf(line: unknown, text: unknown): ProxyLogLine {
  const event = JSON.parse(String(line)) as ProxyLogLine;
  return event.hash !== undefined && typeof text === "string" ? { ...event, text } : event;
}
