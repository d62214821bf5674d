// Todos: written with sql, every change in the log, and the tables rebuilt from it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { oneCall, onlySession, scene, toolResults } from "./scene.ts";

const sql = (query: string) => oneCall("sql", { query });
const ADD =
  "INSERT INTO todos (id, title) VALUES ('a', 'first'), ('b', 'second'); INSERT INTO todo_deps VALUES ('b', 'a')";
const LIST = "SELECT id, status FROM todos ORDER BY id";

describe("A5.15 todos", () => {
  it("A5.15 changes are durable events, and the tables come back from the log when session.db is lost", async () => {
    const { server, place } = await scene([
      sql(ADD),
      sql("UPDATE todos SET status = 'done' WHERE id = 'a'"),
      text("planned"),
      sql(`${LIST}`),
      sql("SELECT * FROM todo_deps"),
      text("seen"),
    ]);
    expect((await run(place, ["-p", "plan"])).code).toBe(0);
    const id = onlySession(place);
    const changes = only(logOf(place, id), "session.todos_changed");
    expect(changes).toHaveLength(2);
    expect(changes[0]?.data.todos.map((t) => [t.id, t.status])).toEqual([
      ["a", "pending"],
      ["b", "pending"],
    ]);
    expect(changes[0]?.data.deps).toEqual([{ todo_id: "b", depends_on: "a" }]);
    expect(changes[1]?.data.todos.map((t) => [t.id, t.status])).toEqual([["a", "done"]]);
    expect((await run(place, ["--resume", id, "-p", "/todos"])).stdout).toMatch(
      /1 of 2 done[\s\S]*\[pending\] b: second \(after a\)/,
    );

    for (const name of ["session.db", "session.db-wal", "session.db-shm"])
      rmSync(join(place.home, "sessions", id, name), { force: true });
    expect((await run(place, ["--resume", id, "-p", "go on"])).code).toBe(0);
    const [, , list, deps] = toolResults(server.requests.at(-1));
    expect(list?.text).toMatch(/a\W+done[\s\S]*b\W+pending/);
    expect(deps?.text).toMatch(/b\W+a/);
    // Restoring changed nothing: no new event.
    expect(only(logOf(place, id), "session.todos_changed")).toHaveLength(2);
  });

  it("A5.15 a cycle or an unknown dependency is refused at commit, with nothing changed", async () => {
    const { server, place } = await scene([
      sql(ADD),
      sql("INSERT INTO todo_deps VALUES ('a', 'b')"),
      sql("INSERT INTO todo_deps VALUES ('a', 'nowhere')"),
      sql("SELECT count(*) FROM todo_deps"),
      text("ok"),
    ]);
    expect((await run(place, ["-p", "plan"])).code).toBe(0);
    const [, cycle, unknown, count] = toolResults(server.requests.at(-1));
    expect(cycle?.text).toMatch(/cycle/);
    expect(unknown?.text).toMatch(/does not exist/);
    expect(count?.text).toMatch(/\b1\b/);
    expect(only(logOf(place), "session.todos_changed")).toHaveLength(1);
  });

  it("A8.15 a rewind takes todos back, in the tables too", async () => {
    const { server, place } = await scene([text("hello"), sql(ADD), text("planned"), sql(LIST), text("seen")]);
    await run(place, ["-p", "one"]);
    const id = onlySession(place);
    await run(place, ["--resume", id, "-p", "two"]);
    const back = await run(place, ["sessions", "rewind", id, "--to", "t2"]);
    expect(back.code, back.stderr).toBe(0);
    expect((await run(place, ["--resume", id, "-p", "/todos"])).stdout).toContain("No todos");
    expect((await run(place, ["--resume", id, "-p", "three"])).code).toBe(0);
    const shown = toolResults(server.requests.at(-1)).at(-1)?.text ?? "";
    expect(shown).not.toMatch(/pending/);
  });

  it("AB16 ATTACH, a write outside and endless recursion are refused or stopped", async () => {
    const { server, place } = await scene([
      sql("ATTACH '/etc/passwd' AS p"),
      sql("PRAGMA journal_mode = DELETE"),
      oneCall("session_store_sql", { query: "DELETE FROM sessions" }),
      oneCall("session_store_sql", { query: "SELECT 1; SELECT 2" }),
      text("ok"),
    ]);
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
    for (const result of toolResults(server.requests.at(-1))) expect(result.text).toMatch(/^Error \(/);
    expect((await run(place, ["sessions", "list"])).stdout).toContain(onlySession(place));
  });
});
