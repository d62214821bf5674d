// A real gateway for behaviour suites: `everlong serve` as its own process, in its own home, before a scripted upstream.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { optional } from "../../src/base/optional.ts";
import { type Finished, newPlace, type Place, run, start } from "../tool/everlong.ts";

export type TestGateway = {
  url: string;
  token: string;
  place: Place;
  /** `proxy/` of its home. */
  dir: string;
  pid: number;
  /** A command of the program in the same home. */
  cli(args: string[], stdin?: string): Promise<Finished>;
  /** Ends it; SIGTERM unless said. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
  /** A new gateway on the same home; `args` instead of those of the one before. */
  restart(args?: string[]): Promise<TestGateway>;
  /** Management API, with the token. */
  api(path: string, init?: RequestInit): Promise<Response>;
  /** A file of a session's folder; empty when there is none. */
  file(session: string, name: string): string;
  /** Lines of a session's events.jsonl. */
  events(session: string): Record<string, unknown>[];
};

export type GatewayOptions = {
  env?: Record<string, string>;
  args?: string[];
  place?: Place;
  /** One that runs in the same home and goes on. */
  beside?: Pick<TestGateway, "pid">;
  /** How long it may run; ten minutes unless said. */
  timeoutMs?: number;
  nodeFlags?: readonly string[];
};

export async function startGateway(upstream: { url: string }, options: GatewayOptions = {}): Promise<TestGateway> {
  const place =
    options.place ??
    newPlace({
      EVERLONG_UPSTREAM_OPENAI: upstream.url,
      EVERLONG_UPSTREAM_ANTHROPIC: upstream.url,
      EVERLONG_UPSTREAM_GEMINI: upstream.url,
      EVERLONG_EMBEDDER: "none",
      // A busy machine must not make a search late where lateness is not what is tested.
      EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
      ...options.env,
    });
  const child = start(place, ["serve", "--port", "0", "--json", ...(options.args ?? [])], {
    timeoutMs: options.timeoutMs ?? 600_000,
    ...optional("nodeFlags", options.nodeFlags),
  });
  let ended = false;
  void child.done.then(() => {
    ended = true;
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await child.done;
  });
  const file = join(place.home, "gateway.json");
  let found: { pid: number; address: string } | undefined;
  for (const until = Date.now() + 60_000; found === undefined; await wait(10)) {
    if (ended || Date.now() > until) throw new Error(`no gateway: ${(await child.done).stderr}`);
    if (!existsSync(file)) continue;
    const read = JSON.parse(readFileSync(file, "utf8")) as { pid: number; address: string };
    if (read.pid === child.pid || (!isOld(read.pid) && read.pid !== options.beside?.pid)) found = read;
  }
  const { address: url, pid } = found;
  const token = readFileSync(join(place.home, "gateway.token"), "utf8").trim();
  const dir = join(place.home, "proxy");
  const gateway: TestGateway = {
    url,
    token,
    place,
    dir,
    pid,
    cli: (args, stdin) => run(place, args, stdin === undefined ? {} : { stdin }),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return child.done;
    },
    restart: (args) => startGateway(upstream, { ...options, ...(args ? { args } : {}), place }),
    api: (path, init = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
    file(session, name) {
      const path = join(dir, "sessions", session, name);
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    },
    events(session) {
      const text = this.file(session, "events.jsonl");
      // The gateway may be writing its next line right now.
      return text
        .slice(0, text.lastIndexOf("\n") + 1)
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
  return gateway;

  /** A killed gateway leaves its file behind. */
  function isOld(other: number): boolean {
    try {
      process.kill(other, 0);
      return false;
    } catch {
      return true;
    }
  }
}
