// The report to share: findings, settings and recent failures as one JSON file, with no secret and no text of a conversation.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { release } from "node:os";
import { join, resolve } from "node:path";
import { commandUsage, type Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { VERSION } from "../../base/version.ts";
import { listSettings } from "../../settings/describe.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import { recentFailures } from "../program-log.ts";
import type { CheckResult } from "./check.ts";
import type { DoctorView } from "./view.ts";

const CRASHES = 3;
const CRASH_CHARS = 20_000;

export async function writeReport(
  file: string,
  view: DoctorView,
  checks: readonly CheckResult[],
): Promise<Result<string, Failure>> {
  const path = resolve(file);
  if (existsSync(path)) return fail(commandUsage(`${path} already exists.`, "Give another file name."));
  const report = {
    everlong: VERSION,
    node: process.version,
    platform: `${process.platform} ${process.arch} ${release()}`,
    createdAt: view.now.toISOString(),
    checks,
    settings: view.settings.ok
      ? listSettings(view.settings.value)
          .filter(({ source }) => source !== "default")
          .map(({ key, value, source }) => ({ key, value, source }))
      : view.settings.error.what,
    failures: recentFailures(view.paths.logs, view.now),
    crashes: crashes(view.paths.logs),
  };
  // The user's own folder names a person.
  const text = JSON.stringify(report, undefined, 2).replaceAll(view.userHome, "~");
  const written = await atomicWrite(path, `${view.redact(text)}\n`, { private: true });
  return written.ok ? ok(path) : written;
}

function crashes(logs: string): string[] {
  try {
    const names = readdirSync(logs).filter((name) => name.startsWith("crash-"));
    return names
      .sort()
      .slice(-CRASHES)
      .map((name) => readFileSync(join(logs, name), "utf8").slice(0, CRASH_CHARS));
  } catch {
    return []; // no folder of logs: nothing has crashed
  }
}
