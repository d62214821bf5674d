// Questions to an open session of another process: each is answered, withdrawn or told to be at work; never silently lost.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ok } from "../../../base/result.ts";
import { homePaths } from "../../../host/paths.ts";
import type { SessionControl } from "../../../schema/session-control.ts";
import { askSession, mayControl } from "./ask.ts";
import { type ControlledSession, listenForControl } from "./listen.ts";

const SESSION = "0d5ad1f0-2c5e-4a6e-9a63-000000000001";
const STOP: SessionControl = { action: "stop" };

function place({ pid = process.pid } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "everlong-control-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = homePaths(folder);
  const { dir, control } = paths.session(SESSION);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "session.lock.holder"), JSON.stringify({ pid, host: hostname() }));
  const ask = (question: SessionControl, limits = {}) =>
    askSession(paths, { session: SESSION, from: "a test", control: question }, new AbortController().signal, limits);
  return { paths, control, ask };
}

function session(compact: () => Promise<string> = async () => "Compacted."): ControlledSession & { lines: string[] } {
  const lines: string[] = [];
  const none = () => {
    throw new Error("not asked for");
  };
  return {
    lines,
    tell: async (message) => void lines.push(message),
    trouble: (message) => void lines.push(`trouble: ${message}`),
    client: {
      view: () => ({ busy: true }) as ReturnType<ControlledSession["client"]["view"]>,
      send: async (message) => void lines.push(`sent: ${String(message)}`),
      interrupt: () => ["a waiting message"],
      history: { compact: async () => ok(await compact()), cancel: none, undo: none, preview: none, rewind: none },
      tasks: { running: () => 0 } as ControlledSession["client"]["tasks"],
    },
  };
}

it("F123 F130 a message and a stop are done and answered, and leave no file behind", async () => {
  const { control, ask, paths } = place();
  const open = session();
  onTestFinished(listenForControl(control, open));
  expect(mayControl(paths, SESSION)).toBe(true);
  expect(await ask({ action: "message", text: "Use port 80." })).toMatchObject({ ok: true, value: { isOver: true } });
  expect(await ask(STOP)).toEqual(ok({ text: "Stopped.", isOver: true, returned: ["a waiting message"] }));
  expect(open.lines).toEqual(["sent: Use port 80.", "Stopped from a test.\nNot sent any more: a waiting message"]);
  expect(readdirSync(control)).toEqual([]);
});

it("F123 a stop is not kept waiting by a compaction, and long work is told to be under way", async () => {
  const { control, ask } = place();
  const summary = Promise.withResolvers<string>();
  onTestFinished(
    listenForControl(
      control,
      session(() => summary.promise),
    ),
  );
  const compacting = ask({ action: "compact" }, { takeMs: 50, answerMs: 100 });
  expect(await ask(STOP)).toMatchObject({ ok: true, value: { text: "Stopped." } });
  expect(await compacting).toMatchObject({ ok: true, value: { isOver: false } });
  summary.resolve("Compacted.");
});

it("F123 a session that does not react is told as such, and its question is withdrawn", async () => {
  const { control, ask } = place();
  mkdirSync(control);
  expect(await ask(STOP, { takeMs: 20 })).toMatchObject({ ok: false, error: { code: "session_silent" } });
  expect(readdirSync(control)).toEqual([]);
});

it("F123 a session that nobody has open, or that does not listen, is told as such with the command that resumes it", async () => {
  const gone = place({ pid: 2 ** 22 + 1 });
  expect(await gone.ask(STOP)).toMatchObject({
    error: { code: "session_not_running", next: "Continue it: everlong --resume 0d5ad1f0" },
  });
  const deaf = place();
  expect(mayControl(deaf.paths, SESSION)).toBe(false);
  expect(await deaf.ask(STOP)).toMatchObject({ error: { code: "session_not_listening" } });
});

it("F123 what lies there from an earlier run is not done, and what cannot be read is refused", async () => {
  const { control } = place();
  mkdirSync(control);
  writeFileSync(
    join(control, "old.question"),
    JSON.stringify({ from: "x", control: { action: "message", text: "old" } }),
  );
  const open = session();
  const end = listenForControl(control, open);
  writeFileSync(join(control, "bad.question"), "{");
  await expect.poll(() => readdirSync(control)).toEqual(["bad.answer"]);
  expect(open.lines).toEqual([]);
  end();
});
