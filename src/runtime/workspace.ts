// The workspace that every command opens: settings, home, folder, whether it is trusted, what must stay secret.
import { randomBytes } from "node:crypto";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorCode, type Failure, FailureError, refusal } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { gitContext } from "../host/git.ts";
import { type HomePaths, homePaths } from "../host/paths.ts";
import { type Redactor, type SecretFilter, secretFilter, secretRedactor } from "../memory/secret/filter.ts";
import { parseRule } from "../permission/rule.ts";
import { type TrustState, trustForRun, trustState } from "../permission/trust.ts";
import type { SessionContext } from "../schema/session.ts";
import type { IndexOptions } from "../session/index/indexed-text.ts";
import { processEnvironment } from "../settings/environment.ts";
import type { Flags } from "../settings/flag.ts";
import { resolveHome } from "../settings/home.ts";
import { type LoadedSettings, loadSettings, projectFile } from "../settings/load.ts";
import { faultOf } from "../store/fault.ts";
import { prepareHome } from "../store/home.ts";
import { shareHome } from "../store/home-lock.ts";
import { rememberSecrets } from "./crash.ts";
import { refuseInToolShell } from "./tool-shell.ts";

export type Workspace = {
  env: Readonly<Record<string, string | undefined>>;
  settings: LoadedSettings;
  paths: HomePaths;
  context: SessionContext;
  /** Git root, else the working folder. */
  root: string;
  trust: TrustState;
  userHome: string;
  /** Values that must never be shown, stored or handed to children. */
  secrets: string[];
  redact: SecretFilter;
  /** How logs are brought into the index. */
  readonly indexing: IndexOptions;
};

/** A repair or a restore that takes longer than this is told to wait for. */
const HOME_WAIT_MS = 10_000;

export type WorkspaceOptions = { flags?: Flags; trustFolder?: boolean; cwd?: string };

export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Result<Workspace, Failure>> {
  const env = processEnvironment();
  const refused = givesLeave(options, env) ? refuseInToolShell(env, "allow an agent what it must ask for") : undefined;
  if (refused) return fail(refused);
  const context = gitContext(options.cwd ?? process.cwd());
  const root = context.gitRoot ?? context.cwd;
  const home = resolveHome(env);
  if (!home.ok) return home;
  const userHome = homedir();
  const trust = options.trustFolder
    ? trustForRun(root, context.cwd)
    : await trustState({ everlongHome: home.value, userHome }, root, context.cwd);
  const trusted = trust.trusted && !trust.changed.includes(projectFile(root));
  const settings = await loadSettings({ env, home: home.value, root, trusted, flags: options.flags ?? {}, checkRule });
  if (!settings.ok) return settings;
  const usable = prepareHome(home.value, { allowNetwork: settings.value.values.allowNetworkHome });
  if (!usable.ok) return usable;
  const paths = homePaths(realpathSync(home.value));
  const shared = await shareHome(paths.home, { limitMs: HOME_WAIT_MS });
  if (!shared.ok) return fail(homeInUse(paths.home));
  const secrets = secretValues(settings.value);
  rememberSecrets(secrets);
  return ok({
    env,
    settings: settings.value,
    paths,
    context,
    root,
    trust,
    userHome,
    secrets,
    redact: secretFilter(secretKey(paths.home), secrets),
    get indexing() {
      return { redact: this.redact, recall: this.settings.values["recall.enabled"] };
    },
  });
}

/** An agent that starts another one with more leave than its own would have that leave too. */
const givesLeave = ({ flags = {}, trustFolder }: WorkspaceOptions, env: Workspace["env"]): boolean =>
  trustFolder === true ||
  flags["permissions.allow"] !== undefined ||
  flags["permissions.allowAll"] !== undefined ||
  env["EVERLONG_ALLOW_ALL"] !== undefined;

/** After a change of settings: what is read at each use counts from now on. */
export async function reloadSettings(
  workspace: Workspace,
  { flags, trustFolder, cwd }: { flags: object; trustFolder: boolean; cwd?: string },
): Promise<void> {
  const again = await openWorkspace({ flags: flags as Flags, trustFolder, ...optional("cwd", cwd) });
  if (again.ok) workspace.settings = again.value.settings;
}

const homeInUse = (home: string): Failure =>
  refusal(
    "home_in_use",
    `Another everlong is repairing, restoring or wiping ${home}.`,
    "Try again when it has finished.",
  );

export function checkRule(text: string): string | undefined {
  const rule = parseRule(text);
  return rule.ok ? undefined : rule.error;
}

export function secretValues({ values }: LoadedSettings): string[] {
  const keys = (
    ["provider", "providers.openai", "providers.anthropic", "providers.google", "providers.ollama"] as const
  ).map((p) => values[`${p}.apiKey`]);
  const maps = [values["provider.headers"], values["proxy.upstreams.*.apiKey"]].flatMap((map) => Object.values(map));
  const service = [
    values["gateway.database"],
    values["memory.service.token"],
    values["memory.service.hmacKey"],
    values["memory.graphiti.token"],
  ];
  return [...keys, values["recall.openai.apiKey"], ...service, ...maps].filter(
    (v): v is string => typeof v === "string" && v.length >= 8,
  );
}

/** For text that is to be stored. */
export const redactorOf = ({ paths, secrets }: Pick<Workspace, "paths" | "secrets">): Redactor =>
  secretRedactor(secretKey(paths.home), secrets);

const unreadableKey = (path: string): Failure =>
  refusal(
    "home_damaged",
    `${path} is not a file that can be read. Nothing was started, and nothing was changed.`,
    "everlong doctor --fix moves it aside, and a new one is made.",
  );

/** The key of the marks that stand for secrets; made anew when missing. */
export function secretKey(home: string): string {
  const path = join(home, "secret.key");
  try {
    const key = readFileSync(path, "utf8");
    return key === "" ? renewedKey(path) : key;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw new FailureError(unreadableKey(path));
    const key = newKey();
    try {
      writeFileSync(path, key, { flag: "wx", mode: 0o600 });
      return key;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return readFileSync(path, "utf8") || renewedKey(path); // another process was first
      rmSync(path, { force: true }); // a full disk leaves it empty
      throw new FailureError(faultOf(error, path));
    }
  }
}

const newKey = (): string => randomBytes(32).toString("base64url");
const KEY_WAIT_MS = 100;

/** Whoever was killed between making the file and writing it left it empty; whoever is just writing it is waited for. */
function renewedKey(path: string): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, KEY_WAIT_MS);
  const key = readFileSync(path, "utf8") || newKey();
  writeFileSync(path, key, { mode: 0o600 });
  return key;
}
