import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { encodeLine } from "../base/json-line.ts";
import { openLog } from "./append-log.ts";
import { type LogRecord, readLog, scanLog } from "./read-log.ts";
import { isBlank, salvage } from "./salvage.ts";

// In memory where the system has that: a thousand logs would wait for the disk most of the time.
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "everlong-log-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const quarantine = { folder: join(folder, "quarantine"), label: "s1" };
const accept = (v: Record<string, unknown>) => typeof v["id"] === "string" && typeof v["type"] === "string";
let files = 0;
const newPath = () => join(folder, `log-${files++}.jsonl`);

/** Holds nested objects with ids, braces and escapes in strings: everything that could be taken for a record. */
const record = (id: string) => ({
  id,
  type: "session.todos_changed",
  data: { todos: [{ id: `${id}-t`, title: 'a "{\\"id\\":1}" } é\u2028' }], n: { x: [1, { y: "}{" }] } },
});
const line = (id: string) => Buffer.from(encodeLine(record(id)));
const whole = (id: string) => line(id).subarray(0, -1);
const bytes = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((p) => Buffer.from(p)));

async function read(content: Buffer | string) {
  const path = newPath();
  writeFileSync(path, content);
  const records: LogRecord[] = [];
  const report = await readLog(path, { accept, onRecord: (r) => records.push(r) });
  if (!report.ok) throw new Error(report.error.what);
  return { path, ids: records.map((r) => r.value["id"]), records, report: report.value };
}
async function reopen(path: string) {
  const ids: unknown[] = [];
  const opened = await openLog(path, { accept, onRecord: (r) => ids.push(r.value["id"]), quarantine });
  if (!opened.ok) throw new Error(opened.error.what);
  return { ids, ...opened.value };
}

it("C152 L8 a log is read a megabyte at a time, and each piece is handed on before the next is asked for", async () => {
  const path = newPath();
  const lines = Array.from({ length: 20_000 }, (_, n) => line(`id-${n}`));
  writeFileSync(path, Buffer.concat(lines));
  const handle = await open(path, "r");
  let [read, given, most, waiting] = [0, 0, 0, 0];
  const watched = {
    stat: () => handle.stat(),
    async read(buffer: Buffer, at: number, length: number, position: number) {
      waiting = Math.max(waiting, read - given);
      most = Math.max(most, length);
      const piece = await handle.read(buffer, at, length, position);
      read += piece.bytesRead;
      return piece;
    },
  };
  const report = await scanLog(watched as unknown as FileHandle, {
    accept,
    onRecord: ({ bytes }) => {
      given += bytes + 1;
    },
  });
  await handle.close();
  expect([report.records, given]).toEqual([lines.length, read]);
  expect(read).toBeGreaterThan(2 * most);
  expect(most).toBeLessThanOrEqual(1024 * 1024);
  // Nothing but the line that the end of a piece has cut in two.
  expect(waiting).toBeLessThan(lines.at(-1)?.length ?? 0);
});

describe("damaged logs", () => {
  it("P3 AI3 AB19 a cut at every byte of the last records loses nothing that was complete, and the log goes on", async () => {
    const first = bytes(line("a"), line("b"));
    const all = bytes(first, ...["c", "d", "e", "f", "g", "h", "i", "j"].map(line));
    const ends = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map((_, i) => (i + 1) * line("a").length);
    const from = first.length + 1;
    expect(all.length - from).toBeGreaterThan(1000);
    for (let cut = from; cut <= all.length; cut++) {
      const path = newPath();
      writeFileSync(path, all.subarray(0, cut));
      const { ids, log, report } = await reopen(path);
      const complete = ends.filter((end) => end - 1 <= cut).length;
      const expected = [..."abcdefghij"].slice(0, complete);
      expect(ids, `cut at ${cut}`).toEqual(expected);
      const torn = ends.some((end) => end === cut || end - 1 === cut) ? 0 : cut - (ends[complete - 1] ?? 0);
      expect(report.tornBytes).toBe(torn);
      const moved = report.damaged[0]?.file;
      if (torn > 0) expect(readFileSync(moved!)).toEqual(all.subarray(cut - torn, cut));
      else expect(report.damaged).toEqual([]);
      expect(log.append(record("z")).ok).toBe(true);
      await log.close();
      expect(readFileSync(path)).toEqual(bytes(...expected.map(line), line("z")));
    }
  });

  it("P3 a NUL or garbage tail is moved away with its place told; the file keeps every record", async () => {
    for (const tail of [Buffer.alloc(5000), bytes(Buffer.alloc(10), "\n"), "garbage\nmore\n", "\u0000\n{}\n", "]]"]) {
      const { path } = await read(bytes(line("a"), line("b"), tail));
      const { ids, report, log } = await reopen(path);
      await log.close();
      const at = { line: 3, offset: 2 * line("a").length, bytes: Buffer.from(tail).length };
      expect(ids).toEqual(["a", "b"]);
      expect(report.damaged).toEqual([{ ...at, file: expect.stringContaining(join(folder, "quarantine", "s1-")) }]);
      expect(statSync(report.damaged[0]!.file!).mode & 0o777).toBe(0o600);
      expect(readFileSync(path)).toEqual(bytes(line("a"), line("b")));
    }
  });

  it("P3 A8.7 a bad middle line stays in place, is skipped and reported", async () => {
    const content = bytes(line("a"), "not json\n", line("b"), Buffer.alloc(4), "\n", "x\n", line("c"));
    const { ids, report, path } = await read(content);
    expect(ids).toEqual(["a", "b", "c"]);
    expect(report.damaged).toEqual([
      { line: 2, offset: line("a").length, bytes: 8 },
      { line: 4, offset: 2 * line("a").length + 9, bytes: 6 },
    ]);
    const { log } = await reopen(path);
    await log.close();
    expect(readFileSync(path)).toEqual(content);
  });

  it("P3 BOM, CRLF, blank lines and a missing final newline lose nothing and are no damage", async () => {
    for (const content of [
      bytes("\uFEFF", line("a"), line("b")),
      bytes("\uFEFF\uFEFF", line("a"), "\uFEFF", line("b")),
      bytes(whole("a"), "\r\n", whole("b"), "\r\n"),
      bytes("\n", line("a"), "\r\n  \n", line("b"), "\n"),
      bytes(line("a"), whole("b")),
    ]) {
      const { ids, report, path } = await read(content);
      expect([ids, report.damaged, report.tornBytes]).toEqual([["a", "b"], [], 0]);
      const { log } = await reopen(path);
      log.append(record("c"));
      await log.close();
      expect((await read(readFileSync(path))).ids).toEqual(["a", "b", "c"]);
    }
  });

  it("P3 records joined on one line are split, with their own offsets", async () => {
    const { ids, report, records } = await read(bytes(whole("a"), whole("b"), line("c"), line("d")));
    expect([ids, report.damaged]).toEqual([["a", "b", "c", "d"], []]);
    expect(records.map((r) => [r.line, r.offset])).toEqual(
      [0, 1, 2].map((i) => [1, i * whole("a").length]).concat([[2, 3 * whole("a").length + 1]]),
    );
  });

  it("P3 a partial record followed by a whole one on its line: the whole one comes back, for every cut", async () => {
    for (let cut = 1; cut < whole("b").length; cut++) {
      const { ids, report } = await read(bytes(line("a"), whole("b").subarray(0, cut), line("c"), line("d")));
      expect(ids, `cut at ${cut}`).toEqual(["a", "c", "d"]);
      expect(report.damaged).toEqual([{ line: 2, offset: line("a").length, bytes: cut }]);
    }
  });

  it("P3 a whole record followed by a torn one on the last line: the log is cut between them", async () => {
    const { path } = await read(bytes(line("a"), whole("b"), whole("c").subarray(0, 40)));
    const { ids, log } = await reopen(path);
    await log.close();
    expect(ids).toEqual(["a", "b"]);
    expect(readFileSync(path)).toEqual(bytes(line("a"), line("b")));
  });

  it("P3 an empty file, a missing file, a 20 MB line", async () => {
    expect((await read("")).report).toMatchObject({ records: 0, damaged: [], tornBytes: 0, end: 0 });
    expect(await readLog(newPath(), { accept, onRecord: () => undefined })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    const large = encodeLine({ ...record("b"), text: "x".repeat(20_000_000) });
    expect((await read(bytes(line("a"), large, line("c")))).ids).toEqual(["a", "b", "c"]);
    const { ids, report } = await read(bytes(line("a"), "x".repeat(20_000_000), "\n", line("c")));
    expect([ids, report.damaged]).toEqual([["a", "c"], [{ line: 2, offset: line("a").length, bytes: 20_000_000 }]]);
  });

  it("A8.4 a line that is too long for memory is skipped without being held", async () => {
    const path = newPath();
    writeFileSync(path, line("a"));
    truncateSync(path, 80 * 1024 * 1024);
    writeFileSync(path, bytes("\n", line("b")), { flag: "a" });
    const ids: unknown[] = [];
    const report = await readLog(path, { accept, onRecord: (r) => ids.push(r.value["id"]) });
    expect(ids).toEqual(["a", "b"]);
    expect(report).toMatchObject({ value: { damaged: [{ line: 2, bytes: 80 * 1024 * 1024 - line("a").length }] } });
  });

  it("P5 A8.5 a doubled id counts once", async () => {
    const { ids, report } = await read(bytes(line("a"), line("b"), line("b"), line("a"), line("c")));
    expect([ids, report.records, report.doubled]).toEqual([["a", "b", "c"], 3, 2]);
  });

  it("AI3 property: whatever stands between and after records, every whole one is read, in order", async () => {
    const junk = fc.oneof(
      fc.constantFrom("\uFEFF", "\r", "\u0000\u0000", "}{", '{"id":"x"', '{"id":"y","type":', "null", '"', "[]"),
      fc.uint8Array({ maxLength: 30 }).map((a) =>
        Buffer.from(a)
          .toString("latin1")
          .replaceAll(/[{}"\\]/g, ""),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ before: junk, newline: fc.boolean() }), { maxLength: 8 }),
        junk,
        async (parts, end) => {
          const content = parts.flatMap((p, i) => [p.before, p.newline ? "\n" : "", line(`r${i}`)]);
          const { ids, path } = await read(bytes(...content, end));
          const expected = parts.map((_, i) => `r${i}`);
          expect(ids).toEqual(expected);
          const { log } = await reopen(path);
          log.append(record("last"));
          await log.close();
          expect((await read(readFileSync(path))).ids).toEqual([...expected, "last"]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("goes on from an offset: what a projection has not seen yet", async () => {
    const { path, report } = await read(bytes(line("a"), line("b")));
    writeFileSync(path, line("c"), { flag: "a" });
    const ids: unknown[] = [];
    await readLog(path, { accept, from: report.end, onRecord: (r) => ids.push([r.value["id"], r.offset]) });
    expect(ids).toEqual([["c", 2 * line("a").length]]);
  });

  it("refuses a link, a folder and a FIFO", async () => {
    const target = newPath();
    writeFileSync(target, line("a"));
    const link = newPath();
    symlinkSync(target, link);
    const fifo = newPath();
    execFileSync("mkfifo", [fifo]);
    for (const path of [link, fifo, folder]) {
      const onRecord = () => undefined;
      expect(await readLog(path, { accept, onRecord })).toMatchObject({ ok: false, error: { code: "unsafe_path" } });
      expect(await openLog(path, { accept, onRecord, quarantine })).toMatchObject({
        ok: false,
        error: { code: "unsafe_path" },
      });
    }
  });
});

describe("salvage", () => {
  it("takes bounded time on garbage that looks like records", () => {
    // Quadratic work would take hours.
    expect(salvage(Buffer.from('{"a":'.repeat(400_000)), accept)).toEqual([]);
    expect(salvage(Buffer.from(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`), accept)).toEqual([]);
  });
  it("knows what is blank", () => {
    expect([isBlank(Buffer.from("\uFEFF \t\r")), isBlank(Buffer.from("x")), isBlank(Buffer.alloc(1))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
