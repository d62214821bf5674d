// Runs a model's SQL in a child that can be stopped, and shows rows as text.
import { within } from "../../base/abort.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { collect } from "../../host/collect.ts";
import type { Owner } from "../../host/process.ts";
import { failure, type ToolContext, type ToolOutcome } from "../contract.ts";
import { type SqlAnswer, type SqlRequest, sqliteChild } from "./child.ts";

const LIMITS = {
  session:
    "ATTACH, PRAGMA, BEGIN and COMMIT, triggers, virtual tables, writing todo_runs and inbox_entries, and dropping the given tables are not possible",
  store: "only one SELECT on the tables named in the description is possible",
};
/** After a failure without an answer: the sql tool puts the todos back, and nothing else can be promised. */
const AFTERWARDS = { session: " The todos are as they were.", store: "" };
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_STDERR = 2000;

/** `unsure`: the child ended before it said how far it came; it may have committed. */
type SqlResult = Extract<SqlAnswer, { type: "done" }>;
type SqlRun = { answer: SqlResult } | { failed: ToolOutcome; unsure?: true };

const unsure = (failed: ToolOutcome): SqlRun => ({ failed, unsure: true });

export async function runSql(
  owner: Owner,
  request: SqlRequest,
  limitMs: number,
  context: ToolContext,
): Promise<SqlRun> {
  if (request.query.includes("\0")) return { failed: failure("invalid_inputs", '"query" contains a NUL character.') };
  const child = owner.spawn({
    command: process.execPath,
    args: ["--no-warnings", "-e", `(${sqliteChild.toString()})()`],
    cwd: context.sessionDir,
    env: {},
    stdin: "pipe",
  });
  let isTooLarge = false;
  const stdout = collect(child.stdout, MAX_ANSWER_BYTES, () => {
    isTooLarge = true;
  });
  const stderr = collect(child.stderr, MAX_STDERR);
  child.stdin?.end(JSON.stringify(request));
  const ended = await within(child.closed, limitMs, context.signal);
  if (ended.type !== "value") {
    await child.kill(0);
    if (ended.type === "aborted")
      return unsure(failure("interrupted", `The query was stopped.${AFTERWARDS[request.kind.type]}`));
    return unsure(
      failure("timeout", `The query was stopped at its limit of ${limitMs / 1000} s.${AFTERWARDS[request.kind.type]}`),
    );
  }
  if (isTooLarge)
    return unsure(failure("too_large", "The rows are too large. Select fewer columns, or substr() of them."));
  const parsed = parseJson(stdout().toString("utf8"));
  if (!parsed.ok || !isRecord(parsed.value))
    return unsure(failure("failed", `The query could not be run: ${stderr().toString("utf8").trim()}`));
  const answer = parsed.value as SqlAnswer;
  if (answer.type === "done") return { answer };
  const why = answer.message === "not authorized" ? `not authorized: ${LIMITS[request.kind.type]}` : answer.message;
  return { failed: failure(answer.code ?? "failed", `${why}. Nothing was changed.`) };
}

/** Tab separated, names of columns first; tabs and line ends in values are escaped. */
export function showRows({ columns, rows, more }: Pick<SqlResult, "columns" | "rows" | "more">): string {
  const shown = (value: string | null) =>
    value === null ? "NULL" : value.replace(/[\\\t\n\r]/g, (ch) => ESCAPES[ch] ?? ch);
  const lines = [columns, ...rows].map((row) => row.map(shown).join("\t"));
  const note = more
    ? [`[… first ${rows.length} rows; there are more: use LIMIT and OFFSET]`]
    : [`[${rows.length} rows]`];
  return [...lines, ...note].join("\n");
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
