// P7: what we write, we can read: values made from the schemas, and everything that a run emits.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { encodeLine } from "../../src/base/json-line.ts";
import {
  type DurableType,
  durableEvents,
  type EventData,
  type EventType,
  eventData,
  readEvent,
} from "../../src/schema/event/envelope.ts";
import { readSession } from "../../src/session/read-session.ts";
import { openLog } from "../../src/store/append-log.ts";
import { calls, cleanEnd, error, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { arbitraryOf } from "../tool/arbitrary.ts";
import { logOf, placeFor, run } from "../tool/everlong.ts";
import { seededRandom } from "../tool/random.ts";
import { newLogPlace, openSessionLog } from "../tool/session-log.ts";

const VALUES = 10_000;
let server: ModelServer | undefined;
afterEach(() => server?.close());

describe("P7 AI2 what we write, we can read", () => {
  it("P7 10,000 events made from the schemas: written, read back equal, none rejected", async () => {
    const { seed } = seededRandom("what we write");
    const types = Object.keys(eventData) as EventType[];
    const each = Math.ceil(VALUES / types.length);
    const written: Record<string, unknown>[] = [];
    for (const type of types) {
      for (const data of fc.sample(arbitraryOf(eventData[type]()), { numRuns: each, seed })) {
        const ephemeral = !Object.hasOwn(durableEvents, type);
        const n = written.length;
        const envelope = {
          id: `e${n}`,
          type,
          timestamp: "2026-01-01T00:00:00.000Z",
          parentId: n === 0 ? null : `e${n - 1}`,
        };
        written.push({
          ...envelope,
          ...(ephemeral ? { ephemeral: true } : {}),
          ...(n % 7 === 0 ? { agentId: "a" } : {}),
          data,
        });
      }
    }
    expect(written.length).toBeGreaterThanOrEqual(VALUES);
    const { paths, quarantine } = newLogPlace();
    const read: unknown[] = [];
    const options = {
      accept: (v: unknown) => readEvent(v).type === "known",
      onRecord: (r: { value: unknown }) => read.push(r.value),
    };
    const opened = await openLog(paths.events, { ...options, quarantine: { folder: quarantine, label: "x" } });
    if (!opened.ok) throw new Error(opened.error.what);
    for (const event of written) expect(opened.value.log.append(event as { id: string }).ok).toBe(true);
    await opened.value.log.close();
    const again = await openLog(paths.events, { ...options, quarantine: { folder: quarantine, label: "x" } });
    if (!again.ok) throw new Error(again.error.what);
    await again.value.log.close();
    expect(again.value.report).toMatchObject({ records: written.length, damaged: [], doubled: 0, tornBytes: 0 });
    const different = written.findIndex((event, n) => JSON.stringify(event) !== JSON.stringify(read[n]));
    expect(written[different]).toBeUndefined();
  });

  it("P7 D4 the session's own writer gives every durable event back, and refuses what its reader would refuse", async () => {
    const place = newLogPlace();
    const { log } = await openSessionLog(place);
    const types = (Object.keys(durableEvents) as DurableType[]).filter((type) => type !== "session.start");
    const sent: unknown[] = [];
    for (const type of types) {
      for (const data of fc.sample(arbitraryOf(durableEvents[type]()), { numRuns: 20, seed: 1 })) {
        sent.push(JSON.parse(JSON.stringify(await log.emit(type, data as EventData<typeof type>))));
      }
    }
    await expect(log.emit("turn.end", { turnId: 5 } as unknown as EventData<"turn.end">)).rejects.toThrow(
      "does not fit",
    );
    await log.close();
    const read = await readSession(place.paths);
    if (!read.ok) throw new Error(read.error.what);
    expect(read.value.report.damaged).toEqual([]);
    expect(read.value.events).toEqual(sent);
  });

  it("P7 AI2 everything that a run emits, durable and ephemeral, parses with the reader's schema", async () => {
    server = await startModelServer();
    server.script(
      error(503, "try later"),
      cleanEnd("half"),
      calls(
        [
          { id: "a", name: "bash", args: { command: "echo hi; sleep 0.3; seq 1 9000", description: "x" } },
          { id: "b", name: "create", args: { path: "new.txt", file_text: "a\u2028b\n" } },
          { id: "c", name: "view", args: { path: "old.txt" } },
          { id: "d", name: "edit", args: { path: "gone.txt", old_str: "a", new_str: "b" } },
          { id: "e", name: "sql", args: { query: "INSERT INTO todos (id, title) VALUES ('t', 'x')" } },
          { id: "f", name: "report_intent", args: { intent: "looking" } },
          { id: "g", name: "nonsense", args: '{"cut' },
          { id: "h", name: "bash", args: { command: "rm -rf /", description: "x" } },
        ],
        { text: "working", reasoning: "thinking" },
      ),
      text("done", { finish: "length" }),
    );
    const place = placeFor(server);
    writeFileSync(join(place.folder, "old.txt"), "old\n");
    const args = ["-p", "go", "--allow-all", "--deny-tool", "shell(rm)", "--output-format", "stream-json"];
    const done = await run(place, args);
    expect(done.code, done.stderr).toBe(0);
    const resumed = await run(place, ["--continue", "-p", "/rename a name", "--output-format", "stream-json"]);
    const emitted = [...done.events, ...resumed.events];
    const seen = new Set(emitted.map((e) => e.type));
    expect(seen.size).toBeGreaterThan(20);
    expect(emitted.filter((e) => readEvent(e).type !== "known")).toEqual([]);
    const durable = emitted.filter((e) => !e.ephemeral);
    expect(logOf(place).map((e) => e.id)).toEqual(durable.map((e) => e.id));
  });

  it("T4 the suite sees a writer that goes beyond its reader", () => {
    const bad = {
      id: "e",
      type: "turn.end",
      timestamp: "t",
      parentId: null,
      data: { turnId: "t", status: "finished", steps: 1, durationMs: 1 },
    };
    expect(readEvent(JSON.parse(encodeLine(bad))).type).toBe("invalid");
  });
});
