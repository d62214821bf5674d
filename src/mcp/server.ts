// One server and all that may be asked of it: started when it is time, restarted when it dies, spared when it does not answer.
import { within } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type { ConnectParts } from "./client/connect.ts";
import type { PlannedServer } from "./config/load.ts";
import type { ServerConfig } from "./config/server-config.ts";
import type { CallErrorCode, Connection, ListedTool, McpAnswer, TaskReport, ToolList } from "./connection.ts";
import { type Life, type LifeEvent, nextLife } from "./life.ts";
import { openServerLog } from "./server-log.ts";

export type ServerParts = Pick<ConnectParts, "owner" | "cwd" | "environment" | "version" | "answers"> & {
  clock: Clock;
  /** The setting `mcp.callTimeoutSeconds`, in milliseconds. */
  callTimeoutMs: number;
  logFile?: (server: string) => string;
  /** The secret filter, for what servers print. */
  redact?: (text: string) => string;
  /** Tools of `lazy` servers, kept from run to run. */
  toolCache?: { read: (config: ServerConfig) => ToolList | undefined; write: (c: ServerConfig, l: ToolList) => void };
  /** The file that a project's server starts, if it is not any more as it was trusted. */
  changedStart?: (plan: PlannedServer) => string | undefined;
  onLife: (server: Server, life: Life) => void;
  onTaskStatus: (server: Server, report: TaskReport) => void;
};

type UseOptions = {
  signal: AbortSignal;
  /** How long to wait for a server that is still starting. */
  limitMs: number;
  /** Asks at a pace of its own: even a server that is being spared, and its failures do not count. */
  patient?: true;
};

export type Server = {
  readonly plan: PlannedServer;
  readonly timeoutMs: number;
  life: () => Life;
  /** The tools that it has, or had when it was last connected and is on its way back. */
  tools: () => readonly ListedTool[];
  lastLines: () => string[];
  start: () => void;
  /** Resolves as soon as it is not `starting`. */
  settled: () => Promise<void>;
  /** The one door to it: waits for a start, runs the work, and remembers how it went. */
  use: <T>(options: UseOptions, work: (connection: Connection) => McpAnswer<T>) => McpAnswer<T>;
  /** Ends its process or session; it can be started again. */
  stop: () => Promise<void>;
};

/** After so many calls in a row without an answer it is left alone for a while. */
const BREAKER_FAILURES = 3;
const BREAKER_MS = 30_000;
const RELIST_PAUSE_MS = 1000;

export function createServer(plan: PlannedServer, parts: ServerParts): Server {
  const { name } = plan;
  const config = "config" in plan ? plan.config : undefined;
  const timeoutMs = config?.timeoutMs ?? parts.callTimeoutMs;
  // A server that must answer fast may start as slowly as any other.
  const startMs = Math.max(timeoutMs, parts.callTimeoutMs);
  const log = openServerLog(parts.logFile?.(name), parts.redact);
  let life: Life = firstLife(plan);
  let listedTools: readonly ListedTool[] = [];
  let run = new AbortController();
  let waiting = Promise.withResolvers<void>();
  let isSettled = plan.type !== "ready";
  if (isSettled) waiting.resolve();
  let attempting: Promise<void> = Promise.resolve();
  let failures = 0;
  let sparedUntil = 0;
  let relisting = false;
  let isListStale = false;

  function apply(event: LifeEvent): boolean {
    const next = nextLife(life, event);
    if (next === life) return false;
    const before = life;
    life = next;
    if (next.status === "connected" || next.status === "lazy") listedTools = next.tools;
    else if (next.status !== "starting") listedTools = [];
    if (next.status !== "starting") waiting.resolve();
    else if (isSettled) waiting = Promise.withResolvers<void>();
    isSettled = next.status !== "starting";
    if (next.status === "starting") attempting = attempt(next.waitMs, run.signal);
    if (before.status !== next.status) parts.onLife(server, next);
    return true;
  }

  async function attempt(waitMs: number, signal: AbortSignal): Promise<void> {
    if (!config || (waitMs > 0 && !(await parts.clock.sleep(waitMs, signal)))) return;
    const changed = parts.changedStart?.(plan);
    if (changed !== undefined)
      return refuse({ code: "failed", reason: `it starts ${changed}, which changed since this folder was trusted` });
    let opened: Connection | undefined;
    try {
      const { connect } = await import("./client/connect.ts");
      const options = { timeoutMs: startMs, signal };
      const connected = await connect(config, { ...parts, log, onToolsChanged: relist, onTaskStatus }, options);
      if (signal.aborted) return connected.ok ? connected.value.close() : undefined;
      if (!connected.ok) return refuse(connected.error);
      opened = connected.value;
      const list = await listOf(opened, signal);
      if (!list.ok) return opened.close().then(() => refuse({ code: "failed", reason: list.error.message }));
      if (signal.aborted || !apply({ type: "connected", connection: opened, list: list.value })) return opened.close();
      for (const warning of list.value.warnings) log.note(warning);
      if (config.lazy) parts.toolCache?.write(config, list.value);
      void opened.closed.then((reason) => signal.aborted || apply({ type: "lost", reason: withLog(reason) }));
    } catch (error) {
      void opened?.close();
      refuse({ code: "failed", reason: errorText(error) }); // the SDK could not be loaded, or broke
    }
  }

  const refuse = ({ code, reason }: { code: "needs-auth" | "failed"; reason: string }): void => {
    apply({ type: "refused", code, reason: withLog(reason) });
  };
  /** What a dying program says last usually tells why. */
  const withLog = (reason: string): string => {
    const line = log.lastLines().findLast((text) => text !== "" && !/^\[|^\s+at /.test(text));
    return line === undefined ? reason : `${reason} (stderr: ${line})`;
  };
  const onTaskStatus = (report: TaskReport): void => parts.onTaskStatus(server, report);

  async function listOf(connection: Connection, signal: AbortSignal): McpAnswer<ToolList> {
    const list = await connection.listTools({ timeoutMs: startMs, signal });
    // A server without tools need not know the method.
    return !list.ok && list.error.rpc === -32601 ? { ok: true, value: { tools: [], warnings: [] } } : list;
  }

  /** Many changes in a row are one; nobody waits for it. */
  function relist(): void {
    isListStale = true;
    if (relisting) return;
    relisting = true;
    void readAgain(run.signal).finally(() => {
      relisting = false;
    });
  }

  async function readAgain(signal: AbortSignal): Promise<void> {
    while (isListStale && life.status === "connected") {
      isListStale = false;
      const list = await listOf(life.connection, signal);
      if (signal.aborted) return;
      if (list.ok) apply({ type: "listed", list: list.value });
      else log.note(`its tools could not be read again: ${list.error.message}`);
      if (!(await parts.clock.sleep(RELIST_PAUSE_MS, signal))) return;
    }
  }

  async function connection({ signal, limitMs, patient }: UseOptions): McpAnswer<Connection> {
    const rest = sparedUntil - parts.clock.monotonic();
    if (rest > 0 && !patient)
      return unavailable(
        `it did not answer ${failures} times in a row and is tried again in ${Math.ceil(rest / 1000)} s`,
      );
    if (life.status === "lazy") apply({ type: "start" });
    const waited = await within(waiting.promise, limitMs, signal);
    if (waited.type === "aborted") return fail({ code: "aborted", message: "The call was cancelled." });
    if (life.status === "connected") return { ok: true, value: life.connection };
    if (life.status === "starting") return unavailable(`it has not started within ${limitMs} ms`);
    return unavailable("reason" in life ? `it is ${life.status}: ${life.reason}` : `it is ${life.status}`);
  }

  function remember(code: CallErrorCode | undefined): void {
    if (code === "aborted") return;
    if (code !== "timeout" && code !== "closed") {
      failures = 0;
      apply({ type: "worked" });
    } else if (++failures >= BREAKER_FAILURES) {
      sparedUntil = parts.clock.monotonic() + BREAKER_MS;
    }
  }

  const server: Server = {
    plan,
    timeoutMs,
    life: () => life,
    tools: () => listedTools,
    lastLines: log.lastLines,
    start() {
      if (!config) return;
      failures = 0;
      sparedUntil = 0;
      if (run.signal.aborted) run = new AbortController();
      const cached = life.status === "lazy" ? parts.toolCache?.read(config) : undefined;
      apply(cached ? { type: "remembered", tools: cached.tools } : { type: "start" });
    },
    settled: () => waiting.promise,
    async use(options, work) {
      const ready = await connection(options);
      if (!ready.ok) return ready;
      const answer = await work(ready.value);
      if (answer.ok || !options.patient) remember(answer.ok ? undefined : answer.error.code);
      return answer;
    },
    async stop() {
      run.abort();
      const open = life.status === "connected" ? life.connection : undefined;
      apply({ type: "stopped" });
      await Promise.all([open?.close(), attempting]);
      log.close();
    },
  };
  return server;
}

const unavailable = (message: string) => fail({ code: "unavailable" as const, message });

function firstLife(plan: PlannedServer): Life {
  if (plan.type === "failed" || plan.type === "untrusted") return { status: plan.type, reason: plan.reason };
  return plan.type === "ready" && plan.config.lazy ? { status: "lazy", tools: [] } : { status: "disabled" };
}
