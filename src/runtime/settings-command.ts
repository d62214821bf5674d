// Settings for people: list, read, change; the same for the command line and /settings.
import { join } from "node:path";
import type { Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { TOOL_SHELL_MARK } from "../host/environment.ts";
import { parseRule } from "../permission/rule.ts";
import { listSettings as describe, settingsText } from "../settings/describe.ts";
import { projectFile, userFile } from "../settings/load.ts";
import { unknownKey, writeSetting } from "../settings/write.ts";
import { updateFile } from "../store/update-file.ts";
import { openWorkspace } from "./workspace.ts";

type Printed = Result<string | { json: unknown }, Failure>;

export async function listSettings(options: { json?: boolean } = {}): Promise<Printed> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const lines = describe(workspace.value.settings);
  return ok(options.json ? { json: lines } : settingsText(lines));
}

export async function getSetting(key: string): Promise<Result<string, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const line = describe(workspace.value.settings).find((l) => l.key === key);
  if (!line)
    return fail({
      code: "setting_unknown",
      what: unknownKey(key),
      data: "Nothing was changed.",
      next: "See `everlong settings`.",
      exit: 2,
    });
  return ok(typeof line.value === "string" ? line.value : (JSON.stringify(line.value) ?? ""));
}

export async function setSetting(
  key: string,
  value: string | undefined,
  options: { project?: boolean } = {},
): Promise<Result<string, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { paths, root, env } = workspace.value;
  const refused = refuseInToolShell(env, "Settings are");
  if (refused) return fail(refused);
  const layer = options.project ? "project" : "user";
  const path = options.project ? projectFile(root) : userFile(paths.home);
  const written = await writeSetting(
    {
      path,
      layer,
      key,
      ...(value === undefined ? {} : { text: value }),
      checkRule: (text) => {
        const rule = parseRule(text);
        return rule.ok ? undefined : rule.error;
      },
    },
    (file, change) => updateFile(file, change, { private: !options.project, locks: join(paths.home, "locks") }),
  );
  if (!written.ok) return written;
  const isModel = /^(model|providers?\.|limits\.|offline$|permissions\.)/.test(key);
  const when = written.value.restart || isModel ? "after restart" : "from the next turn on";
  return ok(
    `${key} ${value === undefined ? "is unset" : `= ${written.value.secret ? "…" : value}`} in ${path}; it counts ${when}.`,
  );
}

/** /settings [KEY [VALUE]] */
export async function settingsCommand(args: string): Promise<Result<string, Failure>> {
  const [key = "", ...rest] = args.split(/\s+/).filter(Boolean);
  if (key === "") {
    const all = await listSettings();
    return all.ok ? ok(typeof all.value === "string" ? all.value : "") : all;
  }
  if (rest.length === 0) return getSetting(key);
  return setSetting(key, rest.join(" "));
}

/** Changes of settings, trust and consent are a person's; a command that a model runs carries a mark. */
export function refuseInToolShell(
  env: Readonly<Record<string, string | undefined>>,
  what: string,
): Failure | undefined {
  if (!env[TOOL_SHELL_MARK]) return undefined;
  return {
    code: "refused_in_tool",
    what: `${what} changed by people only, never from inside an agent's shell.`,
    data: "Nothing was changed.",
    next: "Run the command yourself, in your own terminal.",
    exit: 1,
  };
}
