// The token of one `everlong with`: kept in the run's private folder, so it ends with the run and outlives a restart of the gateway.
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { isAlive } from "../../host/survivors.ts";
import { type AgentRun, processOf, type RunOf } from "../../proxy/identify/run.ts";
import { faultOf } from "../../store/fault.ts";
import { launchFolder } from "./with-launch.ts";

const FILE = "run.json";
/** There once the first request of the run has come. */
const USED = "used";

/** Writes what the gateway is to know of this run, and gives its token. `folder` is the run's launch folder. */
export function openRun(folder: string, run: AgentRun): Result<string, Failure> {
  const token = `elr-${process.pid}-${randomBytes(32).toString("base64url")}`;
  const path = join(folder, FILE);
  try {
    writeFileSync(path, `${JSON.stringify({ ...run, token: digest(token) })}\n`, { flag: "wx", mode: 0o600 });
    return ok(token);
  } catch (error) {
    return fail(faultOf(error, path));
  }
}

/** Read for each request: a run that has ended has no file, and one that was killed no process. */
export function runsOf(home: string): RunOf {
  const seen = new Set<string>();
  return (token) => {
    const pid = processOf(token);
    const folder = pid !== undefined && isAlive(pid) ? launchFolder(home, pid) : undefined;
    const file = folder === undefined ? undefined : contentOf(join(folder, FILE));
    if (folder === undefined || !file || !timingSafeEqual(Buffer.from(digest(token)), Buffer.from(file.token)))
      return undefined;
    const { token: hashed, ...run } = file;
    if (!seen.has(hashed)) markUsed(folder);
    seen.add(hashed);
    return run;
  };
}

export const wasUsed = (folder: string): boolean => existsSync(join(folder, USED));

function markUsed(folder: string): void {
  try {
    writeFileSync(join(folder, USED), "", { mode: 0o600 });
  } catch {
    // The run ends just now, or the disk is full: a sentence at its end will be wrong, no request.
  }
}

const digest = (token: string): string => hash("sha256", token);

function contentOf(path: string): (AgentRun & { token: string }) | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined; // the run has ended
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { user, folder, repository, token } = parsed.value;
  const texts = [user, folder, repository, token];
  if (!texts.every((one) => typeof one === "string") || !/^[0-9a-f]{64}$/.test(String(token))) return undefined;
  return { user: String(user), folder: String(folder), repository: String(repository), token: String(token) };
}
