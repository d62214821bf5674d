// P11: several processes on one home: exact counts, nothing lost, no lock error shown.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { startGateway } from "../proxy/gateway.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { logOf, only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { soakCount } from "../tool/soak.ts";

const AGENTS = soakCount(3, 6);
const TURNS = soakCount(2, 12);
const STEPS = 8;
/** How often the gateway is asked, and something is remembered, meanwhile. */
const BESIDE = soakCount(2, 24);
const LOCK_WORDS = /busy|locked|SQLITE|database is/i;

let server: ModelServer;
afterEach(() => server.close());

/** Each prompt gets STEPS steps with a call, then its answer. */
function work(body: unknown): Reply {
  const messages = (body as { messages: { role: string }[] }).messages;
  const since = messages.length - 1 - messages.findLastIndex((m) => m.role === "user");
  const step = since / 2 + 1;
  if (step > STEPS) return text("the work is done");
  return calls([
    { name: "bash", args: { command: `echo step ${step} https://example.com/pull/${step}`, description: "x" } },
  ]);
}

/** What the index must hold if every log is in it exactly once. */
function indexed(place: Place) {
  const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
  const all = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  const rows = {
    sessions: all("SELECT id, event_count, name FROM sessions ORDER BY id"),
    turns: all(
      "SELECT session_id, turn_index, status, user_message, assistant_response FROM turns ORDER BY session_id, turn_index",
    ),
    calls: all(
      "SELECT session_id, turn_index, step, input_tokens FROM model_calls ORDER BY session_id, turn_index, step",
    ),
    refs: all("SELECT session_id, ref_type, ref_value, turn_index FROM session_refs ORDER BY 1, 2, 3"),
    texts: all("SELECT session_id, source_type, source_id, content FROM search_index ORDER BY 1, 3, 2"),
  };
  const check = db.prepare("PRAGMA quick_check").get()?.["quick_check"];
  db.close();
  return { rows, check };
}

describe("P11 one home, several processes", () => {
  it("P11 PE6 agents at once, a gateway, readers and memory add: exact rows, equal to a rebuilt index, no lock error, a clean doctor", async () => {
    server = await startModelServer();
    server.always((request) => work(request.body));
    const place = placeFor(server, { EVERLONG_UPSTREAM_OPENAI: server.url, EVERLONG_EMBEDDER: "none" });
    const gateway = await startGateway(server, { place });
    const agent = async (n: number) => {
      const first = await run(place, ["-p", `prompt of agent ${n}`, "--allow-all", "--output-format", "json"]);
      const turns = [first];
      while (turns.length < TURNS)
        turns.push(await run(place, ["--resume", String(first.json["sessionId"]), "-p", `again ${n}`, "--allow-all"]));
      return turns;
    };
    const reader = async () => [
      await run(place, ["sessions", "--all"]),
      await run(place, ["sessions", "search", "step"]),
    ];
    const adder = async () => {
      const adds = [];
      for (let n = 0; n < BESIDE; n++)
        adds.push(await run(place, ["memory", "add", `Service ${n} listens on port ${n}`]));
      return adds;
    };
    const client = async () => {
      for (let n = 0; n < BESIDE; n++) {
        const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-everlong-session": `client-${n}` },
          body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: `request ${n}` }] }),
        });
        expect(answer.status).toBe(200);
        await answer.text();
      }
      return [];
    };
    const agents = Array.from({ length: AGENTS }, (_, n) => agent(n));
    const finished = (await Promise.all([...agents, reader(), adder(), client()])).flat();
    for (const done of finished) {
      expect(done.code, done.stderr).toBe(0);
      expect(done.stderr + done.stdout).not.toMatch(LOCK_WORDS);
    }
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
    const { rows, check } = indexed(place);
    expect(check).toBe("ok");
    expect(rows.turns.length).toBe(TURNS * AGENTS);
    expect(rows.turns.every((t) => t["status"] === "done" && t["assistant_response"] === "the work is done")).toBe(
      true,
    );
    expect(rows.calls.length).toBe(TURNS * AGENTS * (STEPS + 1));
    for (const session of rows.sessions) {
      const log = logOf(place, String(session["id"]));
      expect(session["event_count"]).toBe(log.length);
      expect(only(log, "tool.execution_complete").length).toBe(TURNS * STEPS);
    }
    const listed = async (path: string) => ((await (await gateway.api(path)).json()) as { items: object[] }).items;
    expect(await listed("/api/memory/records?all=true")).toHaveLength(BESIDE);
    await expect.poll(() => listed("/api/proxy/requests")).toHaveLength(BESIDE);
    const doctor = await run(place, ["doctor", "--json"]);
    expect(doctor.code, doctor.stdout).toBe(0);
    expect((await gateway.stop()).stderr).not.toMatch(LOCK_WORDS);
    const rebuilt = await run(place, ["sessions", "reindex"]);
    expect(rebuilt.code, rebuilt.stderr).toBe(0);
    expect(indexed(place).rows).toEqual(rows);
  });

  it("P11 D6 six processes that set six settings of one file at once: all six are in it", async () => {
    server = await startModelServer();
    const place = placeFor(server);
    const wanted: [string, number][] = [
      ["turn.maxSteps", 11],
      ["retry.max", 3],
      ["bash.waitSeconds", 7],
      ["tool.outputMaxBytes", 4096],
      ["instructions.maxTokens", 99],
      ["pressure.rssMb", 512],
    ];
    const finished = await Promise.all(
      wanted.map(([key, value]) => run(place, ["settings", "set", key, String(value)])),
    );
    for (const done of finished) expect(done.code, done.stderr).toBe(0);
    const read = await Promise.all(wanted.map(([key]) => run(place, ["settings", "get", key])));
    expect(read.map((r) => r.stdout.trim())).toEqual(
      wanted.map(([, value]) => expect.stringContaining(String(value)) as string),
    );
    expect(() => JSON.parse(readFileSync(join(place.home, "settings.json"), "utf8")) as unknown).not.toThrow();
  });

  it("P11 A8.20 two agents on one session: one works, the other is told the pid, exit 1, and nothing of it is written", async () => {
    server = await startModelServer();
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    server.script(text("first"), text("held", { hold }));
    const place = placeFor(server);
    await run(place, ["-p", "one"]);
    const [id = ""] = sessionsOf(place);
    const first = run(place, ["--resume", id, "-p", "two"]);
    await server.waitFor(2);
    const second = await run(place, ["--resume", id, "-p", "three"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/is open in another process \(pid \d+\)/);
    const read = await run(place, ["sessions", "export", id]);
    expect(read.code, read.stderr).toBe(0);
    release();
    expect((await first).code).toBe(0);
    expect(only(logOf(place, id), "user.message").map((e) => e.data.content)).toEqual(["one", "two"]);
  });

  it("T4 a build whose index counts an event twice is seen", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const place = {
      ...placeFor(server),
      bin: brokenCopy("event_count = event_count + ?", "event_count = event_count + 1 + ?"),
    };
    await run(place, ["-p", "one"]);
    expect(indexed(place).rows.sessions[0]?.["event_count"]).not.toBe(logOf(place).length);
  });
});
