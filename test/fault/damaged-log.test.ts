// P3: a log in whatever state opens, every complete record comes back, nothing else does, and writing goes on.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/base/json.ts";
import { encodeLine } from "../../src/base/json-line.ts";
import { type DurableEnvelope, readEvent } from "../../src/schema/event/envelope.ts";
import { readSession } from "../../src/session/read-session.ts";
import { replay } from "../../src/session/replay.ts";
import { plainState, type SessionState } from "../../src/session/state.ts";
import { salvage } from "../../src/store/salvage.ts";
import { forged, type LogPlace, newLogPlace, openSessionLog, writeConversation } from "../tool/session-log.ts";
import { soakCount } from "../tool/soak.ts";

type Line = { bytes: Buffer; end: number; event: DurableEnvelope };

const newline = Buffer.from("\n");
const plain = (state: SessionState): string => canonicalJson(plainState(state));
let cuts = 0;

function linesOf(log: Buffer): Line[] {
  const lines: Line[] = [];
  for (let at = 0, end = log.indexOf(10); end !== -1; at = end + 1, end = log.indexOf(10, at)) {
    const bytes = log.subarray(at, end);
    lines.push({ bytes, end, event: JSON.parse(bytes.toString()) as DurableEnvelope });
  }
  return lines;
}

/** Opens the damaged log for writing and holds it against its complete records; gives what the opening reported. */
async function reopen(place: LogPlace, content: Buffer, complete: readonly DurableEnvelope[], what: string) {
  cuts++;
  mkdirSync(place.paths.dir, { recursive: true });
  writeFileSync(place.paths.events, content);
  const { log, report } = await openSessionLog(place);
  const recovered = { ids: log.state.chain.map((e) => e.id), state: plain(log.state) };
  const next = await log.emit("session.info", { infoType: "test", message: "goes on" });
  await log.close();
  expect(recovered.ids, what).toEqual(complete.map((e) => e.id));
  expect(recovered.state === plain(replay(complete)), what).toBe(true);
  const read = await readSession(place.paths);
  if (!read.ok) throw new Error(read.error.what);
  expect(
    read.value.events.map((e) => e.id),
    what,
  ).toEqual([...complete.map((e) => e.id), next.id]);
  expect(next.parentId, what).toBe(complete.at(-1)?.id ?? null);
  return report;
}

describe("P3 AI3 PI2 damaged logs", () => {
  it("P3 a cut anywhere in the last records, at every byte near their ends: what was complete is there, the rest is in quarantine byte for byte", async () => {
    const place = newLogPlace();
    const log = await writeConversation(place);
    const lines = linesOf(log);
    const from = lines.at(-4)?.end ?? 0;
    const isNearEnd = (cut: number) => lines.some((line) => Math.abs(line.end - cut) <= 20);
    for (let cut = from + 1; cut <= log.length; cut++) {
      // In the middle of a record every byte is like the next.
      if (!isNearEnd(cut) && cut % soakCount(7, 1) !== 0) continue;
      const kept = lines.filter((l) => l.end <= cut);
      const end = kept.at(-1)?.end ?? 0;
      const report = await reopen(
        place,
        log.subarray(0, cut),
        kept.map((l) => l.event),
        `cut at ${cut}`,
      );
      const torn = Math.max(0, cut - end - 1);
      expect(report.tornBytes, `cut at ${cut}`).toBe(torn);
      const moved = report.damaged[0]?.file;
      if (torn > 0) expect(readFileSync(moved ?? "").equals(log.subarray(end + 1, cut)), `cut at ${cut}`).toBe(true);
      else expect(report.damaged).toEqual([]);
    }
  });

  it("P3 a partial record followed by the whole one on its line, for parts of many lengths", async () => {
    const place = newLogPlace();
    const lines = linesOf(await writeConversation(place));
    const before = lines.slice(0, -1);
    const last = lines.at(-1) as Line;
    const call = lines.find((l) => l.event.type === "tool.execution_start") as Line;
    const head = Buffer.concat(before.flatMap((l) => [l.bytes, newline]));
    for (let cut = 1; cut < call.bytes.length; cut += soakCount(7, 1)) {
      const content = Buffer.concat([head, call.bytes.subarray(0, cut), last.bytes, newline]);
      const report = await reopen(
        place,
        content,
        lines.map((l) => l.event),
        `part of ${cut}`,
      );
      expect(report.damaged, `part of ${cut}`).toEqual([{ line: lines.length, offset: head.length, bytes: cut }]);
    }
  });

  it("P3 A8.7 NUL tail, BOM, CRLF, no final newline, joined records, 20 MB line, bad middle, empty: all open", async () => {
    const place = newLogPlace();
    const log = await writeConversation(place);
    const lines = linesOf(log);
    const all = lines.map((l) => l.event);
    const join_ = (separator: string) => Buffer.from(lines.map((l) => l.bytes.toString()).join(separator));
    const first = lines[0] as Line;
    const rest = log.subarray(first.end + 1);
    const long = Buffer.alloc(20 * 1024 * 1024, "x");
    const shapes: [string, Buffer, number][] = [
      ["NUL tail", Buffer.concat([log, Buffer.alloc(4096)]), 1],
      ["two BOMs", Buffer.concat([Buffer.from("\uFEFF\uFEFF"), log]), 0],
      ["CRLF", join_("\r\n"), 0],
      ["no final newline", log.subarray(0, -1), 0],
      ["all records on one line", join_(""), 0],
      ["a 20 MB line", Buffer.concat([first.bytes, newline, long, newline, rest]), 1],
      ["NULs in the middle", Buffer.concat([first.bytes, newline, Buffer.alloc(512), newline, rest]), 1],
      ["NULs in front of a record", Buffer.concat([first.bytes, newline, Buffer.alloc(512), rest]), 1],
    ];
    for (const [what, content, damage] of shapes) {
      const report = await reopen(place, content, all, what);
      expect(report.damaged.length, what).toBe(damage);
    }
    await reopen(place, Buffer.alloc(0), [], "empty");
    await reopen(place, Buffer.from("\n\n\r\n"), [], "only blank lines");
  });

  it("P3 PI2 an event-shaped object inside a torn record is no record", async () => {
    const place = newLogPlace();
    const lines = linesOf(await writeConversation(place));
    const call = lines.find((l) => l.event.type === "tool.execution_start") as Line;
    expect(readEvent(forged).type).toBe("known");
    const inner = call.bytes.indexOf(JSON.stringify(forged));
    const innerEnd = inner + Buffer.byteLength(JSON.stringify(forged));
    const [start] = lines as [Line];
    for (let cut = inner; cut < call.bytes.length; cut++) {
      const content = Buffer.concat([start.bytes, newline, call.bytes.subarray(0, cut)]);
      await reopen(place, content, [start.event], `cut at ${cut}`);
    }
    const holed = Buffer.from(call.bytes);
    holed.fill(0, 10, 20);
    await reopen(
      place,
      Buffer.concat([start.bytes, newline, holed, newline]),
      [start.event],
      "a hole in the outer record",
    );
    expect(innerEnd).toBeGreaterThan(inner);
  });

  it("T4 the suite sees a reader that loses a record, and one that takes a part of a record for a whole", async () => {
    const place = newLogPlace();
    const log = await writeConversation(place);
    const events = linesOf(log).map((l) => l.event);
    await expect(reopen(place, log, events.slice(0, -1), "lost")).rejects.toThrow();
    await expect(
      reopen(place, Buffer.concat([log, Buffer.from(encodeLine(forged))]), events, "forged"),
    ).rejects.toThrow();
    expect(salvage(Buffer.from(`x${encodeLine(forged)}`), (v) => readEvent(v).type === "known").length).toBe(1);
  });

  it("P3 the suite made its cuts", () => {
    console.log(`damaged log: ${cuts} cuts`);
    expect(cuts).toBeGreaterThan(soakCount(400, 1500));
  });

  it("P3 the quarantine holds each tail under its own name", async () => {
    const place = newLogPlace();
    const log = await writeConversation(place);
    const events = linesOf(log).map((l) => l.event);
    for (const tail of ["one", "two", "three"])
      await reopen(place, Buffer.concat([log, Buffer.from(tail)]), events, tail);
    expect(existsSync(place.quarantine)).toBe(true);
    const kept = readdirSync(place.quarantine).map((name) => readFileSync(join(place.quarantine, name), "utf8"));
    expect(kept.sort()).toEqual(["one", "three", "two"]);
  });
});
