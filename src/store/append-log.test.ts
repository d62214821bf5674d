import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { type LogIo, MAX_LINE, openLog } from "./append-log.ts";
import { readLog } from "./read-log.ts";

const folder = mkdtempSync(join(tmpdir(), "everlong-append-"));
const quarantine = { folder: join(folder, "quarantine"), label: "s1" };
const accept = (v: Record<string, unknown>) => typeof v["id"] === "string";
let files = 0;
const newPath = () => join(folder, `${files++}`, "events.jsonl");

async function open(path: string, io?: LogIo) {
  const opened = await openLog(path, { accept, onRecord: () => undefined, quarantine, ...(io ? { io } : {}) });
  if (!opened.ok) throw new Error(opened.error.what);
  return opened.value.log;
}
async function idsIn(path: string): Promise<unknown[]> {
  const ids: unknown[] = [];
  const report = await readLog(path, { accept, onRecord: (r) => ids.push(r.value["id"]) });
  expect(report).toMatchObject({ ok: true, value: { damaged: [], doubled: 0 } });
  return ids;
}
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A disk with planned faults; the bytes really go to the file. */
function disk(plan: { write?: (fd: number, bytes: Buffer) => number; truncates?: boolean; syncs?: boolean[] }) {
  const calls: string[] = [];
  const faults = { write: plan.write, truncates: plan.truncates ?? true, syncs: plan.syncs ?? [] };
  const io: LogIo = {
    write: (fd, bytes) => {
      calls.push("write");
      return (faults.write ?? writeSync)(fd, bytes);
    },
    truncate: (fd, length) => {
      calls.push("truncate");
      if (!faults.truncates) throw failure("EIO");
      execFileSync("truncate", ["-s", String(length), `/proc/${process.pid}/fd/${fd}`]);
    },
    sync: async (handle) => {
      calls.push("sync");
      if (faults.syncs.shift() === false) throw failure("EIO");
      await handle.datasync();
    },
  };
  return { io, calls, faults };
}

describe("appending", () => {
  it("D4 A8.4 one record, one write, one line; separators escaped; file 0600 in a folder 0700", async () => {
    const path = newPath();
    const { io, calls } = disk({});
    const log = await open(path, io);
    expect(log.append({ id: "a", text: "x\u2028\u2029\u0085\n" } as { id: string })).toEqual({
      ok: true,
      value: { offset: 0, bytes: 42 },
    });
    expect(log.append({ id: "b" }, { id: "c" })).toMatchObject({ ok: true, value: { offset: 42 } });
    expect(calls).toEqual(["write", "write"]);
    expect(readFileSync(path, "utf8")).toBe('{"id":"a","text":"x\\u2028\\u2029\\u0085\\n"}\n{"id":"b"}\n{"id":"c"}\n');
    expect([statSync(path).mode & 0o777, statSync(join(path, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(log.size).toBe(statSync(path).size);
    await log.close();
  });

  it("D4 a line over 8 MiB is refused as a value and nothing is written", async () => {
    const log = await open(newPath());
    const over = { id: "a", text: "x".repeat(MAX_LINE) };
    expect(log.append({ id: "b" }, over)).toMatchObject({ ok: false, error: { code: "too_large" } });
    expect(statSync(log.path).size).toBe(0);
    await log.close();
  });

  it("D4 A8.5 a short or failed write is cut back before the error is told, and the same ids work later", async () => {
    const path = newPath();
    const { io, faults } = disk({});
    const log = await open(path, io);
    log.append({ id: "a" });
    const before = readFileSync(path);
    faults.write = (fd, bytes) => writeSync(fd, bytes.subarray(0, 5));
    expect(log.append({ id: "b" })).toMatchObject({ ok: false, error: { code: "store_full" } });
    expect(readFileSync(path)).toEqual(before);
    for (const [errno, code] of [
      ["ENOSPC", "store_full"],
      ["EIO", "store_io"],
    ] as const) {
      faults.write = (fd, bytes) => {
        writeSync(fd, bytes.subarray(0, 3));
        throw failure(errno);
      };
      expect(log.append({ id: "b" })).toMatchObject({ ok: false, error: { code } });
      expect(readFileSync(path)).toEqual(before);
    }
    faults.write = undefined;
    expect(log.append({ id: "b" }).ok).toBe(true);
    await log.close();
    expect(await idsIn(path)).toEqual(["a", "b"]);
  });

  it("T4 without the cut-back the log would be torn: a disk that refuses it too is healed before the next write", async () => {
    const path = newPath();
    const { io, faults } = disk({ truncates: false, write: (fd, bytes) => writeSync(fd, bytes.subarray(0, 5)) });
    const log = await open(path, io);
    expect(log.append({ id: "a" }).ok).toBe(false);
    expect(statSync(path).size).toBe(5);
    faults.write = undefined;
    expect(log.append({ id: "a" })).toMatchObject({ ok: false, error: { code: "store_io" } });
    expect(statSync(path).size).toBe(5);
    faults.truncates = true;
    expect(log.append({ id: "a" }).ok).toBe(true);
    await log.close();
    expect(await idsIn(path)).toEqual(["a"]);
  });

  it("P5 EIO on the sync, then the same id again: exactly one line", async () => {
    const path = newPath();
    const log = await open(path, disk({ syncs: [false, true] }).io);
    log.append({ id: "a" });
    expect(await log.sync()).toMatchObject({ ok: false, error: { code: "store_io" } });
    expect(log.append({ id: "a" }, { id: "b" }).ok).toBe(true);
    expect((await log.sync()).ok).toBe(true);
    await log.close();
    expect(await idsIn(path)).toEqual(["a", "b"]);
  });

  it("D4 a real file size limit (EFBIG) leaves whole records only", async () => {
    const path = newPath();
    const script = `${IMPORT}
      process.on("SIGXFSZ", () => {});
      const out = [];
      for (let i = 0; i < 200; i++) { const r = log.append({ id: String(i), text: "x".repeat(100) }); out.push(r.ok ? "ok" : r.error.code); }
      console.log(JSON.stringify({ ok: out.filter((o) => o === "ok").length, codes: [...new Set(out)] }));`;
    const shell = `ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"`;
    const text = execFileSync("bash", ["-c", shell, process.execPath, script, path], { encoding: "utf8" });
    const seen: { ok: number; codes: string[] } = JSON.parse(text);
    expect(seen.codes).toEqual(["ok", "store_full"]);
    expect(seen.ok).toBeLessThan(100);
    expect(await idsIn(path)).toEqual(Array.from({ length: seen.ok }, (_, i) => String(i)));
  });
});

const IMPORT = `
  import { openLog } from ${JSON.stringify(join(import.meta.dirname, "append-log.ts"))};
  const opened = await openLog(process.argv[1], { accept: (v) => typeof v.id === "string", onRecord: () => {},
    quarantine: { folder: process.argv[1] + ".quarantine", label: "s" } });
  if (!opened.ok) throw new Error(opened.error.what);
  const { log, report } = opened.value;`;

it("P1 A8.5 no acked record is lost by SIGKILL, none is doubled, and the next start needs no repair by hand", async () => {
  const path = newPath();
  const acked: string[] = [];
  const script = `${IMPORT}
    import { writeSync } from "node:fs";
    const base = report.records;
    for (let i = 0; ; i++) {
      const id = base + "-" + i;
      const done = log.append({ id, text: "x".repeat(Math.random() * 20000) });
      if (!done.ok) throw new Error(done.error.what);
      writeSync(1, id + "\\n");
      if (i % 50 === 0) await new Promise((r) => setImmediate(r));
    }`;
  for (let kill = 0; kill < 6; kill++) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const before = acked.length;
    const wanted = 1 + Math.floor(Math.random() * 300);
    for await (const line of createInterface({ input: child.stdout })) {
      acked.push(line);
      if (acked.length - before === wanted) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    expect(child.signalCode).toBe("SIGKILL");
    const log = await open(path);
    await log.close();
    const ids = await idsIn(path);
    expect(acked.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  }
  expect(acked.length).toBeGreaterThanOrEqual(6);
});
