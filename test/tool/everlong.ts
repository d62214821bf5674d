// Runs the built program as a user would: its own home, its own folder, an environment with nothing inherited but PATH.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { OutputTail } from "./output-tail.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const bin = join(root, "bin", "everlong.js");
/**
 * Helper threads of the collector only get in the way of other tests, and a young generation that begins at its full size
 * saves a short run most collections: about a tenth of its processor time. What the program may use at most is unchanged.
 */
export const NODE_FLAGS = ["--single-threaded-gc", "--min-semi-space-size=16"];

/** `bin`: another build of the program, such as a copy with a part broken on purpose. */
export type Place = {
  home: string;
  folder: string;
  env: Record<string, string>;
  bin?: string;
  /** Where a file system of its own stands (small-disk.ts): how programs get there, and the home as they see it. */
  disk?: { under: string[]; home: string };
};

export type Finished = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Envelopes of stream-json output. */
  events: Envelope[];
  /** The object of json output. */
  json: Record<string, unknown>;
};

export type RunOptions = {
  env?: Record<string, string>;
  stdin?: string | Buffer;
  cwd?: string;
  timeoutMs?: number;
  /** A program and its arguments that run ours: strace, unshare. */
  under?: string[];
  /** Instead of those that spare the machine: what is measured runs as a user starts it. */
  nodeFlags?: readonly string[];
};

/** A fresh home and working folder, removed when the test ends. */
export function newPlace(env: Record<string, string> = {}): Place {
  const base = mkdtempSync(join(tmpdir(), "everlong-test-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(base, "work");
  mkdirSync(folder);
  return { home: join(base, "home"), folder, env };
}

/** A search that is late gives less: what a test finds does not depend on the machine. */
export const PATIENT = { EVERLONG_RECALL_TIMEOUT_MS: "20000" };

/** A place whose model is a scripted server. */
export function placeFor(server: { url: string }, env: Record<string, string> = {}): Place {
  return newPlace({
    EVERLONG_BASE_URL: server.url,
    EVERLONG_MODEL: "scripted",
    EVERLONG_API_KEY: "test-key-0123456789",
    EVERLONG_RETRY_BASE_MS: "10",
    EVERLONG_VERIFY_REPLAY: "1",
    ...PATIENT,
    ...env,
  });
}

export function start(
  place: Place,
  args: string[],
  options: RunOptions = {},
): ChildProcess & { done: Promise<Finished> } {
  const [program = process.execPath, ...line] = [
    ...(options.under ?? place.disk?.under ?? []),
    process.execPath,
    ...(options.nodeFlags ?? NODE_FLAGS),
    place.bin ?? bin,
    ...args,
  ];
  const home = place.disk?.home ?? place.home;
  const child = spawn(program, line, {
    cwd: options.cwd ?? place.folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: dirname(home),
      EVERLONG_HOME: home,
      OLLAMA_HOST: "http://127.0.0.1:9",
      ...place.env,
      ...options.env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(options.stdin ?? "");
  const out = new OutputTail();
  const err = new OutputTail();
  child.stdout?.on("data", (d: Buffer) => out.add(d));
  child.stderr?.on("data", (d: Buffer) => err.add(d));
  const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? 150_000);
  const done = new Promise<Finished>((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const stdout = out.text();
      resolve({
        code,
        signal,
        stdout,
        stderr: err.text(),
        get events() {
          return stdout
            .trim()
            .split("\n")
            .filter(Boolean)
            .map((l) => JSON.parse(l) as Envelope);
        },
        get json() {
          return JSON.parse(stdout) as Record<string, unknown>;
        },
      });
    });
  });
  return Object.assign(child, { done });
}

export const run = (place: Place, args: string[], options: RunOptions = {}): Promise<Finished> =>
  start(place, args, options).done;

/** Ids of the sessions in a home, oldest first. */
export function sessionsOf(place: Place): string[] {
  const dir = join(place.home, "sessions");
  const born = (id: string) => statSync(join(dir, id)).birthtimeMs;
  return existsSync(dir) ? readdirSync(dir).sort((a, b) => born(a) - born(b)) : [];
}

export function logOf(place: Place, id = sessionsOf(place)[0] ?? ""): Envelope[] {
  const text = readFileSync(join(place.home, "sessions", id, "events.jsonl"), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((l) => JSON.parse(l) as Envelope);
}

export function only<T extends Envelope["type"]>(events: Envelope[], type: T): Envelope<T>[] {
  return events.filter((e) => e.type === type) as Envelope<T>[];
}
