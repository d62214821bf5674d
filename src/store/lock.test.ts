import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireLock, type LockOptions } from "./lock.ts";

const folder = mkdtempSync(join(tmpdir(), "everlong-lock-"));
let files = 0;
const newPath = () => join(folder, `${files++}`, "session.lock");
const note = { pid: process.pid, host: "here" };

async function take(path: string, options?: LockOptions) {
  const lock = await acquireLock(path, options);
  if (!lock.ok) throw new Error(lock.error.what);
  return lock.value;
}
/** A child that holds the lock until it dies. */
async function holder(path: string, options: object) {
  const script = `import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    const lock = await acquireLock(process.argv[1], { ...JSON.parse(process.argv[2]), note: { pid: process.pid, host: "there" } });
    console.log(lock.ok ? "held" : "busy");
    setInterval(() => globalThis.gc?.(), 20);`;
  const args = ["--expose-gc", "--input-type=module", "-e", script, path, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await once(child.stdout, "data");
  expect(String(said).trim()).toBe("held");
  return child;
}

describe("locks", () => {
  it("D7 A8.20 one holder at a time, in one process and across processes; the second is told the pid", async () => {
    const path = newPath();
    const lock = await take(path, { note });
    expect(await acquireLock(path)).toMatchObject({ ok: false, error: { code: "store_busy", heldBy: note } });
    lock.release();
    lock.release();
    const child = await holder(path, {});
    expect(await acquireLock(path)).toMatchObject({ ok: false, error: { heldBy: { pid: child.pid, host: "there" } } });
    child.kill("SIGKILL");
    await once(child, "exit");
  });

  it("D7 A8.20 P20 SIGKILL of the holder frees the lock at once, with its note still there", async () => {
    const path = newPath();
    const child = await holder(path, {});
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(`${path}.holder`)).toBe(true);
    (await take(path)).release();
  });

  it("P20 a note that names a live process decides nothing", async () => {
    const path = newPath();
    (await take(path)).release();
    writeFileSync(`${path}.holder`, JSON.stringify(note));
    (await take(path, { note })).release();
    expect(existsSync(`${path}.holder`)).toBe(false);
    writeFileSync(`${path}.holder`, "garbage");
    const lock = await take(path);
    expect(await acquireLock(path)).toMatchObject({
      ok: false,
      error: { what: expect.stringContaining("another process") },
    });
    lock.release();
  });

  it("D7 shared locks go together and exclude an exclusive one, both ways", async () => {
    const path = newPath();
    const child = await holder(path, { mode: "shared" });
    const mine = await take(path, { mode: "shared" });
    expect((await acquireLock(path)).ok).toBe(false);
    mine.release();
    expect((await acquireLock(path)).ok).toBe(false);
    (await take(path, { mode: "shared" })).release();
    child.kill("SIGKILL");
    await once(child, "exit");
    const alone = await take(path);
    expect((await acquireLock(path, { mode: "shared" })).ok).toBe(false);
    alone.release();
  });

  it("waits as long as it is told, and stops when told", async () => {
    const path = newPath();
    const lock = await take(path);
    setTimeout(() => lock.release(), 60);
    const second = await take(path, { limitMs: 5000 });
    expect(await acquireLock(path, { limitMs: 60_000, signal: AbortSignal.timeout(30) })).toMatchObject({ ok: false });
    second.release();
  });

  it("SEC16 lock files are private", async () => {
    const path = newPath();
    const lock = await take(path, { note });
    expect([path, `${path}.holder`].map((p) => statSync(p).mode & 0o777)).toEqual([0o600, 0o600]);
    lock.release();
  });
});
