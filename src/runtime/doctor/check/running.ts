// What runs or waits: the gateway and its breakers, processes without an owner, queues, and what failed lately.
import { readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "../../../base/json.ts";
import { optional } from "../../../base/optional.ts";
import { RUN_MARK } from "../../../host/process.ts";
import { isAlive, sendSignal } from "../../../host/survivors.ts";
import { ask } from "../../../server/ask.ts";
import { findGateway } from "../../../server/find.ts";
import { readGatewayFile } from "../../../server/gateway-file.ts";
import { readToken } from "../../../server/token.ts";
import { DatabaseView } from "../../../store/database-view.ts";
import { recentFailures, type SoftFailure } from "../../program-log.ts";
import { allWell, type DoctorCheck, FIX, failure, some, warning } from "../check.ts";
import type { DoctorView } from "../view.ts";

const LIMIT_MS = 2000;
const MANY_WAITING = 10_000;
const MANY_FAILURES = 20;
const LAST_MEMORY = 20;

/** Findings of the gateway that runs; undefined when none does. It is asked on this machine only. */
async function gatewayHealth(home: string): Promise<Record<string, unknown> | undefined> {
  const gateway = await findGateway(home);
  if (!gateway) return undefined;
  const headers = { authorization: `Bearer ${gateway.token}` };
  const answer = await ask(gateway.address, { path: "/healthz", headers }, LIMIT_MS);
  const body = answer.ok ? parseJson(answer.value.text) : undefined;
  return body?.ok && isRecord(body.value) ? { address: gateway.address, ...body.value } : undefined;
}

export const gatewayCheck: DoctorCheck = {
  name: "gateway",
  async look({ paths: { home }, settings }) {
    const token = readToken(home);
    if (!token.ok) return failure(token.error.what, token.error.next ?? FIX);
    const mode = settings.ok ? settings.value.values["gateway.auth"] : "unknown";
    const health = await gatewayHealth(home);
    if (health)
      return allWell(
        `runs at ${String(health["address"])} (pid ${String(health["pid"])}, ${String(health["version"])}), ${mode}`,
      );
    const file = readGatewayFile(home);
    if (!file) return allWell(`not running, ${mode}`);
    return isAlive(file.pid)
      ? warning(
          `process ${file.pid} does not answer at ${file.address}`,
          `End it, then start it again: kill ${file.pid}`,
        )
      : warning("gateway.json is left over from a gateway that ended", FIX);
  },
  async mend({ paths: { home } }, confirm) {
    const file = readGatewayFile(home);
    if (!file || (await gatewayHealth(home))) return [];
    if (isAlive(file.pid) && !(await confirm(`End process ${file.pid}, which does not answer at ${file.address}?`)))
      return [];
    sendSignal(file.pid, "SIGTERM");
    rmSync(join(home, "gateway.json"), { force: true });
    return ["Removed the gateway.json of a gateway that ended."];
  },
};

export const breakersCheck: DoctorCheck = {
  name: "breakers",
  async look({ paths: { home } }) {
    const health = await gatewayHealth(home);
    if (!health) return allWell("no gateway is running");
    const checks = Array.isArray(health["checks"]) ? health["checks"].filter(isRecord) : [];
    const bad = checks.filter((check) => check["status"] !== "ok");
    return bad.length === 0
      ? allWell("all parts of the gateway work")
      : warning(
          some(
            bad.map((check) => `${check["name"]}: ${check["finding"]}`),
            10,
          ),
          "It retries within a minute.",
        );
  },
};

type Orphan = { pid: number; run: string; command: string };

/** Processes of this home with the mark of a run whose reaper is gone: the run has ended and they have not. */
function orphans({ paths, userHome }: DoctorView): Orphan[] {
  const pids = namesIn("/proc").map(Number);
  const commands = new Map(pids.filter((pid) => pid > 0).map((pid) => [pid, readText(`/proc/${pid}/cmdline`)]));
  const reapers = [...commands.values()].filter((line) => line.includes("everlong-reaper\0"));
  const own = runOf("self");
  return [...commands].flatMap(([pid, command]) => {
    const { run, home = join(userHome, ".everlong") } = runOf(pid);
    if (run === undefined || run === own.run || !isSameFolder(home, paths.home)) return [];
    if (reapers.some((line) => line.includes(`${RUN_MARK}=${run}.`))) return [];
    return [{ pid, run, command: command.replaceAll("\0", " ").trim().slice(0, 80) }];
  });
}

/** What the environment of a process says about whose it is. */
function runOf(pid: number | "self"): { run?: string; home?: string } {
  const variables = readText(`/proc/${pid}/environ`).split("\0");
  const value = (name: string): string | undefined =>
    variables.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  return { ...optional("run", value(RUN_MARK)?.split(".")[0]), ...optional("home", value("EVERLONG_HOME")) };
}

function isSameFolder(one: string, other: string): boolean {
  try {
    return realpathSync(one) === other;
  } catch {
    return one === other; // not there any more
  }
}

const named = ({ pid, command }: Orphan): string => `${pid} (${command})`;

export const processesCheck: DoctorCheck = {
  name: "processes",
  look(view) {
    const left = orphans(view);
    return left.length === 0
      ? allWell("none left behind")
      : warning(`still running after their session ended: ${some(left.map(named))}`, `${FIX} asks, then ends them`);
  },
  async mend(view, confirm) {
    const ended: string[] = [];
    for (const one of orphans(view))
      if ((await confirm(`End process ${named(one)}?`)) && sendSignal(one.pid, "SIGKILL")) ended.push(named(one));
    return ended.length === 0 ? [] : [`Ended ${ended.join(", ")}.`];
  },
};

export const queuesCheck: DoctorCheck = {
  name: "queues",
  async look({ paths }) {
    const store = await DatabaseView.open(paths.store);
    const count = (sql: string): number => (store.ok ? (store.value.number(sql) ?? 0) : 0);
    const waiting = {
      "passages to embed": count("SELECT count(*) FROM recall_waiting"),
      "gateway texts to store": count("SELECT count(*) FROM proxy_item WHERE stored = 0"),
      "dropped texts to log": count("SELECT count(*) FROM proxy_item WHERE dropped IS NOT NULL AND logged = 0"),
      "memories to write into repositories": pendingLines(join(paths.home, "pending")),
      "memories to review": count("SELECT count(*) FROM memories WHERE status = 'pending'"),
    };
    if (store.ok) store.value.close();
    const some = Object.entries(waiting).filter(([, n]) => n > 0);
    const text = some.map(([what, n]) => `${n} ${what}`).join(", ") || "empty";
    return some.some(([, n]) => n > MANY_WAITING)
      ? warning(text, "Start everlong serve and leave it running for a while.")
      : allWell(text);
  },
};

const pendingLines = (folder: string): number =>
  namesIn(folder).reduce((sum, name) => sum + readText(join(folder, name)).split("\n").filter(Boolean).length, 0);

export const failuresCheck: DoctorCheck = {
  name: "soft failures",
  look({ paths, now }: DoctorView) {
    const failures = recentFailures(paths.logs, now);
    if (failures.length === 0) return allWell("none in 7 days");
    const counts = new Map<string, number>();
    for (const { part, code } of failures) counts.set(`${part} ${code}`, (counts.get(`${part} ${code}`) ?? 0) + 1);
    const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([what, n]) => `${what} ${n}`);
    const memory = failures.filter(({ part }) => part === "memory").slice(-LAST_MEMORY);
    const text = `${failures.length} in 7 days: ${some(rows, 10)}${memoryText(memory)}`;
    return failures.length > MANY_FAILURES
      ? warning(text, "Work continued without them; check the settings they need.")
      : allWell(text);
  },
};

const memoryText = (failures: readonly SoftFailure[]): string =>
  failures.length === 0
    ? ""
    : `; memory last: ${failures.map(({ at, code }) => `${at.slice(0, 16)} ${code}`).join(", ")}`;

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // ended meanwhile, another user's, or not there
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there: nothing waits, or this system has no /proc
  }
}
