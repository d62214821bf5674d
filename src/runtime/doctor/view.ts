// What the checks look at: the same workspace as every command, opened without making, changing or locking anything.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { gitContext } from "../../host/git.ts";
import { type HomePaths, homePaths } from "../../host/paths.ts";
import { type SecretFilter, secretFilter } from "../../memory/secret/filter.ts";
import { type TrustState, trustState } from "../../permission/trust.ts";
import { processEnvironment } from "../../settings/environment.ts";
import { resolveHome } from "../../settings/home.ts";
import { type LoadedSettings, loadSettings, projectFile } from "../../settings/load.ts";
import { checkRule, secretValues } from "../workspace.ts";
import { type LogCondition, readLogs } from "./log-condition.ts";

export type DoctorView = {
  env: Readonly<Record<string, string | undefined>>;
  paths: HomePaths;
  /** Whether there is a home folder yet. */
  hasHome: boolean;
  userHome: string;
  root: string;
  settings: Result<LoadedSettings, Failure>;
  trust: TrustState;
  redact: SecretFilter;
  online: boolean;
  now: Date;
  /** Every session's log, read once until something was mended. */
  logs: () => Promise<LogCondition[]>;
  /** What was read before is read again. */
  forget: () => void;
};

export async function openView(options: { online: boolean }): Promise<Result<DoctorView, Failure>> {
  const env = processEnvironment();
  const wanted = resolveHome(env);
  if (!wanted.ok) return wanted;
  const hasHome = existsSync(wanted.value);
  const home = hasHome ? realpathSync(wanted.value) : wanted.value;
  const { gitRoot, cwd } = gitContext(process.cwd());
  const root = gitRoot ?? cwd;
  const userHome = homedir();
  const trust = await trustState({ everlongHome: home, userHome }, root, cwd);
  const trusted = trust.trusted && !trust.changed.includes(projectFile(root));
  const settings = await loadSettings({ env, home, root, trusted, checkRule });
  const paths = homePaths(home);
  let logs: Promise<LogCondition[]> | undefined;
  return ok({
    env,
    paths,
    hasHome,
    userHome,
    root,
    settings,
    trust,
    redact: secretFilter(keyOf(home), settings.ok ? secretValues(settings.value) : []),
    online: options.online,
    now: new Date(),
    logs: () => {
      logs ??= readLogs(paths);
      return logs;
    },
    forget: () => {
      logs = undefined;
    },
  });
}

/** The key of redaction marks, or another where there is none yet: marks of a report need not match stored ones. */
function keyOf(home: string): string {
  try {
    return readFileSync(join(home, "secret.key"), "utf8");
  } catch {
    return "doctor";
  }
}
