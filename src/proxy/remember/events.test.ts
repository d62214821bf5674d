import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Filtered, secretRedactor } from "../../memory/secret/filter.ts";
import type { HistoryItem } from "../contract.ts";
import type { ProxyLogLine } from "../files/log-line.ts";
import { itemByRef } from "../store/list.ts";
import { locate } from "../store/locate.ts";
import type { ProxySession } from "../store/session.ts";
import { caller, history, openPlace, type Place, rememberIn, request, seeable, value } from "../store/store-fixture.ts";
import { appendEvent, dropItems, flushEvents } from "./events.ts";
import { markVanished } from "./vanished.ts";

let place: Place;
let damages: string[];
beforeEach(async () => {
  damages = [];
  place = await openPlace({ onDamaged: (message) => damages.push(message) });
});
afterEach(() => place.remove());

const me = caller("k");
const BASE = ["u:task", "c:one", "r:one", "a:done", "u:more", "c:two", "r:two"];
const ownsOf = (items: readonly HistoryItem[]): string[] => items.flatMap((item) => item.own ?? []);
const clean = (text: string) => (value(secretRedactor("key").text(text)) as Filtered).text;

async function stored(lines: readonly string[]) {
  const items = history(...lines);
  const went = await request(place.store, me, items);
  const remember = rememberIn(place);
  value(await remember.ensure(went.session, went.lane.id, items.flatMap(seeable)));
  await remember.close();
  return { ...went, items };
}

const logPath = (session: ProxySession): string => join(session.path, "events.jsonl");
const linesOf = (session: ProxySession): ProxyLogLine[] =>
  existsSync(logPath(session))
    ? readFileSync(logPath(session), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as ProxyLogLine)
    : [];

describe("the log of a session", () => {
  it("X49 X52 two who write what is due at the same time write each line once", async () => {
    const { session, lane, items } = await stored(BASE);
    const gone = ownsOf(items.slice(1, 5));
    const both = [dropItems(place.store, session, lane.id, gone, "proxy"), flushEvents(place.store, session)];
    for (const done of await Promise.all([...both, flushEvents(place.store, session)])) value(done);
    expect(linesOf(session).map(({ hash }) => hash)).toEqual(gone);
  });

  it("X49 X51 X54 an item that leaves a request is one private line with its ref", async () => {
    const { session, lane, items } = await stored(BASE);
    const gone = ownsOf(items.slice(1, 3));
    value(await dropItems(place.store, session, lane.id, gone, "proxy"));
    value(await dropItems(place.store, session, lane.id, gone, "proxy"));
    const [call, result, ...rest] = linesOf(session);
    expect(rest).toEqual([]);
    expect(call).toMatchObject({
      kind: "dropped_chat",
      role: "assistant",
      type: "tool_call",
      text: "one",
      tool: "shell",
      callId: "one",
    });
    expect(result).toMatchObject({ hash: gone[1], ref: "k:t1.3", lane: lane.id, by: "proxy", bytes: 5 });
    expect(statSync(logPath(session)).mode & 0o777).toBe(0o600);
    expect(value(await itemByRef(place.store, result?.ref ?? ""))).toMatchObject({ text: "one", dropped: "proxy" });
  });

  it("X50 an item without stored text is no line, and the cut is told", async () => {
    const items = history(...BASE);
    const { session, lane } = await request(place.store, me, items);
    const dropped = await dropItems(place.store, session, lane.id, ownsOf(items), "proxy");
    expect(!dropped.ok && dropped.error.code).toBe("not_found");
    expect(linesOf(session)).toEqual([]);
  });

  it("X49 XB24 what the client left out itself is logged by: client, rewound or rewritten", async () => {
    const { session } = await stored(BASE);
    for (const lines of [BASE.slice(0, 4), ["u:summary", "c:two", "r:two"]]) {
      const items = history(...lines);
      const { match } = value(await locate(place.store, me, items, () => []));
      value(await markVanished(place.store, session, match, items));
      await request(place.store, me, items);
      value(await flushEvents(place.store, session));
    }
    const lines = linesOf(session);
    expect(lines.every((line) => line.by === "client")).toBe(true);
    const rewound = ["k:t2.1", "k:t2.2", "k:t2.3"];
    expect(lines.map((line) => line.ref)).toEqual([...rewound, "k:t1.1", "k:t1.2", "k:t1.3", "k:t1.4"]);
  });

  it("XB22 a line written before a crash is not written again, a torn one is moved away and reported", async () => {
    const { session, lane, items } = await stored(BASE);
    const gone = ownsOf(items.slice(0, 4));
    value(await dropItems(place.store, session, lane.id, gone.slice(0, 2), "proxy"));
    // Killed after the write and before the note of it: the rows know nothing of the line.
    value(await dropItems(place.store, session, lane.id, gone.slice(2, 3), "proxy"));
    place.db.exec(`UPDATE proxy_item SET logged = 0 WHERE own = '${gone[2]}'`);
    const shorter = linesOf(session)
      .slice(0, 2)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("").length;
    place.db.exec(`UPDATE proxy_session SET logged = ${shorter}`);
    appendFileSync(logPath(session), '{"id":"torn","ts":"2025');
    place = await place.reopen();
    value(await dropItems(place.store, session, lane.id, gone, "proxy"));
    expect(damages).toEqual([expect.stringMatching(/23 bytes are damaged and were moved to .*quarantine/)]);
    expect(readdirSync(join(place.home, "quarantine"))).toHaveLength(1);
    expect(linesOf(session).map((line) => line.hash)).toEqual(gone);
  });

  it("XB22 a log that lost its end, or a store that lost its notes, is read from the start", async () => {
    const { session, lane, items } = await stored(BASE);
    const gone = ownsOf(items.slice(0, 4));
    value(await dropItems(place.store, session, lane.id, gone.slice(0, 2), "proxy"));
    truncateSync(logPath(session), statSync(logPath(session)).size - 5);
    value(await dropItems(place.store, session, lane.id, gone.slice(0, 3), "proxy"));
    place.db.exec("UPDATE proxy_item SET logged = 0; UPDATE proxy_session SET logged = 0");
    value(await flushEvents(place.store, session));
    expect(linesOf(session).map((line) => line.hash)).toEqual([gone[0], gone[2], gone[1]]);
  });

  it("X54 a text too long for a line stands beside the log", async () => {
    const { session } = await stored(["u:task"]);
    const text = clean(`${"line of words\n".repeat(700_000)}`);
    value(await appendEvent(place.store, session, { kind: "client_summary", text }));
    const [line] = linesOf(session);
    expect(line).toMatchObject({ kind: "client_summary", text: "", file: { bytes: text.length } });
    expect(readFileSync(join(session.path, "files", line?.file?.sha256 ?? ""), "utf8")).toBe(text);
  });

  it("X100 pages of events, by kind", async () => {
    const { session, lane, items } = await stored(BASE);
    value(await dropItems(place.store, session, lane.id, ownsOf(items), "proxy"));
    value(
      await appendEvent(place.store, session, {
        kind: "cut",
        text: clean("anchor"),
        lane: lane.id,
        about: { epoch: 1 },
      }),
    );
    const first = value(await place.store.files.log(session, { limit: 5 }));
    const second = value(await place.store.files.log(session, { limit: 5, after: first.next ?? 0 }));
    expect([...first.events, ...second.events]).toEqual(linesOf(session));
    expect(second.next).toBeUndefined();
    expect(value(await place.store.files.log(session, { kind: "cut" })).events).toEqual([
      expect.objectContaining({ about: { epoch: 1 } }),
    ]);
    expect(value(await place.store.files.log({ ...session, id: "none" }, {}))).toEqual({ events: [] });
  });
});

const SECRET = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
const step = fc.record({ act: fc.constantFrom("grow", "cut", "rewind", "resend", "restart", "crash"), n: fc.nat(4) });

it("XI7 whatever is left out is in the log and findable by its ref, exactly once and filtered", async () => {
  const run = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
    let at = await openPlace();
    let lines = ["u:task"];
    const out = new Set<string>();
    let session: ProxySession | undefined;
    for (const [i, { act, n }] of steps.entries()) {
      if (act === "restart") at = await at.reopen();
      if (act === "grow") lines = [...lines, `c:call ${i} ${n}`, `r:call ${i} with ${SECRET}`, `u:prompt ${n}`];
      if (act === "rewind") lines = lines.slice(0, Math.max(1, lines.length - n));
      const items = history(...lines);
      const { match } = value(await locate(at.store, me, items, () => []));
      if (session) for (const own of value(await markVanished(at.store, session, match, items))) out.add(own);
      const went = await request(at.store, me, items);
      session = went.session;
      const remember = rememberIn(at);
      if (act === "crash") continue; // what was to be remembered is lost with the process
      remember.add(session, went.lane.id, items.flatMap(seeable));
      await remember.close();
      if (act !== "cut") continue;
      const gone = items.slice(0, n);
      value(await remember.ensure(session, went.lane.id, gone.flatMap(seeable)));
      value(await dropItems(at.store, session, went.lane.id, ownsOf(gone), "proxy"));
      for (const own of ownsOf(gone)) out.add(own);
    }
    if (session) {
      value(await flushEvents(at.store, session));
      const texts = linesOf(session);
      const waiting = at.db
        .prepare("SELECT own FROM proxy_item WHERE stored = 0")
        .all()
        .map((row) => row["own"]);
      expect(texts.map((line) => line.hash).sort()).toEqual([...out].filter((own) => !waiting.includes(own)).sort());
      for (const line of texts) {
        const item = value(await itemByRef(at.store, line.ref ?? ""));
        expect(item).toMatchObject({ own: line.hash, text: line.text });
        expect(line.text).not.toContain(SECRET);
      }
    }
    at.remove();
  });
  await fc.assert(run, { numRuns: 12 });
});
