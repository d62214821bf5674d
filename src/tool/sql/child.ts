// The program that runs a model's SQL in a process of its own: only a process can be stopped in the middle of a query.
// `sqliteChild` is sent as text, so it must not use anything outside of itself but types.
import type { Todo, TodoDep } from "../../schema/todo.ts";

export type TodosDiff = { todos: Todo[]; removedTodos: string[]; deps: TodoDep[]; removedDeps: TodoDep[] };

export type SqlRequest = {
  file: string;
  query: string;
  maxRows: number;
  /** session.db, read and written in one transaction; or one SELECT on views over some of a database's tables. */
  kind:
    | {
        type: "session";
        schema: string;
        /** The only todo that the caller may change, and only its row: it works on that one for a fleet. */
        ownTodo?: string;
      }
    | { type: "store"; tag: string; views: { name: string; sql: string }[] };
};

export type SqlAnswer =
  | { type: "done"; columns: string[]; rows: (string | null)[][]; more: boolean; changes: number; diff?: TodosDiff }
  | { type: "refused"; message: string; code?: "not_your_todo" };

export function sqliteChild(): void {
  const { DatabaseSync, constants: c } = process.getBuiltinModule("node:sqlite");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const request = JSON.parse(readFileSync(0, "utf8")) as SqlRequest;
  const { kind } = request;
  const FORBIDDEN_FUNCTIONS = new Set([
    "load_extension",
    "readfile",
    "writefile",
    "edit",
    "fts3_tokenizer",
    "sqlite_dbpage",
  ]);
  type Database = InstanceType<typeof DatabaseSync>;
  type Authorizer = (
    code: number,
    first: string | null,
    second: string | null,
    database: string | null,
    by: string | null,
  ) => number;
  type Answer = Extract<SqlAnswer, { type: "done" }>;

  /** Compiles the first statement under the rules; undefined when only blanks and comments are left. */
  function compile(db: Database, sql: string, rules: Authorizer) {
    db.setAuthorizer(rules);
    try {
      return db.prepare(sql);
    } catch (error) {
      if ((error as { code?: string }).code === "ERR_INVALID_ARG_VALUE") return undefined;
      throw error;
    } finally {
      db.setAuthorizer(null);
    }
  }

  function cell(value: unknown): string | null {
    if (value === null) return null;
    if (!(value instanceof Uint8Array)) return String(value);
    return `x'${Buffer.from(value.subarray(0, 64)).toString("hex")}${value.length > 64 ? "…" : ""}'`;
  }

  function run(statement: NonNullable<ReturnType<typeof compile>>): Answer {
    statement.setReadBigInts(true);
    const columns = statement.columns().map((column) => column.name);
    if (columns.length === 0)
      return { type: "done", columns, rows: [], more: false, changes: Number(statement.run().changes) };
    statement.setReturnArrays(true);
    const rows: (string | null)[][] = [];
    for (const row of statement.iterate() as Iterable<unknown>) {
      if (rows.length === request.maxRows) return { type: "done", columns, rows, more: true, changes: 0 };
      rows.push((row as unknown[]).map(cell));
    }
    return { type: "done", columns, rows, more: false, changes: 0 };
  }

  function limit(db: Database): void {
    if (db.limits) db.limits.length = 16_000_000;
  }

  function sessionQuery({ schema, ownTodo }: Extract<SqlRequest["kind"], { type: "session" }>): SqlAnswer {
    const db = new DatabaseSync(request.file, { timeout: 2000 });
    limit(db);
    db.enableDefensive(true);
    db.exec(schema);
    db.exec("PRAGMA max_page_count = 16384");
    const readOnly = new Set(["todo_runs", "inbox_entries", "journal_state", "journal_erasure", "journal_mark"]);
    const protectedTables = new Set(["todos", "todo_deps", ...readOnly]);
    const denied = new Set([
      c.SQLITE_ATTACH,
      c.SQLITE_DETACH,
      c.SQLITE_PRAGMA,
      c.SQLITE_TRANSACTION,
      c.SQLITE_SAVEPOINT,
      c.SQLITE_CREATE_VTABLE,
    ]);
    for (const code of [c.SQLITE_CREATE_TRIGGER, c.SQLITE_CREATE_TEMP_TRIGGER, c.SQLITE_DROP_TRIGGER]) denied.add(code);
    const writes = new Set([c.SQLITE_INSERT, c.SQLITE_UPDATE, c.SQLITE_DELETE]);
    const rules: Authorizer = (code, first, second) => {
      const table = (code === c.SQLITE_ALTER_TABLE ? second : first)?.toLowerCase() ?? "";
      const refused =
        denied.has(code) ||
        (code === c.SQLITE_FUNCTION && FORBIDDEN_FUNCTIONS.has(second?.toLowerCase() ?? "")) ||
        (writes.has(code) && readOnly.has(table)) ||
        ((code === c.SQLITE_DROP_TABLE || code === c.SQLITE_ALTER_TABLE) && protectedTables.has(table));
      return refused ? c.SQLITE_DENY : c.SQLITE_OK;
    };
    // Of `main`: a temporary table of the same name must not hide them.
    const snapshot = () => ({
      todos: db.prepare("SELECT * FROM main.todos ORDER BY id").all() as Todo[],
      deps: db
        .prepare("SELECT todo_id, depends_on FROM main.todo_deps ORDER BY todo_id, depends_on")
        .all() as TodoDep[],
    });
    db.exec("BEGIN IMMEDIATE");
    const before = snapshot();
    let answer: Answer = { type: "done", columns: [], rows: [], more: false, changes: 0 };
    let statements = 0;
    for (let sql = request.query; ; ) {
      const statement = compile(db, sql, rules);
      if (!statement) break;
      statements++;
      const result = run(statement);
      // Rows of the last statement that gives any; changes of all.
      const changes = answer.changes + result.changes;
      answer = { ...(result.columns.length > 0 ? result : answer), changes };
      sql = sql.slice(statement.sourceSQL.length);
    }
    if (statements === 0) return { type: "refused", message: "The query contains no statement." };
    const after = snapshot();
    const missing = <T>(these: T[], those: T[]) => {
      const texts = new Set(those.map((v) => JSON.stringify(v)));
      return these.filter((v) => !texts.has(JSON.stringify(v)));
    };
    const diff: TodosDiff = {
      todos: missing(after.todos, before.todos),
      removedTodos: before.todos.map((t) => t.id).filter((id) => !after.todos.some((t) => t.id === id)),
      deps: missing(after.deps, before.deps),
      removedDeps: missing(before.deps, after.deps),
    };
    if (ownTodo !== undefined) {
      const others = [
        ...diff.todos.map((t) => t.id).filter((id) => id !== ownTodo || !before.todos.some((t) => t.id === id)),
        ...diff.removedTodos,
        ...[...diff.deps, ...diff.removedDeps].map((d) => `${d.todo_id} after ${d.depends_on}`),
      ];
      if (others.length > 0) {
        const message = `you work on todo ${ownTodo} and can change only its row, not: ${others.slice(0, 5).join(", ")}`;
        return { type: "refused", code: "not_your_todo", message };
      }
    }
    const unknown = after.deps.find(
      (d) => ![d.todo_id, d.depends_on].every((id) => after.todos.some((t) => t.id === id)),
    );
    if (unknown) {
      return {
        type: "refused",
        message: `todo_deps (${unknown.todo_id}, ${unknown.depends_on}) names a todo that does not exist`,
      };
    }
    const cycle = db
      .prepare(
        `WITH RECURSIVE reach(a, b) AS (SELECT todo_id, depends_on FROM main.todo_deps UNION
         SELECT reach.a, d.depends_on FROM reach JOIN main.todo_deps d ON d.todo_id = reach.b) SELECT a FROM reach WHERE a = b LIMIT 1`,
      )
      .get();
    if (cycle) return { type: "refused", message: `the dependencies of todo ${String(cycle["a"])} form a cycle` };
    db.exec("COMMIT");
    return { ...answer, ...(Object.values(diff).some((list) => list.length > 0) ? { diff } : {}) };
  }

  function storeQuery(tag: string, views: { name: string; sql: string }[]): SqlAnswer {
    const db = new DatabaseSync(request.file, { readOnly: true, timeout: 2000 });
    limit(db);
    db.exec("PRAGMA temp_store = memory");
    const tables = new Set(
      db
        .prepare("SELECT lower(name) AS name FROM main.sqlite_master")
        .all()
        .map((row) => String(row["name"])),
    );
    // The public view hides the table of its name. It reads a view whose name cannot be guessed, and only that one may
    // read the table: a common table expression of the public view's name would pass for the public view.
    const allowed = new Set<string>();
    for (const view of views.filter((v) => tables.has(v.name))) {
      db.exec(
        `CREATE TEMP VIEW ${tag}${view.name} AS ${view.sql}; CREATE TEMP VIEW ${view.name} AS SELECT * FROM ${tag}${view.name}`,
      );
      db.prepare(`SELECT * FROM ${view.name} LIMIT 0`).all(); // virtual tables prepare queries of their own at first use
      allowed.add(view.name).add(tag + view.name);
    }
    const rules: Authorizer = (code, first, second, database, by) => {
      if (code === c.SQLITE_SELECT || code === c.SQLITE_RECURSIVE) return c.SQLITE_OK;
      if (code === c.SQLITE_FUNCTION)
        return FORBIDDEN_FUNCTIONS.has(second?.toLowerCase() ?? "") ? c.SQLITE_DENY : c.SQLITE_OK;
      if (code !== c.SQLITE_READ) return c.SQLITE_DENY;
      const table = first?.toLowerCase() ?? "";
      if (by?.startsWith(tag) || table === "json_each" || table === "json_tree") return c.SQLITE_OK;
      if (database === "temp") return allowed.has(table) ? c.SQLITE_OK : c.SQLITE_DENY;
      // Without a database it is only counted, and may be a common table expression.
      const other =
        database === null && !tables.has(table) && !table.startsWith("sqlite_") && !table.startsWith("pragma_");
      return other || (database === null && allowed.has(table)) ? c.SQLITE_OK : c.SQLITE_DENY;
    };
    const statement = compile(db, request.query, rules);
    if (!statement) return { type: "refused", message: "The query contains no statement." };
    const rest = request.query.slice(statement.sourceSQL.length);
    if (statement.columns().length === 0) return { type: "refused", message: "Only one SELECT is allowed." };
    if (/[^\s;]/.test(rest) && compile(db, rest, () => c.SQLITE_OK)) {
      return { type: "refused", message: "Only one statement is allowed." };
    }
    return run(statement);
  }

  function answer(): SqlAnswer {
    try {
      return kind.type === "session" ? sessionQuery(kind) : storeQuery(kind.tag, kind.views);
    } catch (error) {
      return { type: "refused", message: error instanceof Error ? error.message : String(error) };
    }
  }
  process.stdout.write(JSON.stringify(answer()));
}
